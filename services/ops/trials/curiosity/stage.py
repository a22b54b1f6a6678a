"""Everybody in his place: the curious player, his victims at their table, and who hears it all."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import NamedTuple

from contracts.gateway import Session
from contracts.subjects import inbox, table_id
from services.kit import nats_bus
from services.kit.bus import Message
from services.kit.nats_bus import NatsBus
from services.kit.settings import Settings
from services.ops.trials.curiosity.player import Curious
from services.ops.trials.curiosity.scene import Scene
from services.ops.trials.curiosity.victims import Victim
from services.ops.trials.curiosity.web import Person, Raw
from services.ops.trials.entry import Addresses


class Stage(NamedTuple):
    """All that the trial works with.

    The listener does not listen yet: where he does, the server cannot say that nobody listens.
    `opening` is the command that opens the curious player's own table. `everything` is what the
    listener with all rights hears. `private` are the victims' tickets, cookies and passwords.
    """

    settings: Settings
    scene: Scene
    curious: Curious
    session: Session
    browser: Person
    opening: str
    victims: tuple[Victim, Victim]
    private: tuple[tuple[str, str], ...]
    everything: list[Message]
    listener: NatsBus
    raw: Raw


@asynccontextmanager
async def staged(settings: Settings) -> AsyncIterator[Stage]:
    """Let everybody come in, and a victim open a table; raises BusError, Cut, Failure."""
    addresses = Addresses.of(settings)
    mark = f"neugier{secrets.token_hex(6)}"
    async with AsyncExitStack() as stack:
        everything: list[Message] = []
        listener = await service(settings, "canary", stack)
        people = [await stack.enter_async_context(Person(addresses)) for _ in range(3)]
        password = secrets.token_urlsafe(12)
        registered = await people[0].register(f"Opfer {secrets.token_hex(4)}", password)
        sessions = [registered, await people[1].guest()]
        session = await people[2].guest()
        curious = Curious(settings, session)
        await curious.come()
        stack.push_async_callback(curious.go)
        one, two = [
            Victim(each, await _connected(person, each, stack), number)
            for number, (person, each) in enumerate(zip(people, sessions, strict=False))
        ]
        for victim in (one, two):
            await stack.enter_async_context(victim.client)
        table = await one.open()
        opening = f"{mark}-mine"
        scene = Scene(
            session.player,
            table_id(session.player, opening),
            (one.player, two.player),
            table,
            mark,
        )
        private = (
            ("a victim's password", password),
            *(("a victim's ticket", each.ticket.rpartition(".")[2]) for each in sessions),
            *(("a victim's cookie", person.cookie) for person in people[:2]),
        )
        raw = await stack.enter_async_context(Raw(addresses.web_url))
        yield Stage(
            settings,
            scene,
            curious,
            session,
            people[2],
            opening,
            (one, two),
            private,
            everything,
            listener,
            raw,
        )


async def service(settings: Settings, user: str, stack: AsyncExitStack) -> NatsBus:
    """Connect as a user of nats.conf; raises BusError, SettingsError."""
    bus = await nats_bus.connect(
        settings.nats_url, user, inbox(user), lambda: None, **settings.login(user)
    )
    stack.push_async_callback(bus.close)
    return bus


async def _connected(person: Person, session: Session, stack: AsyncExitStack) -> NatsBus:
    bus = await person.connect(session)
    stack.push_async_callback(bus.close)
    return bus
