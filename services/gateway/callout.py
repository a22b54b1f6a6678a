"""The auth callout: the server asks who a client is, and gets rights that it can check itself.

See https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_callout: requests
and answers are tokens. The server passes no reason on to a refused client, but logs it, so reasons
are constants and name nobody.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

import structlog
from msgspec import Struct

from contracts.rights import PAYLOAD_BYTES_MAX, SUBSCRIPTIONS_MAX, may_publish, may_subscribe
from contracts.subjects import is_player
from services.gateway.metrics import ADMISSIONS
from services.gateway.tickets import Pass, Tickets
from services.gateway.tokens import BadToken, Key, read
from services.kit.bus import Bus, Message
from services.kit.store.model import StoreUnavailable
from services.kit.workers import work_off

REQUESTS: Final = "$SYS.REQ.USER.AUTH"
ACCOUNT: Final = "LOGBUCH"
WAITING_MAX: Final = 2_000
"""After an outage everybody comes at once; whom we cannot answer in time comes again."""
WORKERS: Final = 8
_AUDIENCE: Final = "nats-authorization-request"
_REPLIES: Final = "$SYS._INBOX."

log = structlog.get_logger(__name__)


class Admission(Protocol):
    """Knows which tickets still count."""

    async def admit(self, ticket: Pass) -> str:
        """Give "" when the holder may come in, else why not; raises StoreUnavailable.

        From then on tickets of this player with a smaller number are worthless.
        """
        ...


class _Server(Struct):
    id: str


class _Options(Struct):
    auth_token: str = ""


class _Question(Struct):
    server_id: _Server
    user_nkey: str
    connect_opts: _Options


class _Request(Struct):
    iss: str
    aud: str
    nats: _Question


class Callout:
    """Answers the server's questions; several may share them."""

    def __init__(self, bus: Bus, issuer: Key, tickets: Tickets, admission: Admission) -> None:
        """Answer on this bus, which must be in the account that nats.conf names for it."""
        self._bus = bus
        self._issuer = issuer
        self._tickets = tickets
        self._admission = admission
        self._waiting: asyncio.Queue[Message] = asyncio.Queue(WAITING_MAX)

    async def serve(self, stop: asyncio.Event) -> None:
        """Answer until `stop` is set."""
        subscription = await self._bus.subscribe(REQUESTS, self._take, queue="gateway")
        await work_off(self._waiting, self._work, WORKERS, subscription, stop)

    def _take(self, message: Message) -> None:
        if not message.reply.startswith(_REPLIES):
            return
        try:
            self._waiting.put_nowait(message)
        except asyncio.QueueFull:
            ADMISSIONS.labels("full").inc()

    async def _work(self, message: Message) -> None:
        try:
            self._bus.publish(message.reply, await self.answer(message.data))
        except BadToken:
            ADMISSIONS.labels("malformed").inc()
            log.warning("callout_malformed")
        except StoreUnavailable:
            # No answer is better than a refusal: a client gives up after two of those, but
            # comes again when the server tells it that nobody answered in time.
            ADMISSIONS.labels("unavailable").inc()
            log.warning("callout_without_database")
        except Exception as error:  # noqa: BLE001 - one client must not end the service
            ADMISSIONS.labels("failed").inc()
            log.error("callout_failed", error=type(error).__name__)  # noqa: TRY400

    async def answer(self, request: bytes) -> bytes:
        """Give the signed answer to a server's signed question.

        Raises BadToken when it is none, StoreUnavailable when it cannot be known who may come in.
        """
        asked = read(request, _Request)
        question = asked.nats
        if asked.aud != _AUDIENCE or asked.iss != question.server_id.id or asked.iss[:1] != "N":
            raise BadToken("not a question of a server")
        said = await self._said(question)
        ADMISSIONS.labels("refused" if "error" in said else "admitted").inc()
        answer = {
            "aud": question.server_id.id,
            "sub": question.user_nkey,
            "nats": {**said, "type": "authorization_response", "version": 2},
        }
        return self._issuer.sign(answer).encode()

    async def _said(self, question: _Question) -> dict[str, str]:
        try:
            ticket = self._tickets.judge(question.connect_opts.auth_token)
            if not is_player(ticket.player):
                return {"error": "not a player"}
            reason = await self._admission.admit(ticket)
        except BadToken as bad:
            return {"error": str(bad)}
        return {"error": reason} if reason else {"jwt": self._rights(question.user_nkey, ticket)}

    def _rights(self, user_key: str, ticket: Pass) -> str:
        """Give the rights of a player, for as long as his ticket is good."""
        return self._issuer.sign(
            {
                "aud": ACCOUNT,
                "sub": user_key,
                "name": ticket.player,
                "exp": ticket.exp,
                "nats": {
                    "pub": {"allow": may_publish(ticket.player)},
                    "sub": {"allow": may_subscribe(ticket.player)},
                    "subs": SUBSCRIPTIONS_MAX,
                    "payload": PAYLOAD_BYTES_MAX,
                    "data": -1,
                    "type": "user",
                    "version": 2,
                },
            }
        )
