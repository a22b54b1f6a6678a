"""The bot service on a real bus."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from services.bot.service import BotService
from services.kit import nats_bus
from services.kit.clock import clock_from
from tests.bot.tables import NOW, TABLE, Tables
from tests.entrance import Entrance


@pytest.fixture
def now() -> Iterator[list[int]]:
    times = [NOW]
    with clock_from(lambda: times[0]):
        yield times


@pytest.fixture
async def bus(entrance: Entrance) -> nats_bus.NatsBus:
    return await entrance.service("bot")


@pytest.fixture
async def house(entrance: Entrance) -> nats_bus.NatsBus:
    return await entrance.service("table")


@pytest.fixture
def service(bus: nats_bus.NatsBus) -> BotService:
    return BotService(bus)


@pytest.fixture
async def tables(
    bus: nats_bus.NatsBus,
    house: nats_bus.NatsBus,
    service: BotService,
    now: list[int],  # noqa: ARG001 - prompts have a deadline
) -> AsyncIterator[Tables]:
    tables = Tables(house, service)
    subscription = await house.subscribe(f"cmd.bot.07.{TABLE}.decide", tables.take)
    stop = asyncio.Event()
    serving = asyncio.create_task(service.serve(stop))
    # Round trips one after the other: when these are made, serve has subscribed as well.
    for _ in range(3):
        await bus.subscribe(f"{bus.inbox}.ready", lambda _message: None)
    yield tables
    stop.set()
    await serving
    await subscription.close()
