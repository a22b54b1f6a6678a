"""The newest connection of a player wins: the server tells who came, and ends the older one.

Nothing is kept here. At every arrival the servers are asked for that player's connections, so it
does not matter which gateway asks, nor whether one was restarted meanwhile.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from typing import Final, NamedTuple

import msgspec
import structlog
from msgspec import Struct

from contracts.subjects import is_player
from services.gateway.callout import ACCOUNT
from services.gateway.metrics import ENDED
from services.kit.bus import Message
from services.kit.nats_bus import NatsBus

ARRIVALS: Final = f"$SYS.ACCOUNT.{ACCOUNT}.CONNECT"
_LIST: Final = "$SYS.REQ.SERVER.PING.CONNZ"
_ASKED_MAX: Final = 10_000
_LISTED_MAX: Final = 100

log = structlog.get_logger(__name__)


class _Link(NamedTuple):
    """A connection; of two, the greater is the newer."""

    start: str
    """RFC 3339 in UTC. Servers cut trailing zeros, so it is brought to one length first."""
    server: str
    number: int


class _Server(Struct):
    id: str


class _Client(Struct):
    id: int
    start: str
    user: str = ""


class _Arrival(Struct):
    server: _Server
    client: _Client


class _Listed(Struct):
    cid: int
    start: str
    authorized_user: str = ""


class _Page(Struct):
    connections: tuple[_Listed, ...] = ()


class _Answer(Struct):
    server: _Server
    data: _Page


_arrival = msgspec.json.Decoder(_Arrival).decode
_answer = msgspec.json.Decoder(_Answer).decode


class _Asked(NamedTuple):
    player: str
    newest: _Link | None  # None: end them all


class Connections:
    """Watches over the players' connections."""

    def __init__(self, bus: NatsBus) -> None:
        """Watch through this bus, which must be in the system account."""
        self._bus = bus
        self._replies = f"{bus.inbox}.{secrets.token_hex(8)}"
        self._asked: OrderedDict[str, _Asked] = OrderedDict()
        self._count = 0

    async def open(self) -> None:
        """Watch from now on, for as long as the bus is open."""
        await self._bus.subscribe(f"{self._replies}.*", self._listed)
        await self._bus.subscribe(ARRIVALS, self._arrived, queue="gateway")

    def end(self, player: str) -> None:
        """End all connections that this player has now."""
        self._ask(_Asked(player, None))

    def _arrived(self, message: Message) -> None:
        arrival = _arrival(message.data)
        client = arrival.client
        if is_player(client.user):
            link = _Link(_even(client.start), arrival.server.id, client.id)
            self._ask(_Asked(client.user, link))

    def _ask(self, asked: _Asked) -> None:
        self._count += 1
        token = str(self._count)
        self._asked[token] = asked
        if len(self._asked) > _ASKED_MAX:
            self._asked.popitem(last=False)
        query = {"acc": ACCOUNT, "user": asked.player, "auth": True, "limit": _LISTED_MAX}
        self._bus.ask_all(_LIST, msgspec.json.encode(query), f"{self._replies}.{token}")

    def _listed(self, message: Message) -> None:
        """End the older of each pair that one of the servers tells of."""
        asked = self._asked.get(message.subject.rpartition(".")[2])
        if asked is None:
            return
        answer = _answer(message.data)
        for each in answer.data.connections:
            link = _Link(_even(each.start), answer.server.id, each.cid)
            if each.authorized_user == asked.player and link != asked.newest:
                self._end(link if asked.newest is None else min(link, asked.newest), asked.player)

    def _end(self, link: _Link, player: str) -> None:
        ENDED.inc()
        log.info("connection_ended", player=player)
        body = msgspec.json.encode({"cid": link.number})
        # The server passes over what asks for no answer; this one is looked at by nobody.
        self._bus.ask_all(f"$SYS.REQ.SERVER.{link.server}.KICK", body, f"{self._replies}.ended")


def _even(start: str) -> str:
    whole, _, fraction = start.rstrip("Z").partition(".")
    return f"{whole}.{fraction:0<9}"
