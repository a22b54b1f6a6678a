"""How a trial's people come in: by the gateway's HTTP, then over WebSocket with its ticket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from types import TracebackType
from typing import Final, Self

import msgspec
from aiohttp import ClientError, ClientSession, ClientTimeout, CookieJar

from contracts.gateway import Login, Session
from contracts.subjects import inbox
from services.kit import nats_bus
from services.kit.console.failure import Failure
from services.kit.nats_bus import NatsBus
from services.kit.settings import Settings

_ANSWER_S: Final = 15.0
_session = msgspec.json.Decoder(Session).decode


class Addresses(msgspec.Struct, frozen=True):
    """Where people find the gateway (HTTP) and the bus (WebSocket)."""

    web_url: str
    socket_url: str

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Give those of a running system; raises Failure when one is not known."""
        if not settings.web_url or not settings.socket_url:
            sentence = "set LOGBUCH_WEB_URL and LOGBUCH_SOCKET_URL: trials come in as people do"
            raise Failure(sentence)
        return cls(settings.web_url, settings.socket_url)


class Browser:
    """One person's HTTP session with its cookie, and his connection to the bus."""

    def __init__(self, addresses: Addresses) -> None:
        """Know where to go; nothing is sent yet."""
        self._addresses = addresses
        self._http = ClientSession(
            addresses.web_url,
            cookie_jar=CookieJar(unsafe=True),  # addresses without names are fine here
            timeout=ClientTimeout(_ANSWER_S),
        )

    async def __aenter__(self) -> Self:
        """Lend the browser."""
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Close it; the session stays where it is."""
        await self._http.close()

    async def post(self, path: str, body: bytes = b"{}") -> tuple[int, bytes]:
        """Send JSON and give status and content; raises Failure when nobody answers."""
        headers = {"Content-Type": "application/json"}
        try:
            async with self._http.post(path, data=body, headers=headers) as answer:
                return answer.status, await answer.read()
        except (ClientError, TimeoutError) as error:
            raise Failure(f"the gateway does not answer: {type(error).__name__}") from None

    async def guest(self) -> Session:
        """Come in without an account; raises Failure."""
        return await self._enter("/api/guest", b"{}")

    async def register(self, name: str, password: str) -> Session:
        """Make an account and come in with it; raises Failure."""
        return await self._enter("/api/register", msgspec.json.encode(Login(name, password)))

    async def renew(self) -> Session:
        """Prolong the session; raises Failure."""
        return await self._enter("/api/session", b"{}")

    async def connect(self, session: Session) -> NatsBus:
        """Connect to the bus over WebSocket; raises BusError, OSError."""
        return await nats_bus.connect(
            self._addresses.socket_url,
            session.player,
            inbox(session.player),
            lambda: None,
            token=session.ticket,
        )

    async def _enter(self, path: str, body: bytes) -> Session:
        status, content = await self.post(path, body)
        if status != 200:  # noqa: PLR2004 - OK
            raise Failure(f"{path} is refused with {status}: {content.decode(errors='replace')}")
        return _session(content)


@asynccontextmanager
async def browsers(settings: Settings, count: int) -> AsyncIterator[tuple[Browser, ...]]:
    """Lend so many browsers, and close them in the end."""
    addresses = Addresses.of(settings)
    async with AsyncExitStack() as stack:
        yield tuple([await stack.enter_async_context(Browser(addresses)) for _ in range(count)])
