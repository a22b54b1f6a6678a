"""The door of the bus: who comes in, over TCP and WebSocket, and who must go."""

import asyncio
import base64
import json
import secrets

import nats
import nats.errors
import nkeys
import pytest
from structlog.testing import capture_logs

from contracts.subjects import inbox
from deploy.embedded.secrets import _new_seed
from deploy.embedded.supervisor import Stack
from services.gateway.accounts import Accounts, session_of
from services.gateway.callout import ACCOUNT
from services.gateway.connections import Connections
from services.gateway.tickets import Pass, Tickets
from services.gateway.tokens import BadToken, Key
from services.kit import nats_bus
from services.kit.clock import clock_from, now_ms
from services.kit.nats_bus import NatsBus
from services.kit.store.model import StoreUnavailable
from tests.bus.harness import eventually
from tests.entrance import Entrance
from tests.gateway.conftest import Gateway

ANNA = "p_test_anna"


async def come(url: str, player: str, **login: str) -> NatsBus:
    return await nats_bus.connect(url, player, inbox(player), lambda: None, 2.0, **login)


async def refused(url: str, **login: str) -> bool:
    try:
        link = await nats.connect(url, allow_reconnect=False, connect_timeout=10, **login)
    except nats.errors.Error as error:
        return "authorization violation" in str(error).lower()
    await link.close()
    return False


@pytest.fixture(params=["tcp", "websocket"])
def url(request: pytest.FixtureRequest, stack: Stack) -> str:
    return stack.nats_url if request.param == "tcp" else stack.socket_url


async def test_a_player_comes_in_and_is_answered(url: str, entrance: Entrance) -> None:
    lobby = await entrance.service("lobby")
    await lobby.subscribe("lobby.*.list", lambda asked: lobby.publish(asked.reply, b"tables"))

    anna = await entrance.player(ANNA, url)

    assert await anna.request(f"lobby.{ANNA}.list", b"", 5) == b"tables"


async def test_who_has_no_good_ticket_stays_outside(
    url: str, entrance: Entrance, gateway: Gateway
) -> None:
    good = entrance.ticket(ANNA)
    then = now_ms() - 13 * 3_600_000
    with clock_from(lambda: then):
        old = entrance.ticket(ANNA)
    forged = Tickets(_new_seed()).write(ANNA, "person", "", 1)[0]
    rights = Key(entrance.credentials.issuer).sign({"player": ANNA, "aud": "logbuch"})

    for token in ("", "x", good[:-4], old, forged, rights, "x" * 3_000):
        assert await refused(url, token=token), token
    assert await refused(url)
    assert await refused(url, user="table", password="no")
    assert await refused(url, user=ANNA, password=good)
    for name in ("bot", "table", "house", "computer_1", "P_X", "p_test_a.b", "p_test_>", "_INBOX"):
        ticket = gateway.tickets.write(name, "person", "", 1)[0]
        assert await refused(url, token=ticket), name
    assert not await refused(url, token=good)


async def test_an_ended_session_does_not_come_in(
    stack: Stack, accounts: Accounts, gateway: Gateway
) -> None:
    guest = await accounts.add_guest()
    cookie = await accounts.log_in(guest.player)
    session = session_of(cookie)

    def ticket(player: str, session: str, number: int) -> str:
        return gateway.tickets.write(player, "guest", session, number)[0]

    mine = ticket(guest.player, session, await accounts.renew(cookie))
    assert not await refused(stack.nats_url, token=mine)
    for player, other in ((guest.player, ""), ("g_other", session), ("p_anna", "")):
        assert await refused(stack.nats_url, token=ticket(player, other, 9))
    assert await accounts.log_out(cookie) == guest.player
    assert await refused(stack.nats_url, token=mine)


async def test_the_newest_ticket_wins_and_the_older_one_stays_outside(
    url: str, entrance: Entrance, stack: Stack
) -> None:
    first = await entrance.player(ANNA, url)

    second = await entrance.player(ANNA)

    await eventually(lambda: not first.connected)
    assert await refused(stack.nats_url, token=first.client.options["token"])
    assert second.connected
    assert second.counts.reconnects == 0


async def test_the_newer_connection_with_the_same_ticket_wins(
    entrance: Entrance, stack: Stack
) -> None:
    ticket = entrance.ticket(ANNA)
    first = await come(stack.nats_url, ANNA, token=ticket)
    lost = asyncio.Event()
    first.client._disconnected_cb = _setting(lost)

    second = await come(stack.nats_url, ANNA, token=ticket)

    await asyncio.wait_for(lost.wait(), 10)
    await first.close()
    await second.close()


async def test_a_gateway_that_has_just_started_ends_the_older_connection(
    entrance: Entrance, gateway: Gateway
) -> None:
    first = await entrance.player(ANNA)
    bob = await entrance.player("p_test_bob")
    await gateway.door.close()  # so does a gateway that dies
    fresh = await entrance.service("doorkeeper")
    await Connections(fresh).open()
    gateway.callout._bus = fresh
    stop = asyncio.Event()
    serving = asyncio.create_task(gateway.callout.serve(stop))

    await entrance.player(ANNA)

    await eventually(lambda: not first.connected)
    assert bob.connected
    assert bob.counts.reconnects == 0
    stop.set()
    await serving


async def test_two_who_come_at_once_are_not_both_there(entrance: Entrance, stack: Stack) -> None:
    """Whatever order the server and the database see them in, one is left."""
    door = await entrance.service("doorkeeper")
    for _ in range(5):
        player = f"p_test_{_new_seed()[2:10].lower()}"
        links = [
            nats.connect(stack.nats_url, token=entrance.ticket(player), allow_reconnect=False)
            for _ in range(4)
        ]
        came = await asyncio.gather(*links, return_exceptions=True)

        async def alone(player: str = player) -> int:
            query = {"acc": ACCOUNT, "user": player, "auth": True}
            answer = await door.request("$SYS.REQ.SERVER.PING.CONNZ", json.dumps(query).encode(), 5)
            return int(json.loads(answer)["data"]["num_connections"])

        async with asyncio.timeout(20):
            while await alone() != 1:  # noqa: ASYNC110 - the server's state has no event
                await asyncio.sleep(0.05)
        for link in came:
            if not isinstance(link, BaseException):
                await link.close()


async def test_only_a_server_gets_an_answer(gateway: Gateway) -> None:
    key = Key(_new_seed())
    question = {
        "server_id": {"id": key.public},
        "user_nkey": "U",
        "connect_opts": {"auth_token": "x"},
    }
    for request in (
        b"",
        b"x.y.z",
        key.sign({"aud": "nats-authorization-request", "nats": question}).encode(),
        key.sign({"aud": "other", "nats": question}).encode(),
        key.sign({"aud": "nats-authorization-request", "nats": {}}).encode(),
    ):
        with pytest.raises(BadToken):
            await gateway.callout.answer(request)


async def test_while_the_database_is_away_nobody_is_refused_for_it(
    gateway: Gateway, entrance: Entrance, accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No answer: clients give up after two refusals, but come again when nobody has answered."""
    server = Key(nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_SERVER).decode())
    question = {
        "server_id": {"id": server.public},
        "user_nkey": "U",
        "connect_opts": {"auth_token": entrance.ticket(ANNA)},
    }
    asked = server.sign({"aud": "nats-authorization-request", "nats": question}).encode()
    assert b"jwt" in unpacked(await gateway.callout.answer(asked))

    async def away(_ticket: Pass) -> str:
        raise StoreUnavailable("away")

    monkeypatch.setattr(accounts, "admit", away)
    with pytest.raises(StoreUnavailable):
        await gateway.callout.answer(asked)


def unpacked(token: bytes) -> bytes:
    body = token.split(b".")[1]
    return base64.urlsafe_b64decode(body + b"=" * (-len(body) % 4))


async def test_no_ticket_is_logged(entrance: Entrance, stack: Stack, gateway: Gateway) -> None:
    with capture_logs() as logs:
        old = entrance.ticket(ANNA)
        await entrance.player(ANNA)
        assert await refused(stack.nats_url, token=old)
        assert await refused(stack.nats_url, token="x" * 100)

    served = await asyncio.to_thread((stack.data / "logs" / "nats.log").read_text)
    for text in (repr(logs), served):
        assert old not in text
        assert old.split(".")[2] not in text
        assert "x" * 100 not in text
    assert "a newer ticket of this player is in use" in served
    assert gateway.door.connected


def _setting(event: asyncio.Event):  # type: ignore[no-untyped-def]  # noqa: ANN202
    async def set_it() -> None:
        event.set()

    return set_it
