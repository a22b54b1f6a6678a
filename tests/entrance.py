"""How tests come in to the bus: players by tickets, services by password, and a stranger by force."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from contracts.gateway import Kind
from contracts.subjects import inbox, is_registered
from deploy.embedded.nats import CONFIG
from deploy.embedded.supervisor import Stack
from services.gateway.callout import Callout
from services.gateway.connections import Connections
from services.gateway.tickets import Pass, Tickets
from services.gateway.tokens import Key
from services.kit import nats_bus
from services.kit.credentials import Credentials, load
from services.kit.nats_bus import NatsBus

MASTER = "master"
"""A user who may do everything in the account of players and services; in tests alone."""
_USERS = "    jetstream: enabled\n    users: [\n"
_AUTH = "    auth_users: [\n"
_numbers = itertools.count(1)


def config_with_master(folder: Path) -> Path:
    """Write the real configuration, and one more user, to a file."""
    text = CONFIG.read_text()
    assert text.count(_USERS) == text.count(_AUTH) == 1
    text = text.replace(_USERS, f"{_USERS}      {{ user: {MASTER}, password: {MASTER} }}\n")
    path = folder / "nats.conf"
    path.write_text(text.replace(_AUTH, f"{_AUTH}      {MASTER},\n"))
    return path


class AdmitAll:
    """Tickets alone decide, as in a database without memory."""

    async def admit(self, _ticket: Pass) -> str:
        return ""


@asynccontextmanager
async def doorkeeping(stack: Stack) -> AsyncIterator[None]:
    """Answer the server's questions, and let the newest connection of a player win."""
    keys = load(stack.secrets)
    login = keys.login("doorkeeper")
    door = await nats_bus.connect(
        stack.nats_url, "door", inbox("doorkeeper"), lambda: None, 10.0, **login
    )
    await Connections(door).open()
    stop = asyncio.Event()
    callout = Callout(door, Key(keys.issuer), Tickets(keys.tickets), AdmitAll())
    serving = asyncio.create_task(callout.serve(stop))
    yield
    stop.set()
    await serving
    await door.close()


class Entrance:
    """Makes connections and closes them all in the end."""

    def __init__(self, stack: Stack) -> None:
        self.credentials: Credentials = load(stack.secrets)
        self.tickets = Tickets(self.credentials.tickets)
        self._url = stack.nats_url
        self._made: list[NatsBus] = []

    def ticket(self, player: str) -> str:
        kind: Kind = "person" if is_registered(player) else "guest"
        return self.tickets.write(player, kind, "", next(_numbers))[0]

    async def player(self, player: str, url: str = "") -> NatsBus:
        """Connect as a player does."""
        return await self._connect(url or self._url, player, token=self.ticket(player))

    async def service(self, user: str) -> NatsBus:
        """Connect as a user of nats.conf."""
        return await self._connect(self._url, user, **self.credentials.login(user))

    async def master(self, name: str) -> NatsBus:
        """Connect with all rights and the inbox of `name`."""
        return await self._connect(self._url, name, user=MASTER, password=MASTER)

    async def close(self) -> None:
        for bus in self._made:
            await bus.close()

    async def _connect(self, url: str, name: str, **login: str) -> NatsBus:
        bus = await nats_bus.connect(url, name, inbox(name), lambda: None, 10.0, **login)
        self._made.append(bus)
        return bus
