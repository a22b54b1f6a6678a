"""Read models: they follow the log by position and keep their place beside what they computed.

Views and place are stored in one transaction, so each fact counts exactly once, whatever is
repeated, lost or killed. Why the log and not the feed: contracts/adr/0020-read-models.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, NoReturn, Protocol, TypeAlias

import asyncpg
import msgspec
import structlog

from contracts import topics
from contracts.subjects import stream_of
from services.kit.answering import Answering
from services.kit.bus import Bus
from services.kit.publish import Dated, seen_by_all, topics_of
from services.kit.store.chain import Undecodable
from services.kit.store.database import Connection, Database, Pooled
from services.kit.store.model import StoreError, StoreUnavailable
from services.kit.store.news import News
from services.kit.store.projection import Projection

WINDOW: Final = 20_000
"""Positions that are looked at in one query."""
SAVE_EVERY: Final = 10_000
"""Positions without a wanted fact after which the place is stored nevertheless."""
GATHER_S: Final = 0.05
"""Under load the next facts are gathered for so long: one transaction instead of many."""
AGAIN_S: Final = 1.0
"""The pause after trouble with the database."""
POISON_S: Final = 30.0
"""The pause before a fact is tried again that could not be read."""

_PLACE: Final = "SELECT position FROM projections WHERE name = $1"
_LOCKED: Final = f"{_PLACE} FOR UPDATE"

log = structlog.get_logger(__name__)
_decode = msgspec.json.Decoder(Dated).decode


Link: TypeAlias = Connection | Pooled


class LogFact(NamedTuple):
    """A fact of a table in its public form; `at` in ms since the epoch."""

    position: int
    table: str
    version: int
    at: int
    game: str
    fact: Any


class Window(NamedTuple):
    """The wanted facts up to a position; between them and up to there are no others.

    `more`: the log went on when this was read.
    """

    facts: Sequence[LogFact]
    position: int
    more: bool


class Telling(NamedTuple):
    """A message that is sent once the change it tells of is committed."""

    subject: str
    data: bytes


class ReadModel(Protocol):
    """Which facts a read model wants, and what they do to its tables in the database."""

    @property
    def name(self) -> str:
        """The name of its checkpoint."""
        ...

    @property
    def facts(self) -> tuple[type, ...]:
        """The types of the facts that it wants."""
        ...

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that hold nothing but what `apply` stores in them."""
        ...

    async def apply(self, link: Link, facts: Sequence[LogFact]) -> Sequence[Telling]:
        """Store what the facts change, and return what to tell then; names tables unqualified."""
        ...


class Ahead(StoreError):
    """The checkpoint lies behind the end of the log: the log was restored without its read models.

    `rebuild` brings them together again.
    """


class Contradiction(StoreError):
    """What a read model has stored contradicts a fact; going on would make it worse.

    `rebuild` brings them together again.
    """


class Follower:
    """Keeps one read model up to date. Several may run at once; each fact is applied by one."""

    def __init__(self, database: Database, news: News, model: ReadModel, bus: Bus) -> None:
        """Follow the log in `database`; `news` only shorten the wait."""
        self.caught_up = asyncio.Event()
        self.position = 0
        self._database = database
        self._news = news
        self._model = model
        self._bus = bus
        self._projection = Projection(database, model.name)
        self._stored: int | None = None
        self._topics = topics_of(model.facts)

    async def serve(self, stop: asyncio.Event, *answerings: Answering) -> None:
        """Follow until `stop` is set; questions are answered once the log is caught up with."""
        async with asyncio.TaskGroup() as group:
            following = group.create_task(self.run(), name=f"follow-{self._model.name}")
            either = [group.create_task(event.wait()) for event in (self.caught_up, stop)]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            for waiting in either:
                waiting.cancel()
            async with asyncio.TaskGroup() as answers:
                for answering in answerings:
                    answers.create_task(answering.serve(stop))
            following.cancel()

    async def run(self) -> NoReturn:
        """Follow until cancelled. A fact that cannot be read stops the model, and is reported."""
        while True:
            try:
                more = await self.step()
            except StoreUnavailable as error:
                log.warning("projection_waits", projection=self._model.name, reason=str(error))
                await asyncio.sleep(AGAIN_S)
            except (Undecodable, Ahead, Contradiction) as error:
                # Going on would store a wrong result for ever; the sentence quotes no fact.
                self.caught_up.set()  # as far as it goes: old answers are better than none
                log.error("projection_stopped", projection=self._model.name, reason=str(error))  # noqa: TRY400
                await asyncio.sleep(POISON_S)
            else:
                if not more:
                    self.caught_up.set()
                    await self._news.wait()
                    await asyncio.sleep(GATHER_S)

    async def step(self) -> bool:
        """Apply the next window; tells whether the log goes on behind it.

        Raises StoreUnavailable, Undecodable, Ahead and what the model raises, Contradiction among
        it; then nothing of the window was applied.
        """
        if self._stored is None:
            _, self.position = await self._projection.checkpoint()
            self._stored = self.position
        async with self._database.connection() as link:
            window = await read(link, self._topics, self.position)
        telling: list[Telling] = []

        async def apply(link: Pooled) -> None:
            if window.facts:
                telling.extend(await self._model.apply(link, window.facts))

        if window.facts or window.position >= self._stored + SAVE_EVERY:
            if not await self._projection.advance(self._stored, window.position, apply):
                self._stored = None  # another process was faster, or it was rebuilt
                return True
            self._stored = window.position
        self.position = window.position
        for subject, data in telling:
            self._bus.publish(subject, data)
        return window.more


async def read(link: Link, wanted: Sequence[str], after: int, upto: int | None = None) -> Window:
    """Return the facts of these topics in the next window after a position, at most to `upto`.

    Raises Undecodable, and Ahead. Topics that nobody wants, unknown ones among them, are passed.
    """
    end = await log_end(link)
    if after > end:
        raise Ahead(f"the checkpoint {after} lies behind the end of the log, {end}")
    end = end if upto is None else min(end, upto)
    position = min(end, after + WINDOW)
    rows = await link.fetch(
        "SELECT e.notification_id, e.originator_id, e.originator_version, e.topic, e.state, i.game"
        " FROM stored_events AS e JOIN log_index AS i ON i.stream = e.originator_id"
        " WHERE e.notification_id > $1 AND e.notification_id <= $2 AND e.topic = ANY ($3)"
        " AND i.kind = 'table' ORDER BY e.notification_id",
        after,
        position,
        wanted,
    )
    return Window([_fact(row) for row in rows], position, position < end)


def _fact(row: asyncpg.Record) -> LogFact:
    position, stream, version, topic, state, game = row
    try:
        stored = _decode(state)
        fact = seen_by_all(game, topic, stored.data)
    except (msgspec.MsgspecError, RecursionError, topics.UnknownTopicError) as error:
        raise Undecodable(stream, version, topic, type(error).__name__) from None
    return LogFact(position, stream.removeprefix(stream_of("")), version, stored.at, game, fact)


async def log_end(link: Link) -> int:
    """Return the position of the last event, 0 for an empty log."""
    query = "SELECT coalesce(max(notification_id), 0) FROM stored_events"
    return int(await link.fetchval(query))


async def checkpoint(link: Link, name: str, *, lock: bool = False) -> int:
    """Return up to which position a read model has come; with `lock` nobody else moves it."""
    if lock:
        await link.execute(
            "INSERT INTO projections VALUES ($1, 0, 0) ON CONFLICT (name) DO NOTHING", name
        )
    return int(await link.fetchval(_LOCKED if lock else _PLACE, name) or 0)
