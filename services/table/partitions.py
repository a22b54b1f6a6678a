"""The tables of the partitions that this process owns, and the way commands find them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Protocol, TypeVar

import structlog

from contracts import subjects
from contracts.replies import rejected
from domain.refusals import Code, Refused
from services.kit.bus import BusError, Message, Subscription
from services.kit.clock import now_ms
from services.kit.store.model import IndexRow, Lease, StoredEvent, StoreUnavailable
from services.table.desk import Desk
from services.table.ports import Ports
from services.table.request import answer, read

log = structlog.get_logger()

FETCHING_MAX = 256
"""While so many tables are being read, commands to further ones are refused as busy."""
LIVE = ("gathering", "playing")
GAPS_MS = 24 * 3_600_000
"""Older spans without an owner cannot touch a clock that still runs."""
RECOVER_RETRY_S = 1.0
RECOVER_AT_ONCE = 256
T = TypeVar("T")


class Index(Protocol):
    """What recovery reads (see services.kit.store.reader)."""

    async def index_rows(
        self,
        kind: str = "table",
        *,
        status: Sequence[str] | None = None,
        partition: int | None = None,
        after: str = "",
        limit: int = 1000,
    ) -> list[IndexRow]:
        """Give index rows by name."""
        ...

    def streams(self, streams: Sequence[str]) -> AsyncIterator[tuple[str, list[StoredEvent]]]:
        """Give many streams."""
        ...

    async def downtimes(self, partition: int, since_ms: int) -> list[tuple[int, int]]:
        """Give the partition's spans without owner."""
        ...


class Partition:
    """One owned partition: its subscription and its desks."""

    def __init__(self, lease: Lease, ports: Ports, index: Index) -> None:
        """Begin with no desk; `open` makes it serve."""
        self.number = lease.partition
        self.desks: dict[str, Desk] = {}
        self._lease = lease
        self._ports = ports
        self._index = index
        self._gaps: Sequence[tuple[int, int]] = ()
        self._subscription: Subscription | None = None
        self._opening: asyncio.Task[None] | None = None
        self._fetching = 0

    def open(self) -> None:
        """Take commands from now on, and bring back every live table."""
        self._opening = asyncio.get_running_loop().create_task(self._open())

    async def opened(self) -> None:
        """Return when every live table is back."""
        if self._opening is not None:
            await self._opening

    async def stop_taking(self) -> None:
        """Take no further commands: they are repeated until the next owner has them."""
        if self._opening is not None:
            self._opening.cancel()
        if self._subscription is not None:
            await self._subscription.close()

    async def close(self) -> None:
        """Stop serving at once."""
        for desk in list(self.desks.values()):
            desk.close()
        await self.stop_taking()

    async def _open(self) -> None:
        self._gaps = await self._patiently(
            lambda: self._index.downtimes(self.number, now_ms() - GAPS_MS)
        )
        # The queue group carries the epoch: a stale owner who is still subscribed gets copies that
        # he drops, and cannot take commands away from us.
        queue = f"table-{self.number:02d}-{self._lease.epoch}"
        pattern = subjects.commands_of(self.number)
        self._subscription = await self._patiently(
            lambda: self._ports.bus.subscribe(pattern, self._on_command, queue)
        )
        await self._recover()
        log.info("partition_open", partition=self.number, count=len(self.desks))

    async def _patiently(self, read: Callable[[], Awaitable[T]]) -> T:
        while True:
            try:
                return await read()
            except (StoreUnavailable, BusError) as error:
                log.warning("recovery_waits", partition=self.number, error=type(error).__name__)
                await asyncio.sleep(RECOVER_RETRY_S)

    @property
    def idle(self) -> bool:
        """Whether no command waits and nothing is on its way to the store."""
        return all(desk.idle for desk in self.desks.values())

    def _on_command(self, message: Message) -> None:
        if self._ports.lease(self.number) is None:
            return  # the new owner has the command too
        request = read(message, self._ports.bus, self._ports.pace)
        if request is None:
            return
        desk = self.desks.get(request.table)
        if desk is None:
            if self._fetching >= FETCHING_MAX:
                refused = Refused(Code.BUSY, "Too many tables are being read; repeat it soon.")
                answer(self._ports.bus, request.reply, rejected(refused))
                return
            desk = self._desk(request.table)
            self._fetching += 1
            desk.fetch().add_done_callback(self._fetched)
        desk.receive(request)

    def _fetched(self, _task: asyncio.Task[None]) -> None:
        self._fetching -= 1

    def _desk(self, table_id: str) -> Desk:
        desk = Desk(table_id, self._ports, self._gaps, self._forget)
        self.desks[table_id] = desk
        return desk

    def _forget(self, table_id: str) -> None:
        self.desks.pop(table_id, None)

    async def _recover(self) -> None:
        """Load all live tables, so that nobody waits for a question that was lost."""
        after = ""
        while rows := await self._patiently(partial(self._live, after)):
            await self._patiently(partial(self._take_over, [row.stream for row in rows]))
            after = rows[-1].stream

    async def _live(self, after: str) -> list[IndexRow]:
        return await self._index.index_rows(
            status=LIVE, partition=self.number, after=after, limit=RECOVER_AT_ONCE
        )

    async def _take_over(self, streams: Sequence[str]) -> None:
        wanted = [stream for stream in streams if self._unknown(stream)]
        async for stream, events in self._index.streams(wanted):
            if self._unknown(stream):
                self._desk(_table_of(stream)).take_over(events)
                await asyncio.sleep(0)  # people at other tables are waiting too

    def _unknown(self, stream: str) -> bool:
        return _table_of(stream) not in self.desks


def _table_of(stream: str) -> str:
    return stream.removeprefix("table-")
