"""The gateway over HTTP: guests, accounts, sessions, tickets, and what it refuses."""

import json
from typing import Any

import pytest
from aiohttp import ClientResponse, ClientSession
from argon2 import PasswordHasher
from structlog.testing import capture_logs

from contracts.gateway import Trouble
from contracts.subjects import inbox, is_player, is_registered
from deploy.embedded.supervisor import Stack
from services.gateway import passwords
from services.gateway.accounts import Accounts
from services.gateway.http import BODY_BYTES_MAX, COOKIE
from services.kit import nats_bus
from services.kit.store.database import Database
from tests.bus.harness import eventually
from tests.gateway.conftest import Gateway

PASSWORD = "correct horse"
ANNA = {"name": "Anna", "password": PASSWORD}


async def post(client: ClientSession, path: str, body: object = None) -> dict[str, Any]:
    """Post JSON; the status stands beside what the answer says."""
    async with client.post(path, json={} if body is None else body) as answer:
        return await said(answer)


async def said(answer: ClientResponse) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(await answer.read())
    if "code" in content:
        assert set(content) == {"code", "sentence", "text"}
        assert all(content.values())
    return {**content, "status": answer.status}


async def get(client: ClientSession, path: str) -> dict[str, Any]:
    async with client.get(path) as answer:
        return await said(answer)


async def test_a_guest_logs_in_and_connects_with_the_ticket(
    browser: ClientSession, stack: Stack
) -> None:
    session = await post(browser, "/api/guest")

    player = session["player"]
    assert session["status"] == 200
    assert session["kind"] == "guest"
    assert is_player(player)
    assert not is_registered(player)
    assert session["name"].startswith("Gast ")
    assert session["inbox"] == inbox(player)
    assert session["socket"] == stack.socket_url
    bus = await nats_bus.connect(
        session["socket"], player, session["inbox"], lambda: None, token=session["ticket"]
    )
    assert bus.connected
    await bus.close()
    me = await get(browser, "/api/me")
    assert me == {"player": player, "name": session["name"], "kind": "guest", "status": 200}
    assert (await post(browser, "/api/guest"))["player"] == player


async def test_an_account_is_the_same_player_everywhere(
    browser: ClientSession, other: ClientSession
) -> None:
    made = await post(browser, "/api/register", ANNA)
    again = await post(other, "/api/login", {"name": " ANNA ", "password": PASSWORD})

    assert made["status"] == again["status"] == 200
    assert made["player"] == again["player"]
    assert is_registered(made["player"])
    assert (made["kind"], made["name"], again["name"]) == ("person", "Anna", "Anna")
    assert "anna" not in made["player"].lower()


async def test_a_session_gives_new_tickets_until_the_logout(
    browser: ClientSession, stack: Stack
) -> None:
    first = await post(browser, "/api/guest")
    second = await post(browser, "/api/session")
    assert second["player"] == first["player"]
    assert second["ticket"] != first["ticket"]
    bus = await nats_bus.connect(
        stack.nats_url, "x", second["inbox"], lambda: None, token=second["ticket"]
    )

    assert (await post(browser, "/api/logout"))["status"] == 200

    await eventually(lambda: not bus.connected)
    assert not bus.client.is_closed
    await bus.close()
    for path in ("/api/session", "/api/me"):
        answer = await (post(browser, path) if path == "/api/session" else get(browser, path))
        assert (answer["status"], answer["code"]) == (401, Trouble.NOT_LOGGED_IN)
    assert (await post(browser, "/api/logout"))["status"] == 200


async def test_the_cookie_is_for_this_site_and_no_script(browser: ClientSession) -> None:
    async with browser.post("/api/guest", json={}) as answer:
        cookie = answer.cookies[COOKIE]
        session = await answer.json()
        headers = answer.headers
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert cookie["path"] == "/"
    assert cookie.value not in json.dumps(session)
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert f"connect-src 'self' {session['socket']};" in headers["Content-Security-Policy"]
    assert headers["Server"] == "logbuch"


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("Anna", "anna"),
        ("Anna", "ＡＮＮＡ"),
        ("Weiß", "WEISS"),
        ("Zoë", "Zoe\u0308"),
        ("A b", "a  B"),
    ],
)
async def test_a_name_is_given_once(
    name: str, same: str, browser: ClientSession, other: ClientSession
) -> None:
    assert (await post(browser, "/api/register", {**ANNA, "name": name}))["status"] == 200

    answer = await post(other, "/api/register", {"name": same, "password": "another one"})

    assert (answer["status"], answer["code"]) == (409, Trouble.NAME_TAKEN)
    assert (await post(other, "/api/login", {**ANNA, "name": same}))["status"] == 200


@pytest.mark.parametrize(
    "name",
    [
        "",
        "x",
        "  y  ",
        "1" * 5,
        "n" * 21,
        "Gast 12",
        "COMPUTER",
        "<b>x",
        "a\u202eb",
        "a\nb\0",
        "a/b",
    ],
)
async def test_what_is_no_name_is_refused(name: str, browser: ClientSession) -> None:
    answer = await post(browser, "/api/register", {"name": name, "password": PASSWORD})
    assert (answer["status"], answer["code"]) == (422, Trouble.BAD_NAME)


async def test_short_and_long_passwords_are_refused(browser: ClientSession) -> None:
    for password in ("", "1234567", "x" * 129):
        answer = await post(browser, "/api/register", {"name": "Anna", "password": password})
        assert (answer["status"], answer["code"]) == (422, Trouble.BAD_PASSWORD)


async def test_a_wrong_login_does_not_tell_what_is_wrong(
    browser: ClientSession, other: ClientSession
) -> None:
    await post(browser, "/api/register", ANNA)

    wrong = await post(other, "/api/login", {"name": "Anna", "password": "wrong horse"})
    nobody = await post(other, "/api/login", {"name": "Nobody", "password": PASSWORD})

    assert wrong == nobody
    assert (wrong["status"], wrong["code"]) == (401, Trouble.WRONG_LOGIN)
    assert (await get(other, "/api/me"))["status"] == 401


async def test_guessing_a_password_ends_after_a_few_tries(
    gateway: Gateway, browser: ClientSession, other: ClientSession
) -> None:
    await post(browser, "/api/register", ANNA)
    for _ in range(10):
        assert (await post(other, "/api/login", {**ANNA, "password": "wrong"}))["status"] == 401

    for name in ("Anna", "ANNA", " anna"):
        answer = await post(other, "/api/login", {**ANNA, "name": name})
        assert (answer["status"], answer["code"]) == (429, Trouble.TOO_MANY)

    gateway.time += 60
    assert (await post(other, "/api/login", ANNA))["status"] == 200


async def test_an_address_cannot_try_many_names_nor_make_many_guests(
    gateway: Gateway, browser: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_password: str, _hashed: str | None) -> bool:
        return False

    monkeypatch.setattr(gateway.parts.passwords, "fits", never)
    tries = [await post(browser, "/api/login", {**ANNA, "name": f"n{n}"}) for n in range(31)]
    assert [each["status"] for each in tries] == [401] * 30 + [429]

    for _ in range(60):
        assert (await post(browser, "/api/guest"))["status"] == 200
        browser.cookie_jar.clear()
    assert (await post(browser, "/api/guest"))["code"] == Trouble.TOO_MANY


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"{", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'"x"', "application/json", 400),
        (b'{"name":"Anna"}', "application/json", 400),
        (b'{"name":1,"password":"x"}', "application/json", 400),
        (b'{"name":"Anna","password":"12345678","admin":true}', "application/json", 400),
        (b"[" * 4_000, "application/json", 400),
        (b"name=Anna&password=12345678", "application/x-www-form-urlencoded", 400),
        (b'{"name":"Anna","password":"12345678"}', "text/plain", 400),
        (b"x" * (BODY_BYTES_MAX + 1), "application/json", 413),
    ],
)
async def test_bodies_are_small_and_strict(
    body: bytes, content_type: str, status: int, browser: ClientSession
) -> None:
    for path in ("/api/register", "/api/login"):
        headers = {"Content-Type": content_type}
        async with browser.post(path, data=body, headers=headers) as answer:
            content = await said(answer)
        assert answer.status == status, content
        assert content["code"] in (Trouble.MALFORMED, Trouble.TOO_LARGE)


async def test_other_sites_cannot_make_a_browser_act(browser: ClientSession) -> None:
    await post(browser, "/api/guest")
    own = str(browser._base_url).rstrip("/")
    for origin, status in (("https://evil.example", 403), ("null", 403), (own, 200)):
        async with browser.post("/api/session", json={}, headers={"Origin": origin}) as answer:
            assert answer.status == status


async def test_what_is_not_there_is_told_in_the_same_form(browser: ClientSession) -> None:
    assert (await get(browser, "/api/nothing"))["code"] == Trouble.NOT_FOUND
    assert (await get(browser, "/api/login"))["code"] == Trouble.NOT_FOUND
    assert (await get(browser, "/../../etc/passwd"))["code"] == Trouble.NOT_FOUND


async def test_passwords_are_hashed_and_nothing_secret_is_logged_or_told(
    gateway: Gateway, accounts: Accounts, browser: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    with capture_logs() as logs:
        session = await post(browser, "/api/register", ANNA)
        found = await accounts.find("anna")
        assert found is not None
        assert found[1].startswith("$argon2id$v=19$m=19456,t=2,p=1$")

        async def broken(_name: str) -> None:
            raise KeyError(PASSWORD)

        monkeypatch.setattr(gateway.parts.accounts, "find", broken)
        answer = await post(browser, "/api/login", ANNA)
    assert (answer["status"], answer["code"]) == (500, Trouble.INTERNAL)
    assert "KeyError" in repr(logs)
    for secret in (PASSWORD, session["ticket"]):
        assert secret not in repr(logs)
        assert secret not in repr(answer)


async def test_too_many_passwords_at_once_are_refused_instead_of_waited_for(
    browser: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "WAITING_MAX", 0)
    answer = await post(browser, "/api/register", ANNA)
    assert (answer["status"], answer["code"]) == (503, Trouble.BUSY)


async def test_an_old_hash_is_renewed_at_the_login(
    accounts: Accounts, browser: ClientSession, other: ClientSession
) -> None:
    await post(browser, "/api/register", ANNA)
    old = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1).hash(PASSWORD)
    found = await accounts.find("anna")
    assert found is not None
    await accounts.set_password(found[0].player, old)

    assert (await post(other, "/api/login", ANNA))["status"] == 200

    renewed = await accounts.find("anna")
    assert renewed is not None
    assert renewed[1].startswith("$argon2id$v=19$m=19456,t=2,p=1$")


async def test_without_database_the_site_says_so(
    accounts: Accounts, browser: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await post(browser, "/api/guest"))["status"] == 200
    async with Database("postgresql://nobody@127.0.0.1:1/none") as away:
        monkeypatch.setattr(accounts, "_database", away)

        answer = await post(browser, "/api/session")
        ready = await get(browser, "/readyz")

    assert (answer["status"], answer["code"]) == (503, Trouble.UNAVAILABLE)
    assert ready == {"bus": True, "database": False, "callout": False, "status": 503}


async def test_it_is_ready_when_people_can_come_in(
    gateway: Gateway, browser: ClientSession
) -> None:
    ready = await get(browser, "/readyz")
    assert ready == {"bus": True, "database": True, "callout": True, "status": 200}
    async with browser.get("/livez") as answer:
        assert answer.status == 200
    async with browser.get("/metrics") as answer:
        text = await answer.text()
    assert 'logbuch_gateway_admissions_total{outcome="admitted"}' in text
    assert 'logbuch_gateway_http_requests_total{route="/readyz",status="200"}' in text
    assert gateway.door.counts.denied == 0


async def test_what_has_ended_is_forgotten(accounts: Accounts) -> None:
    guest = await accounts.add_guest()
    cookie, ended = await accounts.log_in(guest.player), await accounts.log_in(guest.player)
    async with accounts._database.connection() as link:
        await link.execute(
            "UPDATE gateway_sessions SET expires_at = now() - interval '1 s' WHERE id ="
            " (SELECT id FROM gateway_sessions ORDER BY id LIMIT 1)"
        )
        await link.execute(
            "INSERT INTO gateway_admitted VALUES ('p_old', 1, now() - interval '13 h'),"
            " ('p_new', 1, now())"
        )

    await accounts.forget()

    alive = [await accounts.who(each) for each in (cookie, ended)]
    assert alive.count(None) == 1
    async with accounts._database.connection() as link:
        assert await link.fetchval("SELECT count(*) FROM gateway_sessions") == 1
        assert await link.fetchval("SELECT array_agg(player) FROM gateway_admitted") == ["p_new"]
    assert await accounts.names([guest.player, "p_nobody"]) == {guest.player: guest.name}
