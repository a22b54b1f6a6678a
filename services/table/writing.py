"""A decided command on its way to the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from contracts import subjects, topics
from domain.kernel import AnyGame
from domain.table import commands as c
from domain.table.case import Actor, Decided
from domain.table.clocks import next_wake
from services.kit.store import chain
from services.kit.store.model import Append, IndexRow, Lease, StoredEvent, Unit
from services.table.audience import StoredFact
from services.table.loaded import Loaded
from services.table.request import Request
from services.table.seats import seat_append


class Pending(NamedTuple):
    """A decided command, what it came from, and how often it was tried before."""

    command: c.Command
    actor: Actor
    request: Request | None
    tries: int
    decided: Decided
    game: AnyGame


class Written(NamedTuple):
    """The rows of a decided command, and the hash of each; `opened` are those of a new table."""

    rows: Sequence[StoredEvent]
    hashes: Sequence[bytes]
    opened: Written | None = None

    @property
    def head_hash(self) -> bytes:
        """The hash of the last row."""
        return self.hashes[-1]


def write(loaded: Loaded, pending: Pending) -> Written:
    """Give the rows that follow the table's head; raises chain.Undecodable."""
    decided, head = pending.decided, (loaded.table.version, loaded.head_hash)
    opened = decided.opened
    if opened is None:
        return Written(*_rows(pending, decided, *head))
    return Written(*_rows(pending, decided, *head), Written(*_rows(pending, opened, 0, b"")))


def _rows(
    pending: Pending, decided: Decided, version: int, head_hash: bytes
) -> tuple[Sequence[StoredEvent], Sequence[bytes]]:
    entries = [_entry(pending, decided, fact) for fact in decided.facts]
    stream = subjects.stream_of(decided.table.table_id)
    return chain.extend(stream, version, head_hash, entries, topics.check)


def _entry(pending: Pending, decided: Decided, fact: Any) -> chain.Entry:
    request = pending.request
    command_id, digest = "", ""
    if request is not None and request.player != subjects.BOT:
        command_id, digest = request.body.command_id, request.digest
    at, by = decided.table.at, pending.actor.player
    return chain.Entry(*topics.encode(fact), at, by, command_id, digest)


def unit_of(loaded: Loaded, pending: Pending, written: Written, lease: Lease | None) -> Unit:
    """Give what is stored at once: the rows of one or two tables, where they stand, and who sits."""
    appends = [_append(pending.decided, written, loaded.table.version)]
    if pending.decided.opened is not None and written.opened is not None:
        appends.append(_append(pending.decided.opened, written.opened, 0))
    if pending.request is not None and pending.request.standing is not None:
        seated = pending.decided.opened or pending.decided
        entry = _entry(pending, seated, seated.facts[0])
        appends.append(seat_append(pending.request.standing, entry, seated.table.table_id))
    return Unit(appends, lease)


def _append(decided: Decided, written: Written, expected: int) -> Append:
    table = decided.table
    stream = subjects.stream_of(table.table_id)
    index = IndexRow(
        stream,
        "table",
        subjects.partition_of(table.table_id),
        table.game,
        table.phase,
        table.version,
        written.head_hash,
        next_wake(table, decided.waiting),
    )
    return Append(stream, expected, written.rows, index)


def stored_facts(pending: Pending, written: Written) -> tuple[StoredFact, ...]:
    """Give the facts with their numbers and hashes, once they are stored."""
    at = pending.decided.table.at
    return tuple(
        StoredFact(row.originator_version, at, hash_.hex(), fact)
        for row, hash_, fact in zip(*written[:2], pending.decided.facts, strict=True)
    )
