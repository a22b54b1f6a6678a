"""The gateway's HTTP: other people's sessions, other sites, other paths, and bodies that are none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import Final, NamedTuple, Self

from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar
from yarl import URL

from contracts.gateway import Session
from services.kit.console.failure import Failure
from services.ops.trials.curiosity.scene import Scene
from services.ops.trials.entry import Browser

GROUP: Final = "HTTP"
COOKIE: Final = "logbuch_session"
_JSON: Final = {"Content-Type": "application/json"}
_ANSWER_S: Final = 15.0


class Person(Browser):
    """A browser whose owner looks into it."""

    @property
    def cookie(self) -> str:
        """The cookie of his session, "" when there is none."""
        found = (each.value for each in self._http.cookie_jar if each.key == COOKIE)
        return next(found, "")


class Request(NamedTuple):
    """One request, and the statuses that refuse it."""

    what: str
    method: str
    path: str
    refused: tuple[int, ...]
    headers: Mapping[str, str] = _JSON
    body: bytes = b"{}"


class Raw:
    """Sends requests as they are written, with no cookies of its own."""

    def __init__(self, web_url: str) -> None:
        """Know where to send them."""
        self._url = web_url.rstrip("/")
        self._http = ClientSession(
            cookie_jar=DummyCookieJar(), timeout=ClientTimeout(_ANSWER_S), auto_decompress=False
        )

    async def __aenter__(self) -> Self:
        """Lend it."""
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Close it."""
        await self._http.close()

    async def send(self, request: Request) -> tuple[int, bytes]:
        """Give status and everything that was answered, headers too; raises Failure."""
        url = URL(self._url + request.path, encoded=True)
        try:
            async with self._http.request(
                request.method,
                url,
                headers=request.headers,
                data=request.body,
                allow_redirects=False,
            ) as answer:
                head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
                return answer.status, head.encode() + b"\n\n" + await answer.read()
        except (ClientError, TimeoutError) as error:
            raise Failure(f"the gateway does not answer: {type(error).__name__}") from None


def requests(scene: Scene, session: Session, victim_name: str) -> Iterator[Request]:
    """Give all requests that must be refused; `session` is his own."""
    bad, nobody = (HTTPStatus.BAD_REQUEST,), (HTTPStatus.UNAUTHORIZED,)
    for cookie in (
        *("", "x", "a" * 43, session.ticket, session.player, scene.victim, "null", "true"),
        *("' OR 1=1 --", "../../" * 5, "%00", "\\x00"),
    ):
        held = {**_JSON, "Cookie": f"{COOKIE}={cookie}"}
        yield Request("who am I, with a forged cookie", "GET", "/api/me", nobody, held, b"")
        yield Request("a ticket for a forged cookie", "POST", "/api/session", nobody, held)
    yield Request("who am I, without a cookie", "GET", "/api/me", nobody, {}, b"")
    yield Request("a ticket for his own", "GET", "/api/me", nobody, _bearer(session.ticket), b"")
    yield from _bodies(scene, victim_name, bad)
    yield from _sites()
    yield from _paths()
    for password in ("", "passwort", "12345678", "' OR '1'='1"):
        guess = _login(victim_name, password)
        yield Request("a victim's password", "POST", "/api/login", nobody, _JSON, guess)
    taken = (HTTPStatus.CONFLICT,)
    again = _login(victim_name.upper(), "ein anderes Passwort")
    yield Request("a victim's name again", "POST", "/api/register", taken, _JSON, again)
    for name in ("Computer", "Gast 4711", "x", "a\u202eb", "<script>", "Anna\u0000"):
        wrong = (HTTPStatus.UNPROCESSABLE_ENTITY,)
        made = _login(name, "ein gutes Passwort")
        yield Request("a name that is none", "POST", "/api/register", wrong, _JSON, made)


def _bodies(scene: Scene, victim_name: str, bad: tuple[int, ...]) -> Iterator[Request]:
    victims = json.dumps({"player": scene.victim}).encode()
    fields = json.dumps({"name": victim_name, "password": "x" * 8, "player": "x"}).encode()
    large = (HTTPStatus.REQUEST_ENTITY_TOO_LARGE,)
    for what, path, body in (
        ("a guest under a victim's id", "/api/guest", victims),
        ("a session of a victim", "/api/session", victims),
        ("a field too many", "/api/login", fields),
        ("a number for a name", "/api/login", b'{"name": 1, "password": true}'),
        ("a list", "/api/register", b"[]"),
        ("nothing", "/api/register", b""),
        ("deep nesting", "/api/login", b"[" * 3_000),
        ("invalid UTF-8", "/api/login", b'{"name": "\xff", "password": "x"}'),
        ("no JSON", "/api/guest", b"<xml/>"),
    ):
        yield Request(what, "POST", path, bad, _JSON, body)
    text = {"Content-Type": "text/plain"}
    yield Request("JSON that says it is text", "POST", "/api/guest", bad, text)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    yield Request("a form", "POST", "/api/login", bad, form, b"name=a&password=b")
    for path in ("/api/guest", "/api/login", "/api/session"):
        yield Request(
            "a body too large", "POST", path, large, _JSON, b'{"x": "%s"}' % (b"x" * 9_000)
        )


def _sites() -> Iterator[Request]:
    foreign = (HTTPStatus.FORBIDDEN,)
    for origin in ("https://boese.example", "null", "http://localhost.boese.example", "file://"):
        held = {**_JSON, "Origin": origin}
        for path in ("/api/guest", "/api/session", "/api/logout"):
            yield Request(f"from {origin}", "POST", path, foreign, held)


def _paths() -> Iterator[Request]:
    missing = (HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN)
    for path in (
        *(
            "/../../../etc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd",
            "//etc/passwd",
            "/..%2fsecrets.json",
        ),
        *("/secrets.json", "/run.json", "/.git/config", "/api", "/api/", "/api/../metrics/x"),
        *("/api/players", "/api/me/x", "/api/tickets", "/admin", "/debug", "/nats.conf", "/%00"),
    ):
        yield Request("a path that is none", "GET", path, missing, {}, b"")
    wrong = (HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST)
    for method, path in (
        *(("GET", "/api/guest"), ("GET", "/api/login"), ("PUT", "/api/session")),
        *(("DELETE", "/api/me"), ("PATCH", "/api/me"), ("POST", "/metrics"), ("TRACE", "/api/me")),
        *(("POST", "/api/me"), ("OPTIONS", "/api/session"), ("GETX", "/api/me")),
    ):
        yield Request(f"by {method}", method, path, wrong, _JSON)
    told = {**_JSON, "X-HTTP-Method-Override": "POST"}
    yield Request("by another method", "GET", "/api/guest", wrong, told, b"")


def _bearer(ticket: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {ticket}"}


def _login(name: str, password: str) -> bytes:
    return json.dumps({"name": name, "password": password}).encode()
