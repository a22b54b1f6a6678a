"""The table service as a process: which partitions it owns, and what it does beside the desks."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from typing import Any, NamedTuple, Protocol

import structlog

from contracts.fairness import SEED_BYTES
from contracts.subjects import PARTITIONS, inbox
from services.kit import nats_bus
from services.kit.buckets import Buckets
from services.kit.bus import Bus
from services.kit.feed import FeedWriter
from services.kit.nats_feed import NatsFeedWriter
from services.kit.settings import Settings
from services.kit.skeleton import Stop
from services.kit.stopping import stopped
from services.kit.store.database import Database
from services.kit.store.leases import OUTBOX, Gain, Leases, Loss
from services.kit.store.model import Lease
from services.kit.store.news import News
from services.kit.store.reader import Reader
from services.kit.store.recorder import Recorder
from services.table.lookups import Log
from services.table.outbox import News as Waker
from services.table.outbox import Outbox, Tail
from services.table.partitions import Index, Partition
from services.table.ports import Ports

log = structlog.get_logger()

HEADS_S = 5.0
"""Every live feed repeats its head number so often."""
HEADS_AT_ONCE = 200
OUTBOX_GATHER_S = 0.02
"""The feed may be so late, and carries many facts at a time instead of few."""
DRAIN_POLL_S = 0.02
COMMANDS_BURST, COMMANDS_PER_S = 60, 20
"""How many commands of one player this process takes at once, and for how long."""


class TableService:
    """The desks of all partitions that this process owns at the moment.

    `lease` tells at any moment by which right a partition is served; `gained` and `lost` are for
    the keeper of the leases.
    """

    def __init__(
        self,
        bus: Bus,
        store: Log,
        index: Index,
        draw_seed: Callable[[], str] = lambda: secrets.token_hex(SEED_BYTES),
    ) -> None:
        """Own nothing yet."""
        self.lease: Callable[[int], Lease | None] = lambda _partition: None
        self.partitions: dict[int, Partition] = {}
        self._bus = bus
        self._store = store
        self._index = index
        self._draw_seed = draw_seed
        self._pace = Buckets(COMMANDS_BURST, COMMANDS_PER_S, asyncio.get_running_loop().time)

    def gained(self, _key: int, lease: Lease, _alive_ms: int | None) -> None:
        """Serve a partition from now on."""
        ports = Ports(self._bus, self._store, self.lease, self._draw_seed, self._pace)
        partition = Partition(lease, ports, self._index)
        self.partitions[lease.partition] = partition
        partition.open()

    async def lost(self, number: int) -> None:
        """Stop serving a partition at once."""
        partition = self.partitions.pop(number, None)
        if partition is not None:
            await partition.close()
            log.info("partition_lost", partition=number)

    async def repeat_heads(self) -> None:
        """Tell everybody every few seconds how far his table is."""
        while True:
            await asyncio.sleep(HEADS_S)
            desks = [desk for each in self.partitions.values() for desk in each.desks.values()]
            for count, desk in enumerate(desks):
                desk.show_head()
                if count % HEADS_AT_ONCE == 0:
                    await asyncio.sleep(0)

    async def drain(self) -> None:
        """Take no further commands, and return when what was taken is stored and answered."""
        for each in list(self.partitions.values()):
            await each.stop_taking()
        while not all(  # noqa: ASYNC110 - at the end of a process, bounded by its drain time
            partition.idle for partition in self.partitions.values()
        ):
            await asyncio.sleep(DRAIN_POLL_S)


class Store:
    """The event store as the desks use it: one way in, one way out."""

    def __init__(self, recorder: Recorder, reader: Reader) -> None:
        """Join the two."""
        self.submit = recorder.submit
        self.stream = reader.stream


class Relay:
    """Runs the outbox while this process holds its lease; only one process does."""

    def __init__(self, make: Callable[[], Outbox]) -> None:
        """Run what `make` gives."""
        self._make = make
        self._task: asyncio.Task[None] | None = None

    def gained(self, _key: int, lease: Lease, _alive_ms: int | None) -> None:
        """Begin to relay."""
        log.info("outbox_gained", epoch=lease.epoch)
        self._task = asyncio.get_running_loop().create_task(self._make().run())

    async def lost(self, _key: int) -> None:
        """Stop at once; whoever takes over looks at what is really in the stream."""
        if self._task is not None:
            await stopped(self._task)
            self._task = None


class Keeper(AbstractAsyncContextManager[Any], Protocol):
    """Keeps leases (see services.kit.store.leases)."""

    def valid(self, partition: int) -> Lease | None:
        """Give the right to a partition at this moment."""
        ...

    async def watch(self) -> None:
        """Raise the bug that ended the keeping."""
        ...


class Everything(Index, Tail, Protocol):
    """What is read of the log (see services.kit.store.reader)."""


class World(NamedTuple):
    """The ends of the clusters that a table service hangs on.

    `keeper` makes the keeper of the leases of some numbers, which tells of gains and losses.
    """

    bus: Bus
    store: Log
    reader: Everything
    feed: FeedWriter
    news: Waker
    keeper: Callable[[Gain, Loss, Sequence[int]], Keeper]


async def serve(world: World, stop: asyncio.Event) -> None:
    """Own a fair share of the partitions, and perhaps the outbox, until `stop` is set.

    Raises what ends one of its parts: a service without leases or heads must not live on.
    """
    service = TableService(world.bus, world.store, world.reader)
    relay = Relay(lambda: Outbox(world.reader, world.feed, world.news))
    leases = world.keeper(service.gained, service.lost, range(PARTITIONS))
    outbox = world.keeper(relay.gained, relay.lost, [OUTBOX])
    service.lease = leases.valid
    async with leases, outbox:
        parts = (stop.wait, leases.watch, outbox.watch, service.repeat_heads)
        tasks = [asyncio.ensure_future(part()) for part in parts]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        for task in done:
            task.result()
        await service.drain()


async def main(settings: Settings, stop: Stop) -> None:
    """Serve on the configured clusters until `stop` is set."""
    on_closed = partial(stop.fail, "the bus connection was closed")
    url = settings.database_url
    async with AsyncExitStack() as stack:
        login = settings.login("table")
        bus = await nats_bus.connect(settings.nats_url, "table", inbox("table"), on_closed, **login)
        stack.push_async_callback(bus.close)
        reader = Reader(await stack.enter_async_context(Database(url)))
        recorder = await stack.enter_async_context(Recorder(url))
        news = await stack.enter_async_context(News(url, gather_s=OUTBOX_GATHER_S))
        store = Store(recorder, reader)

        def keeper(on_gain: Gain, on_loss: Loss, keys: Sequence[int]) -> Leases:
            return Leases(url, "table", on_gain, on_loss, keys=keys)

        await serve(World(bus, store, reader, NatsFeedWriter(bus), news, keeper), stop)
