"""Questions to the gateway on the bus: names for everybody, test players for operators' tools."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from contracts import subjects
from contracts.gateway import NAMES_MAX, NamesQuery, NamesReply, Ticket, TicketReply
from contracts.replies import Rejected
from contracts.subjects import NAMES, TICKET, inbox
from deploy.embedded.supervisor import Stack
from domain.refusals import Code
from services.gateway.accounts import Accounts
from services.gateway.service import Desk
from services.kit.answering import Answering
from services.kit.buckets import Buckets
from services.kit.bus import Denied, Message
from services.kit.console.failure import Failure
from services.kit.nats_bus import NatsBus
from services.kit.settings import Settings
from services.ops.players import door
from tests.bus.harness import eventually, request_until_answered
from tests.entrance import Entrance
from tests.gateway.conftest import Gateway


@pytest.fixture(autouse=True)
async def desk(gateway: Gateway, entrance: Entrance) -> AsyncIterator[None]:
    bus, stop = await entrance.service("gateway"), asyncio.Event()
    answers = Desk(gateway.accounts, gateway.tickets)
    async with asyncio.TaskGroup() as group:
        group.create_task(Answering(bus, NAMES, "gateway", answers.names).serve(stop))
        group.create_task(Answering(bus, TICKET, "gateway", answers.ticket).serve(stop))
        yield
        stop.set()


async def names(bus: NatsBus, *players: str) -> NamesReply:
    asker = bus.inbox.removeprefix(inbox(""))
    query = msgspec.json.encode(NamesQuery(players))
    data = await request_until_answered(bus, subjects.names(asker), query)
    return msgspec.json.decode(data, type=NamesReply)


async def test_players_ask_for_names(accounts: Accounts, entrance: Entrance) -> None:
    anna = await accounts.add_person("Anna", "$argon2id$")
    guest = await accounts.add_guest()
    asking = await entrance.player("p_test_eve")

    found = await names(asking, anna.player, guest.player, "computer_1", "p_nobody")
    assert not isinstance(found, Rejected)
    assert found.names == {anna.player: "Anna", guest.player: guest.name}

    many = await names(asking, *("p_x",) * (NAMES_MAX + 1))
    assert isinstance(many, Rejected)
    assert many.code == Code.MALFORMED


async def test_a_question_is_answered_in_the_inbox_of_who_asks_and_nowhere_else(
    entrance: Entrance,
) -> None:
    """Else a player lets the gateway speak to others, and asks at the cost of their own pace."""
    eve, anna = await entrance.player("p_test_eve"), await entrance.player("p_test_anna")
    spy = await entrance.master("spy")
    heard: list[str] = []
    told: asyncio.Queue[Message] = asyncio.Queue()
    for subject in (f"{inbox('*')}.x", "view.>"):
        await spy.subscribe(subject, lambda message: heard.append(message.subject))
    await eve.subscribe(f"{inbox('p_test_eve')}.wrong_reply", told.put_nowait)
    assert not isinstance(await names(anna), Rejected)

    for reply in (f"{inbox('p_test_anna')}.x", f"{inbox('table')}.x", "view.p_test_anna.x", ""):
        eve.ask_all(subjects.names("p_test_eve"), b"{}", reply)
        answer = msgspec.json.decode((await asyncio.wait_for(told.get(), 10)).data, type=Rejected)
        assert answer.code == Code.WRONG_REPLY
    eve.ask_all(subjects.names("p_test_eve"), b'{"players": []}', f"{inbox('p_test_eve')}.x")

    await eventually(lambda: heard != [])
    assert heard == [f"{inbox('p_test_eve')}.x"]


async def test_operators_tools_become_test_players(
    entrance: Entrance, stack: Stack, log_url: str
) -> None:
    settings = Settings(stack.data, log_url, stack.nats_url, secrets=stack.secrets)
    ops = await entrance.service("ops")
    await request_until_answered(ops, TICKET, b"{}")
    async with door(settings) as entering:
        bus = await entering.connect("p_test_7")
        assert bus.connected
        for player in ("p_anna", "g_test_1", "bot", "p_test_x.y", "x" * 41):
            with pytest.raises(Failure, match="no ticket"):
                await entering.ticket(player)


async def test_nobody_else_gets_a_ticket_so(entrance: Entrance) -> None:
    ops = await entrance.service("ops")
    data = await request_until_answered(ops, TICKET, b'{"player": "p_test_1"}')
    assert isinstance(msgspec.json.decode(data, type=TicketReply), Ticket)
    for bus in (await entrance.player("p_test_eve"), await entrance.service("bot")):
        with pytest.raises(Denied):
            await bus.request(TICKET, b'{"player": "p_test_1"}', 10)


def test_a_bucket_fills_again_and_few_are_remembered() -> None:
    now = [0.0]
    buckets = Buckets(3, 0.5, lambda: now[0], keys_max=2)
    assert [buckets.take("a") for _ in range(4)] == [True, True, True, False]
    now[0] = 1.9
    assert not buckets.take("a")
    now[0] = 2.1
    assert [buckets.take("a"), buckets.take("a")] == [True, False]
    now[0] = 1_000
    assert [buckets.take("a") for _ in range(4)] == [True, True, True, False]
    assert all(buckets.take(key) for key in "bc")
    assert buckets.take("a")  # forgotten meanwhile
