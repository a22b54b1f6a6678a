"""One house for the whole folder, and its door."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from deploy.embedded.supervisor import Stack
from services.kit.client import PlayerClient
from services.ops.trials.entry import Addresses, Browser
from tests.conftest import fresh_database
from tests.features.house import House, opened
from tests.features.people import Person

Come = Callable[..., Awaitable[Person]]
_numbers = itertools.count(1)


@pytest.fixture(scope="package")
def house_database_url(stack: Stack) -> Iterator[str]:
    yield from fresh_database(stack)


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def house(stack: Stack, house_database_url: str) -> AsyncIterator[House]:
    async with opened(stack, house_database_url) as house:
        yield house


@pytest.fixture
async def browser(house: House) -> AsyncIterator[Browser]:
    """Somebody who has not come in yet."""
    async with Browser(Addresses.of(house.settings)) as browser:
        yield browser


@pytest.fixture
async def come(house: House) -> AsyncIterator[Come]:
    """Let somebody in: with an account under a name that nobody has yet, or as a guest."""
    async with AsyncExitStack() as stack:

        async def come(name: str = "Gast") -> Person:
            browser = await stack.enter_async_context(Browser(Addresses.of(house.settings)))
            if name == "Gast":
                session = await browser.guest()
            else:
                session = await browser.register(f"{name} {next(_numbers)}", "sehr geheim")
            bus = await browser.connect(session)
            stack.push_async_callback(bus.close)
            client = PlayerClient(bus, session.player, patience_s=20)
            await stack.enter_async_context(client)
            return Person(browser, session, bus, client)

        yield come
