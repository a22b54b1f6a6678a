"""The event store in memory: what is committed stays, whatever dies or fails around it.

The semantics are those of `log_append` and the recorder: units are stored in the order in which
they were submitted, all or nothing, and never after somebody was told that they were not.
"""

import asyncio
import contextvars
from bisect import bisect_right
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any, Self

from services.kit.store.batch import Positions, row_count
from services.kit.store.chain import decode
from services.kit.store.model import (
    Conflict,
    IndexRow,
    Notification,
    NotOwner,
    OutcomeUnknown,
    QueueFull,
    StoredEvent,
    StoreUnavailable,
    Unit,
)
from tests.world.processes import Life

if TYPE_CHECKING:
    from tests.world.world import World

WAITING_MAX = 4096
EPSILON_S = 1e-6
UNKNOWN_AFTER_S = 10.0
"""Seconds after which the recorder gives up asking what became of an append."""
GAP_CHANCE = 0.05
"""Chance that a position is skipped, as a rolled back transaction does."""


class StoreServer:
    """The database: the log, its index, and the partitions."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.down = False
        self.log: list[Notification] = []
        self.streams: dict[str, list[StoredEvent]] = {}
        self.index: dict[str, IndexRow] = {}
        self.heads: dict[str, list[int]] = {}  # every head that a stream ever had
        self.epochs: dict[int, int] = {}
        self.gaps: dict[int, list[tuple[int, int]]] = {}
        self.checkpoints: dict[str, tuple[int, int]] = {}
        self.views: dict[str, dict[str, Any]] = {}
        self.rng = world.rng("store")
        self.free_s = 0.0
        self.listeners: list[WorldNews] = []
        self._positions = 0

    def recorder(self, life: Life | None = None) -> "WorldRecorder":
        """Return a recorder that dies with `life`."""
        return WorldRecorder(self, life)

    def reader(self, life: Life | None = None) -> "WorldReader":
        """Return a reader that dies with `life`."""
        return WorldReader(self, life)

    def news(self, life: Life | None = None, poll_s: float = 1.0) -> "WorldNews":
        """Return a listener that dies with `life`."""
        return WorldNews(self, life, poll_s)

    def commit(self, unit: Unit) -> Positions:
        """Store a unit now, without any fault: how a test plays a second writer.

        Raises Conflict, NotOwner or ValueError when the unit does not fit.
        """
        row_count(unit)
        lease = unit.lease
        if lease is not None and self.epochs.get(lease.partition) != lease.epoch:
            raise NotOwner("the partition belongs to another owner now")
        for append in unit.appends:
            index = self.index.get(append.stream)
            head = len(self.streams.get(append.stream, ()))
            known = head if append.index is None else (index.head if index is not None else 0)
            if known != append.expected:
                raise Conflict(append.stream, known)
        positions: list[int] = []
        for append in unit.appends:
            positions += [self._store(row) for row in append.rows]
            if append.index is not None:
                self.index[append.stream] = append.index
                self.heads.setdefault(append.stream, []).append(append.index.head)
        for listener in self.listeners:
            if self.rng.random() >= self.world.faults.store.news_lost:
                listener.hear()
        return tuple(positions)

    def _store(self, row: StoredEvent) -> int:
        self._positions += 2 if self.rng.random() < GAP_CHANCE else 1
        self.log.append(Notification(self._positions, *row))
        self.streams.setdefault(row.originator_id, []).append(row)
        name = f"{row.originator_id} {row.originator_version} {row.topic}"
        self.world.trace("commit", f"{self._positions} {name}", row.state)
        return self._positions

    def holds(self, unit: Unit) -> bool:
        """Whether every row of the unit is in the log, byte for byte."""
        return all(
            tuple(row) in self.streams.get(append.stream, ())
            for append in unit.appends
            for row in append.rows
        )

    def facts(self, stream: str) -> list[bytes]:
        """Return the facts of a stream without their envelopes, for checkers."""
        return [bytes(decode(row).data) for row in self.streams.get(stream, ())]


class Port:
    """A connection of one life to the database."""

    def __init__(self, server: StoreServer, life: Life | None) -> None:
        self.server = server
        self.life = life

    @property
    def dead(self) -> bool:
        """Whether the process of this port is gone."""
        return self.life is not None and not self.life.alive

    def _step(self) -> None:
        if self.life is not None:
            self.life.must_live()

    async def _read(self) -> None:
        """Take the time of a query; raises StoreUnavailable, and ends dead callers."""
        self._step()
        faults, rng = self.server.world.faults.store, self.server.rng
        await asyncio.sleep(rng.uniform(*faults.read_s))
        self._step()
        if self.server.down or rng.random() < faults.read_unavailable:
            raise StoreUnavailable("the database is not available")


class WorldRecorder(Port):
    """What `services.kit.store.recorder.Recorder` promises."""

    def __init__(self, server: StoreServer, life: Life | None) -> None:
        super().__init__(server, life)
        self._waiting = 0

    async def __aenter__(self) -> Self:
        """Begin."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """End; what was submitted is still stored."""

    async def append(self, unit: Unit) -> Positions:
        """Store the unit and return its positions."""
        self._step()
        positions = await self.submit(unit)
        self._step()
        return positions

    def submit(self, unit: Unit) -> "asyncio.Future[Positions]":
        """Queue a unit at once; the future gives what `append` gives."""
        if self.life is not None:
            self.life.step()
        server, loop = self.server, self.server.world.loop
        faults, rng = server.world.faults.store, server.rng
        row_count(unit)
        outcome: asyncio.Future[Positions] = loop.create_future()
        if self.dead:
            outcome.cancel()
            return outcome
        if self._waiting >= WAITING_MAX or rng.random() < faults.queue_full:
            raise QueueFull(f"{self._waiting} units wait to be stored")
        self._waiting += 1
        took = rng.uniform(*faults.append_s)
        if rng.random() < faults.slow:
            took += rng.uniform(*faults.slow_s)
        when = server.free_s = max(loop.time() + took, server.free_s + EPSILON_S)
        # It is on its way to the database now, whatever its process does.
        loop.call_at(when, self._commit, unit, outcome, context=contextvars.Context())
        return outcome

    def _commit(self, unit: Unit, outcome: "asyncio.Future[Positions]") -> None:
        """Decide what becomes of a unit: its process, and whoever waits, may be gone by now."""
        self._waiting -= 1
        server, loop = self.server, self.server.world.loop
        faults, rng = server.world.faults.store, server.rng
        left = self.dead or outcome.done()
        if left and rng.random() < 0.5:
            return  # it had not left the process
        if server.down or rng.random() < faults.unavailable:
            self._tell(outcome, StoreUnavailable("the database is not available"))
            return
        if rng.random() < faults.unknown_lost:
            loop.call_later(UNKNOWN_AFTER_S, self._tell, outcome, OutcomeUnknown("no answer"))
            return
        try:
            result: Positions | Exception = server.commit(unit)
        except (Conflict, NotOwner) as error:
            result = error
        if rng.random() < faults.unknown_stored:
            loop.call_later(UNKNOWN_AFTER_S, self._tell, outcome, OutcomeUnknown("no answer"))
            return
        loop.call_later(rng.uniform(*faults.append_s) / 4, self._tell, outcome, result)

    def _tell(self, outcome: "asyncio.Future[Positions]", result: Positions | Exception) -> None:
        if outcome.done():
            return
        if self.dead:
            outcome.cancel()
        elif isinstance(result, Exception):
            outcome.set_exception(result)
        else:
            outcome.set_result(result)


class WorldReader(Port):
    """What `services.kit.store.reader.Reader` promises."""

    async def stream(self, stream: str, after: int = 0) -> list[StoredEvent]:
        """Return the events of a stream with versions above `after`, in order."""
        await self._read()
        return self.server.streams.get(stream, [])[after:]

    async def streams(self, streams: Sequence[str]) -> AsyncIterator[tuple[str, list[StoredEvent]]]:
        """Yield (stream, its whole history) for many streams."""
        await self._read()
        for stream in streams:
            if stream in self.server.streams:
                await asyncio.sleep(0)
                yield stream, list(self.server.streams[stream])

    async def notifications(self, after: int, limit: int = 1000) -> list[Notification]:
        """Return up to `limit` events with positions above `after`, in commit order."""
        await self._read()
        log = self.server.log
        start = bisect_right(log, after, key=lambda row: row.id)
        return log[start : start + limit]

    async def max_position(self) -> int:
        """Return the position of the last event, 0 for an empty log."""
        await self._read()
        return self.server.log[-1].id if self.server.log else 0

    async def index_row(self, stream: str) -> IndexRow | None:
        """Return where the stream stands, None when nothing was ever appended to it."""
        await self._read()
        return self.server.index.get(stream)

    async def index_rows(
        self,
        kind: str = "table",
        *,
        status: Sequence[str] | None = None,
        partition: int | None = None,
        after: str = "",
        limit: int = 1000,
    ) -> list[IndexRow]:
        """Return up to `limit` streams of a kind by name, those after `after`."""
        await self._read()
        found = (
            row
            for name, row in sorted(self.server.index.items())
            if name > after
            and row.kind == kind
            and (status is None or row.status in status)
            and (partition is None or row.partition == partition)
        )
        return [row for _, row in zip(range(limit), found, strict=False)]

    async def awake(self, partition: int, until_ms: int | None = None) -> list[IndexRow]:
        """Return the streams of a partition that will want attention, the most urgent first."""
        await self._read()
        found = [
            (row.next_wake_ms, row.stream, row)
            for row in self.server.index.values()
            if row.partition == partition
            and row.next_wake_ms is not None
            and (until_ms is None or row.next_wake_ms <= until_ms)
        ]
        return [row for _, _, row in sorted(found)]

    async def downtimes(self, partition: int, since_ms: int) -> list[tuple[int, int]]:
        """Return the spans (from, to) in ms without a living owner that ended after `since_ms`."""
        await self._read()
        return [span for span in self.server.gaps.get(partition, []) if span[1] > since_ms]


class WorldNews(Port):
    """What `services.kit.store.news.News` promises."""

    def __init__(self, server: StoreServer, life: Life | None, poll_s: float) -> None:
        super().__init__(server, life)
        self._poll_s = poll_s
        self._heard = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Start listening."""
        self.server.listeners.append(self)
        self._heard.set()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening."""
        if self in self.server.listeners:
            self.server.listeners.remove(self)

    def hear(self) -> None:
        """Take a hint from the database."""
        if not self.dead:
            self._heard.set()

    async def wait(self) -> bool:
        """Return at the next news since the last return, True, or after `poll_s`, False."""
        self._step()
        try:
            async with asyncio.timeout(self._poll_s):
                await self._heard.wait()
        except TimeoutError:
            return False
        self._heard.clear()
        return True
