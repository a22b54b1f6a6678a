"""Starts with a stake over the real bus, store and ledger (TABLE-R04)."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from contracts import subjects, topics
from contracts.account import decode_account
from contracts.stakes import HoldAnswer, HoldRequest
from domain.refusals import Code, Refused
from domain.table import events as e
from services.kit.bus import Message
from services.kit.client import PlayerClient
from services.kit.nats_bus import NatsBus
from services.kit.seen import SeenView
from services.kit.store import chain
from services.kit.store.database import Database
from services.kit.store.news import News
from services.kit.store.reader import Reader
from services.ledger.service import LedgerService
from services.ledger.taler import Taler
from services.ops.simulation.plan import Plan
from services.ops.simulation.play import play_table
from services.ops.simulation.taler import TalerCheck, check_taler
from services.table import holds
from tests.entrance import Entrance
from tests.table.conftest import Own, Sit

RULES = e.TableRules(places=2, computers=False, thinking_s=0, stake=25)
SHORT: dict[str, str | int | bool] = {"target": 100, "bilanz": False}
BEFORE = frozenset(
    {e.StartRequested, e.StakesHeld, e.StakesDenied, e.StartCancelled, e.GameStarted, e.SeatFreed}
)


@pytest.fixture
async def ledger(log_url: str, entrance: Entrance) -> AsyncIterator[NatsBus]:
    """The real ledger, which gives everybody thirty Taler and no more."""
    bus, stop = await entrance.service("ledger"), asyncio.Event()
    async with Database(log_url) as database, News(log_url) as boards, News(log_url) as stakes:
        service = LedgerService(bus, database, boards, stakes, Taler(30, 0))
        serving = asyncio.create_task(service.serve(stop))
        yield bus
        stop.set()
        await serving


class Teller:
    """A ledger that answers when the test wants it to."""

    def __init__(self, bus: NatsBus) -> None:
        self.asked: asyncio.Queue[HoldRequest] = asyncio.Queue()
        self._bus = bus
        self._reply = ""

    def take(self, message: Message) -> None:
        self._reply = message.reply
        self.asked.put_nowait(msgspec.json.decode(message.data, type=HoldRequest))

    async def next(self) -> HoldRequest:
        async with asyncio.timeout(20):
            return await self.asked.get()

    def says(self, asked: HoldRequest, *short: str) -> None:
        answer = HoldAnswer(asked.table, asked.attempt, not short, short)
        self._bus.publish(self._reply, msgspec.json.encode(answer))


@pytest.fixture
async def teller(entrance: Entrance) -> Teller:
    bus = await entrance.service("ledger")
    teller = Teller(bus)
    await bus.subscribe(subjects.HOLD, teller.take, "ledger")
    return teller


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask again soon: nobody wants to wait for what is tried elsewhere in the world's own time."""
    monkeypatch.setattr(holds, "HOLD_MS", 50)
    monkeypatch.setattr(holds, "ANSWER_S", 0.3)


async def gathered(*people: PlayerClient) -> str:
    opener, *others = people
    table = (await opener.open("speeddive", RULES, {"bilanz": False})).table
    for other in others:
        await other.join(table)
    return table


async def seen(person: PlayerClient, table: str, *phases: str) -> SeenView:
    """Wait until the table is in one of these phases."""
    view = await person.seat(table).newer(0, 20)
    while view.phase not in phases:
        view = await person.seat(table).newer(view.version, 20)
    return view


async def before_the_game(reader: Reader, table: str) -> list[object]:
    rows = await reader.stream(subjects.stream_of(table))
    facts = [topics.decode(row.topic, chain.decode(row).data) for row in rows]
    return [fact for fact in facts if type(fact) in BEFORE]


@pytest.mark.usefixtures("owner", "ledger")
async def test_all_pay_and_play_and_at_the_next_table_it_does_not_suffice(
    sit: Sit, reader: Reader
) -> None:
    anna, ben = await sit("p_test_anna"), await sit("p_test_ben")
    table = await gathered(anna, ben)
    await anna.start(table)
    await seen(anna, table, "playing")
    poor = await gathered(ben, anna)
    await ben.start(poor)
    view = await seen(ben, poor, "playing", "gathering")

    kinds = [type(fact) for fact in await before_the_game(reader, table)]
    assert kinds == [e.StartRequested, e.StakesHeld, e.GameStarted]
    while view.denied is None:
        view = await ben.seat(poor).newer(view.version, 20)
    assert set(view.denied.players) == {"p_test_anna", "p_test_ben"}
    for person in (anna, ben):
        data = await person.bus.request(subjects.account(person.player), b"{}", 5)
        assert decode_account(data).balance == 5  # type: ignore[union-attr]


@pytest.mark.usefixtures("owner")
async def test_the_ledger_is_asked_until_it_answers(sit: Sit, teller: Teller) -> None:
    anna, ben = await sit("p_anna"), await sit("p_ben")
    table = await gathered(anna, ben)
    await anna.start(table, "mine")

    asked = [await teller.next() for _ in range(3)]
    teller.says(asked[-1])
    await seen(ben, table, "playing")

    assert set(asked) == {HoldRequest(table, 1, 25, ("p_anna", "p_ben"))}


async def test_between_hold_and_start_the_owner_may_die(
    own: Own, sit: Sit, teller: Teller, reader: Reader
) -> None:
    """The hold is made, the answer goes to nobody; the next owner gets the same one."""
    first = await own(1)
    anna, ben = await sit("p_anna"), await sit("p_ben")
    table = await gathered(anna, ben)
    await anna.start(table)
    before = await teller.next()
    first.valid = False
    await first.lose_all()
    teller.says(before)

    await own(2)
    asked = await teller.next()
    teller.says(asked)
    await seen(anna, table, "playing")

    assert asked == before
    kinds = [type(fact) for fact in await before_the_game(reader, table)]
    assert kinds == [e.StartRequested, e.StakesHeld, e.GameStarted]


@pytest.mark.usefixtures("owner")
async def test_who_leaves_calls_it_off_and_a_late_answer_changes_nothing(
    sit: Sit, teller: Teller, reader: Reader
) -> None:
    anna, ben, eve = await sit("p_anna"), await sit("p_ben"), await sit("p_eve")
    table = await gathered(anna, ben)
    await anna.start(table)
    first = await teller.next()
    with pytest.raises(Refused) as refused:
        await eve.join(table)
    assert refused.value.code == Code.STARTING

    await ben.leave(table)
    teller.says(first)
    await eve.join(table)
    await anna.start(table)
    second = await teller.next()
    while second.attempt == 1:  # still on its way when it was called off
        second = await teller.next()
    teller.says(second, "p_eve")
    view = await seen(anna, table, "gathering")
    while view.denied is None:
        view = await anna.seat(table).newer(view.version, 20)

    assert second == HoldRequest(table, 2, 25, ("p_anna", "p_eve"))
    assert view.denied.players == ("p_eve",)
    assert [type(fact) for fact in await before_the_game(reader, table)] == [
        e.StartRequested,
        e.StartCancelled,
        e.SeatFreed,
        e.StartRequested,
        e.StakesDenied,
    ]


@pytest.mark.usefixtures("ledger", "owner")
@pytest.mark.parametrize(
    ("stake", "error"), [(25, ""), (50, "stake_denied: p_test_c_1 p_test_c_2")]
)
async def test_simulated_people_play_for_a_stake_if_they_can_pay(
    sit: Sit, log_url: str, stake: e.Stake, error: str
) -> None:
    plan = Plan("speeddive", seats=2, people=2, options=SHORT, stake=stake, crowd="c")
    clients = {player: await sit(player) for player in plan.players}

    outcome = await play_table(plan, 0, clients, asyncio.Semaphore())

    assert outcome.error == error
    taler = await check_taler(log_url, [] if error else [outcome.table])
    assert taler == TalerCheck(4, [])  # two people, the house and the pot
