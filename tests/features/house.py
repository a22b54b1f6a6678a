"""All the services of a running Logbuch in this process, and the time that they live by."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest

from contracts import subjects
from deploy.embedded.supervisor import Stack
from services.bot import service as bot
from services.gateway import service as gateway
from services.gateway.http import Limits
from services.kit import skeleton
from services.kit.buckets import Buckets
from services.kit.clock import clock_from, wall_ms
from services.kit.settings import HTTP, Settings
from services.kit.store.database import Database
from services.kit.store.migrate import migrate
from services.ledger import service as ledger
from services.ledger.taler import START, TOP_UP
from services.lobby import service as lobby
from services.ops.web import readiness
from services.table import service as table
from services.table.desk import Desk
from services.table.service import TableService

SERVICES = (gateway, table, bot, lobby, ledger)
TALER = 120
"""What everybody has when he comes; nobody is given more."""


class House:
    """The running services; `passes` lets time pass for them at once."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self.settings = settings
        self.database = database
        self.tables: TableService | None = None
        self._ahead_ms = 0
        self._still_ms: int | None = None

    def now_ms(self) -> int:
        return (self._still_ms or wall_ms()) + self._ahead_ms

    def passes(self, seconds: float) -> None:
        """Let so much time pass, and let every table look at its clocks."""
        self._ahead_ms += round(seconds * 1_000)
        assert self.tables is not None
        for partition in self.tables.partitions.values():
            for desk in list(partition.desks.values()):
                desk._woken()

    @contextmanager
    def stands_still(self) -> Iterator[None]:
        """Let time pass in here only when `passes` says so."""
        self._still_ms = wall_ms()
        try:
            yield
        finally:
            self._still_ms = None

    def desk(self, table_id: str) -> Desk:
        assert self.tables is not None
        return self.tables.partitions[subjects.partition_of(table_id)].desks[table_id]


class RoomyLimits(Limits):
    """All people of these tests come from one address; tests/gateway has the real limits."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__(clock)
        self.newcomers = Buckets(10_000, 1, clock)


@asynccontextmanager
async def opened(stack: Stack, database_url: str) -> AsyncIterator[House]:
    """Run the services as their processes do, on real clusters, with one clock for all."""
    await migrate(database_url)
    web = _free()
    settings = Settings(
        stack.data,
        database_url,
        stack.nats_url,
        f"http://{web}",
        stack.socket_url,
        stack.secrets,
    )
    stop = skeleton.Stop()
    async with Database(database_url) as database:
        house = House(settings, database)

        def remembered(*ends: object) -> TableService:
            house.tables = TableService(*ends)  # type: ignore[arg-type]
            return house.tables

        with pytest.MonkeyPatch.context() as patch, clock_from(house.now_ms):
            patch.setenv(HTTP, web)
            patch.setenv(START, str(TALER))
            patch.setenv(TOP_UP, "0")
            patch.setattr(gateway, "Limits", RoomyLimits)
            patch.setattr(table, "TableService", remembered)
            running = [_run(service, settings, stop) for service in SERVICES]
            await _ready(settings, running)
            yield house
            stop.set()
            await asyncio.gather(*running)
    assert stop.failed == ""


def _run(service: object, settings: Settings, stop: skeleton.Stop) -> asyncio.Task[None]:
    return asyncio.create_task(service.main(settings, stop))  # type: ignore[attr-defined]


async def _ready(settings: Settings, running: list[asyncio.Task[None]]) -> None:
    """Return when people can log in; raises what ended a service."""
    async with asyncio.timeout(60):
        while not (checks := await readiness(settings.web_url or "")) or not all(checks.values()):
            for each in running:
                if each.done():
                    each.result()
            await asyncio.sleep(0.05)


def _free() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
