"""Test players for operators' tools: they come in through the same door as everybody."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import msgspec

from contracts.gateway import Ticket, TicketQuery, TicketReply
from contracts.replies import Rejected
from contracts.subjects import TICKET, inbox
from services.kit import nats_bus
from services.kit.console.failure import Failure
from services.kit.nats_bus import NatsBus
from services.kit.settings import Settings

_ANSWER_S: Final = 10.0
_reply: msgspec.json.Decoder[TicketReply] = msgspec.json.Decoder(TicketReply)


class Door:
    """Lets test players in, and closes their connections in the end."""

    def __init__(self, settings: Settings, ops: NatsBus, opened: AsyncExitStack) -> None:
        """Ask for tickets with the rights of `ops`."""
        self._settings = settings
        self._ops = ops
        self._opened = opened

    async def ticket(self, player: str) -> str:
        """Give a ticket of this test player; raises Failure, BusError."""
        question = msgspec.json.encode(TicketQuery(player))
        answer = _reply.decode(await self._ops.request(TICKET, question, _ANSWER_S))
        match answer:
            case Ticket(ticket=ticket):
                return ticket
            case Rejected(sentence=sentence):
                raise Failure(f"the gateway gives no ticket: {sentence}")

    async def connect(self, player: str) -> NatsBus:
        """Connect as this test player; raises Failure, BusError."""
        bus = await nats_bus.connect(
            self._settings.nats_url,
            player,
            inbox(player),
            lambda: None,
            token=await self.ticket(player),
        )
        self._opened.push_async_callback(bus.close)
        return bus


@asynccontextmanager
async def door(settings: Settings) -> AsyncIterator[Door]:
    """Lend the door of a running system; raises BusError, SettingsError."""
    async with AsyncExitStack() as opened:
        login = settings.login("ops")
        ops = await nats_bus.connect(settings.nats_url, "ops", inbox("ops"), lambda: None, **login)
        opened.push_async_callback(ops.close)
        yield Door(settings, ops, opened)
