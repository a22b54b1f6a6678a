"""Answers that change nothing: what somebody missed, what a repeated command once did, the log."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from itertools import takewhile
from typing import Any, Protocol

import structlog

from contracts import subjects, topics
from contracts.commands import LogBody, ResumeBody
from contracts.envelope import chain_hash
from contracts.replies import RESUME_MAX, Accepted, Reply, Resumed, StoredEvents, rejected
from domain.refusals import Code, Refused
from domain.table.case import unknown
from domain.table.events import SuccessorOpened
from domain.table.state import ENDED, seat_of
from services.kit.store import chain
from services.kit.store.model import IndexRow, StoredEvent, StoreUnavailable, Unit
from services.table.audience import StoredFact, feed_for
from services.table.loaded import Loaded
from services.table.request import Request

LOG_MAX = 500
READS_MAX = 3
UNREADABLE = Refused(Code.UNAVAILABLE, "The table cannot be read now; repeat it soon.")

log = structlog.get_logger()


class Log(Protocol):
    """What the desks need of the event store."""

    def submit(self, unit: Unit) -> asyncio.Future[tuple[int, ...]]:
        """Queue a unit (see services.kit.store.recorder)."""
        ...

    async def index_row(self, stream: str) -> IndexRow | None:
        """Read where a stream stands (see services.kit.store.reader)."""
        ...

    async def stream(self, stream: str, after: int = 0) -> list[StoredEvent]:
        """Read a stream (see services.kit.store.reader)."""
        ...


async def reply_of(table: str, found: Coroutine[Any, Any, Reply]) -> Reply:
    """Give what is found, or the refusal that says why nothing is."""
    try:
        return await found
    except Refused as refused:
        return rejected(refused)
    except StoreUnavailable:
        return rejected(UNREADABLE)
    except Exception:
        log.exception("lookup_failed", table=table)
        return rejected(Refused(Code.INTERNAL, "This failed here; an operator looks at it."))


async def looked_up(store: Log, loaded: Loaded, player: str, body: ResumeBody | LogBody) -> Reply:
    """Give what somebody asks for who wants to change nothing."""
    if isinstance(body, LogBody):
        return await stored_events(store, loaded, body.since)
    return await resumed(store, loaded, player, body.since)


async def resumed(store: Log, loaded: Loaded, player: str, since: int) -> Resumed:
    """Give the facts after number `since` as the player may see them, and his present view."""
    if loaded.game is None:
        raise unknown()
    rows: Sequence[StoredEvent] = ()
    for _ in range(READS_MAX):
        version = loaded.table.version
        if not 0 < version - since <= RESUME_MAX:
            rows = ()
            break
        rows = await store.stream(subjects.stream_of(loaded.table.table_id), since)
        if since + len(rows) >= loaded.table.version:
            break
    version = loaded.table.version
    facts = [_fact(row) for row in rows if row.originator_version <= version]
    if since + len(facts) != version:
        facts = []
    return Resumed(feed_for(loaded, facts, seat_of(loaded.table, player)))


def _fact(row: StoredEvent) -> StoredFact:
    stored = chain.decode(row)
    fact = topics.decode(row.topic, stored.data)
    return StoredFact(row.originator_version, stored.at, chain_hash(*row).hex(), fact)


async def repeated(store: Log, loaded: Loaded, request: Request, first: int) -> Accepted:
    """Give the stored outcome of an accepted command; refuse another content under its id."""
    stream = subjects.stream_of(loaded.table.table_id)
    command_id = request.body.command_id
    last: StoredEvent | None = None
    for row in await store.stream(stream, first - 1):
        stored = chain.decode(row)
        if (stored.by, stored.command_id) != (request.player, command_id):
            break
        if stored.digest != request.digest:
            sentence = "This command id was used for another command; take a new one."
            raise Refused(Code.COMMAND_REUSED, sentence)
        last = row
    if last is None:  # two commands share a hash: the sender can help it with a new id
        raise Refused(Code.COMMAND_REUSED, "This command id is taken; take a new one.")
    fact = topics.decode(last.topic, chain.decode(last).data)
    if isinstance(fact, SuccessorOpened):
        return await _reopened(store, fact.table, request)
    return accepted(loaded, first, last.originator_version, chain_hash(*last))


async def _reopened(store: Log, table: str, request: Request) -> Accepted:
    """Give the outcome of the command that opened a successor: it is told of that table."""

    def is_opening(row: StoredEvent) -> bool:
        stored = chain.decode(row)
        return (stored.by, stored.command_id) == (request.player, request.body.command_id)

    rows = await store.stream(subjects.stream_of(table))
    opening = Loaded(table)
    opening.load(list(takewhile(is_opening, rows)))
    return accepted(opening, 1, opening.table.version, opening.head_hash)


def accepted(loaded: Loaded, first: int, last: int, head: bytes) -> Accepted:
    """Give the answer to a command that has become the facts `first` to `last`."""
    commitment = loaded.table.commitment if first == 1 else ""
    return Accepted(loaded.table.table_id, first, last, head.hex(), commitment)


async def stored_events(store: Log, loaded: Loaded, since: int) -> StoredEvents:
    """Give the events of an ended table exactly as stored, with salts and all."""
    if loaded.game is None:
        raise unknown()
    if loaded.table.phase not in ENDED:
        raise Refused(Code.SEALED, "The log is sealed until the game is over.")
    stream = subjects.stream_of(loaded.table.table_id)
    rows = (await store.stream(stream, since))[:LOG_MAX]
    events = tuple((row.originator_version, row.topic, row.state.decode()) for row in rows)
    return StoredEvents(stream, events, loaded.table.version)
