"""A table service in this process on real PostgreSQL and NATS, and people at its tables."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack

import asyncpg
import pytest

from contracts.subjects import BOT, PARTITIONS, is_player
from services.bot.service import BotService
from services.kit.client import PlayerClient
from services.kit.clock import clock_from, wall_ms
from services.kit.nats_bus import NatsBus
from services.kit.store.model import Lease
from services.kit.store.reader import Reader
from services.kit.store.recorder import Recorder
from services.table.service import Store, TableService
from tests.entrance import Entrance

Connect = Callable[[str], Awaitable[NatsBus]]
Sit = Callable[[str], Awaitable[PlayerClient]]


class Owner:
    """An owner of all partitions, without a keeper of leases; `valid` takes the right away."""

    def __init__(self, bus: NatsBus, recorder: Recorder, reader: Reader, epoch: int) -> None:
        self.valid = True
        self.epoch = epoch
        self.store = Store(recorder, reader)
        self.service = TableService(bus, self.store, reader)
        self.service.lease = self.lease

    def lease(self, partition: int) -> Lease | None:
        return Lease(partition, self.epoch) if self.valid else None

    async def own_all(self) -> None:
        for partition in range(PARTITIONS):
            self.service.gained(partition, Lease(partition, self.epoch), None)
        await asyncio.gather(*(each.opened() for each in self.service.partitions.values()))

    async def lose_all(self) -> None:
        for partition in range(PARTITIONS):
            await self.service.lost(partition)


Own = Callable[[int], Awaitable[Owner]]


@pytest.fixture
async def connect(entrance: Entrance) -> Connect:
    """Connect to the bus as a player, as the table service, or under a name that nobody has."""

    async def connect(name: str) -> NatsBus:
        if is_player(name):
            return await entrance.player(name)
        return await (entrance.service(name) if name == "table" else entrance.master(name))

    return connect


@pytest.fixture
async def own(log_url: str, reader: Reader, connect: Connect) -> AsyncIterator[Own]:
    """Start an owner of all partitions under an epoch."""
    async with AsyncExitStack() as stack:

        async def own(epoch: int) -> Owner:
            link = await asyncpg.connect(log_url)
            await link.execute(
                "INSERT INTO partitions SELECT g, $1, 'test', now() FROM generate_series(0, 31) g"
                " ON CONFLICT (partition) DO UPDATE SET epoch = excluded.epoch",
                epoch,
            )
            await link.close()
            recorder = await stack.enter_async_context(Recorder(log_url))
            owner = Owner(await connect("table"), recorder, reader, epoch)
            await owner.own_all()
            stack.push_async_callback(owner.lose_all)
            return owner

        yield own


@pytest.fixture
async def owner(own: Own) -> Owner:
    return await own(1)


@pytest.fixture
async def sit(connect: Connect) -> AsyncIterator[Sit]:
    """Give a person at the bus."""
    async with AsyncExitStack() as stack:

        async def sit(player: str) -> PlayerClient:
            client = PlayerClient(await connect(player), player, patience_s=10, answer_s=1)
            return await stack.enter_async_context(client)

        yield sit


@pytest.fixture
def ahead() -> Iterator[list[int]]:
    """How far (ms) the services' clock is ahead of the wall clock."""
    ahead = [0]
    with clock_from(lambda: wall_ms() + ahead[0]):
        yield ahead


@pytest.fixture
async def bots(connect: Connect) -> AsyncIterator[None]:
    """The computers' service."""
    stop = asyncio.Event()
    serving = asyncio.create_task(BotService(await connect(BOT)).serve(stop))
    yield
    stop.set()
    await serving
