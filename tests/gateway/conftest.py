"""A gateway with its database and its HTTP, in this process, before the bus of the test run."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession, CookieJar
from aiohttp.test_utils import TestServer

from contracts.subjects import inbox
from deploy.embedded.supervisor import Stack
from services.gateway.accounts import Accounts
from services.gateway.callout import Callout
from services.gateway.connections import Connections
from services.gateway.http import Limits, Parts
from services.gateway.passwords import Passwords
from services.gateway.service import Readiness
from services.gateway.site import application
from services.gateway.tickets import Tickets
from services.gateway.tokens import Key
from services.kit import nats_bus
from services.kit.credentials import load
from services.kit.nats_bus import NatsBus
from services.kit.store.database import Database
from tests.entrance import Entrance


class Gateway:
    """The parts of a gateway; `time` is what its limits measure by."""

    def __init__(self, stack: Stack, accounts: Accounts, door: NatsBus) -> None:
        keys = load(stack.secrets)
        self.time = 0.0
        self.accounts = accounts
        self.door = door
        self.tickets = Tickets(keys.tickets)
        self.connections = Connections(door)
        self.callout = Callout(door, Key(keys.issuer), self.tickets, accounts)
        self.parts = Parts(
            accounts,
            self.tickets,
            Passwords(),
            Limits(lambda: self.time),
            self.connections.end,
            Readiness(stack.nats_url, door, accounts, self.tickets),
            stack.socket_url,
            secure=False,
        )


@pytest.fixture
async def accounts(log_url: str) -> AsyncIterator[Accounts]:
    async with Database(log_url) as database:
        yield Accounts(database)


@pytest.fixture
async def gateway(stack: Stack, accounts: Accounts) -> AsyncIterator[Gateway]:
    """The one gateway of the bus, for this test."""
    login = load(stack.secrets).login("doorkeeper")
    door = await nats_bus.connect(
        stack.nats_url, "door", inbox("doorkeeper"), lambda: None, 10.0, **login
    )
    gateway = Gateway(stack, accounts, door)
    await gateway.connections.open()
    stop = asyncio.Event()
    serving = asyncio.create_task(gateway.callout.serve(stop))
    yield gateway
    stop.set()
    await serving
    await door.close()


@pytest.fixture
async def entrance(stack: Stack, gateway: Gateway) -> AsyncIterator[Entrance]:  # noqa: ARG001
    """Come in by the door of this folder's gateway, which lets only test players in by tickets."""
    entrance = Entrance(stack)
    yield entrance
    await entrance.close()


@pytest.fixture
async def site(gateway: Gateway) -> AsyncIterator[TestServer]:
    server = TestServer(application(gateway.parts))
    async with server:
        yield server


@pytest.fixture
async def browser(site: TestServer) -> AsyncIterator[ClientSession]:
    """A browser with a cookie jar of its own, at the site."""
    async with ClientSession(site.make_url("/"), cookie_jar=CookieJar(unsafe=True)) as session:
        yield session


@pytest.fixture
async def other(site: TestServer) -> AsyncIterator[ClientSession]:
    async with ClientSession(site.make_url("/"), cookie_jar=CookieJar(unsafe=True)) as session:
        yield session
