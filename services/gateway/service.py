"""The gateway service: the door of the bus, and accounts over HTTP. Any number of them may run."""

from __future__ import annotations

import asyncio
import os
import secrets
from contextlib import AsyncExitStack
from functools import partial
from typing import Final

import msgspec
import structlog
from aiohttp import web

from contracts import subjects
from contracts.gateway import Names, NamesQuery, Ticket, TicketQuery
from domain.refusals import Code, Refused
from services.gateway.accounts import Accounts
from services.gateway.callout import Callout
from services.gateway.connections import Connections
from services.gateway.http import Limits, Parts, probe
from services.gateway.passwords import Passwords
from services.gateway.site import application
from services.gateway.tickets import Tickets
from services.gateway.tokens import Key
from services.kit import nats_bus
from services.kit.answering import Answering, question
from services.kit.bus import Message
from services.kit.nats_bus import NatsBus
from services.kit.settings import HTTP, Settings, SettingsError
from services.kit.skeleton import Stop
from services.kit.store.database import Database
from services.kit.store.model import StoreUnavailable

NAME: Final = "gateway"
DOORKEEPER: Final = "doorkeeper"
"""The user in the system account."""
HTTP_DEFAULT: Final = "127.0.0.1:8080"
FORGET_S: Final = 3_600.0
READY_S: Final = 3.0
"""Seconds after which a check of readiness has failed, and for which its outcome holds."""

log = structlog.get_logger(__name__)
_ticket = msgspec.json.Decoder(TicketQuery)
_names = msgspec.json.Decoder(NamesQuery)


class Desk:
    """Answers the questions on the bus: names for everybody, tickets for operators' tools."""

    def __init__(self, accounts: Accounts, tickets: Tickets) -> None:
        """Answer from these accounts."""
        self._accounts = accounts
        self._tickets = tickets

    async def names(self, message: Message) -> Names:
        """Give the names of players."""
        query: NamesQuery = question(_names, message.data)
        return Names(await self._accounts.names(query.players))

    async def ticket(self, message: Message) -> Ticket:
        """Give a ticket of a test player; the server lets only operators ask for one."""
        query: TicketQuery = question(_ticket, message.data)
        if not (subjects.is_player(query.player) and subjects.is_test(query.player)):
            raise Refused(Code.MALFORMED, "Only test players (p_test_...) are given out here.")
        number = await self._accounts.next_number()
        ticket, expires = self._tickets.write(query.player, "person", "", number)
        return Ticket(query.player, ticket, expires)


class Readiness:
    """Whether people can log in and connect: asked of the database and of the bus's own door."""

    def __init__(self, nats_url: str, bus: NatsBus, accounts: Accounts, tickets: Tickets) -> None:
        """Look at these."""
        self._nats_url = nats_url
        self._bus = bus
        self._accounts = accounts
        self._tickets = tickets
        self._player = f"p_test_ready_{secrets.token_hex(4)}"
        self._looking = asyncio.Lock()
        self._seen: dict[str, bool] = {}
        self._seen_at = float("-inf")

    async def __call__(self) -> dict[str, bool]:
        """Give what works, at most READY_S old."""
        async with self._looking:
            loop = asyncio.get_running_loop()
            if loop.time() - self._seen_at > READY_S:
                self._seen = {
                    "bus": self._bus.connected,
                    "database": await probe(self._accounts.reachable, READY_S)(),
                    "callout": await probe(self._come_in, READY_S)(),
                }
                self._seen_at = loop.time()
            return self._seen

    async def _come_in(self) -> None:
        """Connect as a player does; raises when that is not possible."""
        player = self._player
        number = await self._accounts.next_number()
        ticket, _ = self._tickets.write(player, "person", "", number)
        bus = await nats_bus.connect(
            self._nats_url, player, subjects.inbox(player), lambda: None, READY_S, token=ticket
        )
        await bus.close()


async def main(settings: Settings, stop: Stop) -> None:
    """Serve on the configured clusters until `stop` is set."""
    on_closed = partial(stop.fail, "the bus connection was closed")
    keys = settings.credentials
    tickets = Tickets(keys.tickets)
    url = settings.nats_url
    async with AsyncExitStack() as stack:
        database = Database(settings.database_url, name=NAME, size=8)
        accounts = Accounts(await stack.enter_async_context(database))
        bus = await nats_bus.connect(
            url, NAME, subjects.inbox(NAME), on_closed, **settings.login(NAME)
        )
        stack.push_async_callback(bus.close)
        door = await nats_bus.connect(
            url, NAME, subjects.inbox(DOORKEEPER), on_closed, **settings.login(DOORKEEPER)
        )
        stack.push_async_callback(door.close)
        connections = Connections(door)
        await connections.open()
        desk = Desk(accounts, tickets)
        ready = Readiness(url, bus, accounts, tickets)
        parts = Parts(
            accounts,
            tickets,
            Passwords(),
            Limits(asyncio.get_running_loop().time),
            connections.end,
            ready,
            settings.socket_url or "",
            secure=(settings.web_url or "").startswith("https:"),
        )
        async with asyncio.TaskGroup() as group:
            group.create_task(Callout(door, Key(keys.issuer), tickets, accounts).serve(stop))
            group.create_task(Answering(bus, subjects.NAMES, NAME, desk.names).serve(stop))
            group.create_task(Answering(bus, subjects.TICKET, NAME, desk.ticket).serve(stop))
            forgetting = group.create_task(_forget(accounts))
            await serve_http(application(parts), os.environ.get(HTTP) or HTTP_DEFAULT, stop)
            forgetting.cancel()


async def serve_http(app: web.Application, where: str, stop: asyncio.Event) -> None:
    """Serve until `stop` is set, then finish what has begun; raises SettingsError, OSError."""
    host, _, port = where.rpartition(":")
    if not host or not port.isdecimal():
        raise SettingsError(f"{HTTP} is not of the form host:port")
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=3.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, int(port)).start()
        log.info("http_started")
        await stop.wait()
    finally:
        await runner.cleanup()


async def _forget(accounts: Accounts) -> None:
    """Remove from time to time what has ended; never returns."""
    while True:
        try:
            await accounts.forget()
        except StoreUnavailable:
            log.warning("gateway_cannot_forget")
        await asyncio.sleep(FORGET_S)
