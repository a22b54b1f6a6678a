"""The gateway over HTTP: log in, get tickets, log out; all bodies are small, strict JSON."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final, NamedTuple, TypeVar

import msgspec
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from contracts.gateway import Login, Me, Nothing, Session, Trouble
from contracts.subjects import inbox
from services.gateway import passwords as password_rules
from services.gateway.accounts import SESSION_S, Accounts, NameTaken, Player, session_of
from services.gateway.metrics import REGISTRY
from services.gateway.names import key_of, name_of
from services.gateway.passwords import Passwords, TooBusy
from services.gateway.problems import Refusal
from services.gateway.tickets import Tickets
from services.kit.buckets import Buckets
from services.kit.store.model import StoreUnavailable

BODY_BYTES_MAX: Final = 4_096
COOKIE: Final = "logbuch_session"
T = TypeVar("T")
_encode = msgspec.json.encode


class Limits:
    """How often an address, or anybody under a name, may try."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Measure time with `clock`."""
        self.names = Buckets(10, 1 / 60, clock)
        self.logins = Buckets(30, 1 / 10, clock)
        self.newcomers = Buckets(60, 1 / 5, clock)

    @staticmethod
    def take(buckets: Buckets, key: str) -> None:
        """Count a try; raises Refusal when there were too many."""
        if not buckets.take(key):
            raise Refusal(Trouble.TOO_MANY, "Too many attempts; wait a minute.")


class Parts(NamedTuple):
    """What the site hangs on; `ready` says what is not working, `end` ends a player's connections."""

    accounts: Accounts
    tickets: Tickets
    passwords: Passwords
    limits: Limits
    end: Callable[[str], None]
    ready: Callable[[], Awaitable[dict[str, bool]]]
    socket_url: str
    secure: bool


class Site:
    """The handlers."""

    def __init__(self, parts: Parts) -> None:
        """Serve with these parts."""
        self._parts = parts

    def routes(self) -> list[web.RouteDef]:
        """Give the routes."""
        return [
            web.post("/api/guest", self.guest),
            web.post("/api/register", self.register),
            web.post("/api/login", self.login),
            web.post("/api/session", self.session),
            web.post("/api/logout", self.logout),
            web.get("/api/me", self.me),
            web.get("/livez", self.livez),
            web.get("/readyz", self.readyz),
            web.get("/metrics", self.metrics),
        ]

    async def guest(self, request: web.Request) -> web.Response:
        """Make a guest and begin his session; who is logged in already stays who he is."""
        await _body(request, Nothing)
        if (known := await self._who(request)) is not None:
            return await self._granted(known, request.cookies[COOKIE])
        self._parts.limits.take(self._parts.limits.newcomers, _address(request))
        return await self._begun(await self._parts.accounts.add_guest())

    async def register(self, request: web.Request) -> web.Response:
        """Make an account and begin its session."""
        body = await _body(request, Login)
        shortest, longest = password_rules.LENGTH
        name = name_of(body.name)
        if name is None:
            sentence = "A name has 2 to 20 letters, digits, spaces or - _ . ' and a letter."
            raise Refusal(Trouble.BAD_NAME, sentence)
        if not shortest <= len(body.password) <= longest:
            raise Refusal(Trouble.BAD_PASSWORD, f"Use {shortest} to {longest} characters.")
        self._parts.limits.take(self._parts.limits.newcomers, _address(request))
        hashed = await self._parts.passwords.hashed(body.password)
        try:
            return await self._begun(await self._parts.accounts.add_person(name, hashed))
        except NameTaken:
            raise Refusal(Trouble.NAME_TAKEN, "That name is taken.") from None

    async def login(self, request: web.Request) -> web.Response:
        """Begin a session of an account."""
        body = await _body(request, Login)
        limits = self._parts.limits
        limits.take(limits.logins, _address(request))
        limits.take(limits.names, key_of(body.name))
        found = await self._parts.accounts.find(body.name)
        hashed = None if found is None else found[1]
        fits = await self._parts.passwords.fits(body.password, hashed)
        if found is None or hashed is None or not fits:
            raise Refusal(Trouble.WRONG_LOGIN, "No account has this name and password.")
        player, _ = found
        if self._parts.passwords.is_outdated(hashed):
            fresh = await self._parts.passwords.hashed(body.password)
            await self._parts.accounts.set_password(player.player, fresh)
        return await self._begun(player)

    async def session(self, request: web.Request) -> web.Response:
        """Prolong the session and give a new ticket."""
        await _body(request, Nothing)
        return await self._granted(await self._known(request), request.cookies[COOKIE])

    async def logout(self, request: web.Request) -> web.Response:
        """End the session, and the player's connection; without a session nothing happens."""
        await _body(request, Nothing)
        if cookie := request.cookies.get(COOKIE):
            player = await self._parts.accounts.log_out(cookie)
            if player is not None:
                self._parts.end(player)
        answer = _answer({})
        answer.del_cookie(COOKIE, path="/")
        return answer

    async def me(self, request: web.Request) -> web.Response:
        """Tell who the session belongs to."""
        known = await self._known(request)
        return _answer(Me(known.player, known.name, known.kind))

    async def livez(self, _request: web.Request) -> web.Response:
        """Tell that the process serves."""
        return web.Response(text="ok\n")

    async def readyz(self, _request: web.Request) -> web.Response:
        """Tell whether people can log in and connect; 503 when not, with what is missing."""
        checks = await self._parts.ready()
        return _answer(checks, 200 if all(checks.values()) else 503)

    async def metrics(self, _request: web.Request) -> web.Response:
        """Give the counts as Prometheus reads them."""
        return web.Response(
            body=generate_latest(REGISTRY), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    async def _who(self, request: web.Request) -> Player | None:
        cookie = request.cookies.get(COOKIE)
        return None if not cookie else await self._parts.accounts.who(cookie)

    async def _known(self, request: web.Request) -> Player:
        known = await self._who(request)
        if known is None:
            raise Refusal(Trouble.NOT_LOGGED_IN, "There is no session; log in first.")
        return known

    async def _begun(self, player: Player) -> web.Response:
        cookie = await self._parts.accounts.log_in(player.player)
        return await self._granted(player, cookie)

    async def _granted(self, player: Player, cookie: str) -> web.Response:
        number = await self._parts.accounts.renew(cookie)
        ticket, expires = self._parts.tickets.write(
            player.player, player.kind, session_of(cookie), number
        )
        socket = self._parts.socket_url
        answer = _answer(
            Session(
                player.player,
                player.name,
                player.kind,
                ticket,
                expires,
                socket,
                inbox(player.player),
            )
        )
        answer.set_cookie(
            COOKIE,
            cookie,
            max_age=SESSION_S,
            path="/",
            httponly=True,
            samesite="Strict",
            secure=self._parts.secure,
        )
        return answer


async def _body(request: web.Request, kind: type[T]) -> T:
    """Give the decoded body, an empty one like `{}`; raises Refusal."""
    _check_origin(request)
    try:
        data = await request.read()
    except web.HTTPRequestEntityTooLarge:
        sentence = f"A body has at most {BODY_BYTES_MAX} bytes."
        raise Refusal(Trouble.TOO_LARGE, sentence) from None
    if data and request.content_type != "application/json":
        raise Refusal(Trouble.MALFORMED, "Send JSON with the content type application/json.")
    try:
        return msgspec.json.decode(data or b"{}", type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        # Its text names fields and types, never values.
        reason = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        sentence = f"The body does not fit its schema: {reason}."
        raise Refusal(Trouble.MALFORMED, sentence) from None


def _check_origin(request: web.Request) -> None:
    """Refuse what another site makes a browser send; the cookie's SameSite says so, too."""
    origin = request.headers.get("Origin")
    if origin is not None and origin.partition("://")[2] != request.host:
        raise Refusal(Trouble.FOREIGN_ORIGIN, "This was sent by another site.")


def _address(request: web.Request) -> str:
    return request.remote or ""


def _answer(content: object, status: int = 200) -> web.Response:
    return web.Response(
        body=_encode(content),
        status=status,
        content_type="application/json",
        headers={"Cache-Control": "no-store"},
    )


def refusal_of(error: Exception) -> Refusal | None:
    """Give the refusal that an error means, None when it is a bug."""
    match error:
        case Refusal():
            return error
        case StoreUnavailable():
            return Refusal(Trouble.UNAVAILABLE, "The database is not available; try again.")
        case TooBusy():
            return Refusal(Trouble.BUSY, "Too many log in at the moment; try again.")
        case web.HTTPException(status=status) if status >= HTTPStatus.BAD_REQUEST:
            return Refusal(Trouble.NOT_FOUND, f"{HTTPStatus(status).phrase}.")
        case _:
            return None


def told(refusal: Refusal) -> web.Response:
    """Give the answer for a refusal."""
    return _answer(refusal.problem, refusal.status)


def probe(check: Callable[[], Awaitable[None]], wait_s: float) -> Callable[[], Awaitable[bool]]:
    """Make of a check, which raises or hangs when something is wrong, one that says so."""

    @functools.wraps(check)
    async def works() -> bool:
        try:
            async with asyncio.timeout(wait_s):
                await check()
        except Exception:  # noqa: BLE001 - whatever it is, it does not work
            return False
        return True

    return works
