"""The bot service on a real bus, before tables that answer as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from contracts import subjects
from contracts.commands import DecideBody, decode
from contracts.prompts import decode_prompt
from contracts.replies import Accepted, Rejected, Reply
from contracts.views import BotPrompt, Question
from domain.games import GAMES
from domain.kernel import Ask, begin
from domain.refusals import Code
from domain.speeddive.moves import ChooseTarget, Dive, Surface
from services.bot import strategies
from services.bot.service import BotService
from services.bot.strategies import COMPUTERS, DEFAULT
from services.bot.strategies.strategy import Choose, Computers, Strategy
from services.kit import nats_bus
from services.kit.bus import Message
from services.kit.clock import clock_from
from tests.entrance import Entrance

NOW = 1_000_000
DEADLINE = NOW + 3_000
TABLE = f"07-{'ab' * 12}"
ACCEPTED = Accepted(TABLE, 5, 6, "00")
Answer = Callable[[DecideBody], Reply]


def prompt(number: int = 4, **changes: Any) -> bytes:
    game = GAMES["speeddive"]
    settled = begin(game, game.options_type(), (0, 1), lambda cards: tuple(sorted(cards)))
    ask = settled.waiting
    assert isinstance(ask, Ask)
    asked = BotPrompt(
        TABLE,
        "speeddive",
        ask.seat,
        Question(number, ask.kind, ask.options, ask.default),
        game.view(settled.state, ask.seat),
        "normal",
        DEADLINE,
        "seed-1",
    )
    return msgspec.json.encode(msgspec.structs.replace(asked, **changes))


@pytest.fixture(autouse=True)
def now() -> Iterator[list[int]]:
    times = [NOW]
    with clock_from(lambda: times[0]):
        yield times


@pytest.fixture
async def bus(entrance: Entrance) -> nats_bus.NatsBus:
    return await entrance.service("bot")


@pytest.fixture
async def house(entrance: Entrance) -> nats_bus.NatsBus:
    return await entrance.service("table")


class Tables:
    """All tables: they note each decision and answer it."""

    def __init__(self, bus: nats_bus.NatsBus, service: BotService) -> None:
        self.answer: Callable[[DecideBody], Reply | None] = lambda _body: ACCEPTED
        self.decisions: list[DecideBody] = []
        self.replies: list[str] = []
        self.service = service
        self._bus = bus
        self._heard = asyncio.Event()

    def take(self, message: Message) -> None:
        body = decode("decide", message.data)
        assert isinstance(body, DecideBody)
        self.decisions.append(body)
        self.replies.append(message.reply)
        if (reply := self.answer(body)) is not None:
            self._bus.publish(message.reply, msgspec.json.encode(reply))
        self._heard.set()

    async def ask(self, *prompts: bytes) -> None:
        for data in prompts:
            self._bus.publish(subjects.BOT_PROMPT, data)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():  # noqa: ASYNC110 - the service has no event for its counts
                await asyncio.sleep(0.005)

    async def answered(self, count: int = 1) -> list[DecideBody]:
        await self.until(lambda: sum(self.service.counts.values()) >= count)
        return self.decisions


@pytest.fixture
async def tables(bus: nats_bus.NatsBus, house: nats_bus.NatsBus) -> AsyncIterator[Tables]:
    service = BotService(bus)
    tables = Tables(house, service)
    subscription = await house.subscribe(f"cmd.bot.07.{TABLE}.decide", tables.take)
    stop = asyncio.Event()
    serving = asyncio.create_task(service.serve(stop))
    # A round trip: serve has subscribed.
    await bus.subscribe(f"{bus.inbox}.ready", lambda _message: None)
    yield tables
    stop.set()
    await serving
    await subscription.close()


async def test_a_prompt_becomes_a_decision(tables: Tables) -> None:
    await tables.ask(prompt())

    (body,) = await tables.answered()

    assert (body.seat, body.prompt, body.strategy, body.strategy_version) == (1, 4, "normal", 1)
    assert body.rng_seed == "seed-1"
    assert msgspec.json.decode(bytes(body.move), type=Dive | Surface) == Dive()
    assert subjects.is_reply_of(subjects.BOT, tables.replies[0])
    assert tables.service.counts == {"accepted": 1}


async def test_a_prompt_that_is_repeated_in_flight_is_answered_once(tables: Tables) -> None:
    await tables.ask(prompt(), prompt(), prompt(), prompt(5))

    decisions = await tables.answered(4)

    assert [body.prompt for body in decisions] == [4, 5]
    assert tables.service.counts == {"accepted": 2, "repeated": 2}


async def test_a_prompt_that_comes_again_gets_the_same_command(tables: Tables) -> None:
    await tables.ask(prompt())
    await tables.answered()
    await tables.ask(prompt())

    first, second = await tables.answered(2)

    assert first == second


async def test_a_late_prompt_is_dropped(tables: Tables, now: list[int]) -> None:
    now[0] = DEADLINE
    await tables.ask(prompt())

    assert await tables.answered() == []
    assert tables.service.counts == {"late": 1}


@pytest.mark.parametrize(
    "code", [Code.STALE_PROMPT, Code.NOT_YOUR_TURN, Code.FINISHED, Code.COMMAND_REUSED, Code.BUSY]
)
async def test_a_refused_decision_is_dropped(tables: Tables, code: Code) -> None:
    tables.answer = lambda _body: Rejected(code, "no")
    await tables.ask(prompt())

    assert len(await tables.answered()) == 1
    assert tables.service.counts == {f"rejected_{code}": 1}


async def test_a_move_that_the_table_does_not_take_is_replaced_by_the_default_once(
    tables: Tables,
) -> None:
    tables.answer = lambda _body: Rejected(Code.NOT_OFFERED, "no")
    await tables.ask(prompt())

    first, second = await tables.answered(2)

    assert (first.strategy, second.strategy) == ("normal", "default")
    assert first.command_id != second.command_id
    assert tables.service.counts == {"unfit": 1, "rejected_not_offered": 1}


async def test_silence_is_left_to_the_table(tables: Tables) -> None:
    tables.answer = lambda _body: None
    await tables.ask(prompt())
    assert len(await tables.answered()) == 1
    assert tables.service.counts == {"unanswered": 1}

    tables.answer = lambda _body: ACCEPTED
    await tables.ask(prompt())

    assert len(await tables.answered(2)) == 2
    assert tables.service.counts == {"unanswered": 1, "accepted": 1}


async def test_a_table_without_an_owner_is_left_alone(tables: Tables) -> None:
    await tables.ask(prompt(table=f"08-{'ab' * 12}"))

    assert await tables.answered() == []
    assert tables.service.counts == {"unanswered": 1}


async def test_what_is_no_prompt_harms_nobody(tables: Tables) -> None:
    deep = b"[" * 5_000
    await tables.ask(b"", deep, b"{}", prompt(game="poker"), prompt(view={"seat": 1}), prompt())

    assert len(await tables.answered(6)) == 1
    assert tables.service.counts == {"unreadable": 5, "accepted": 1}


def _fails(_view: Any, _question: Question, _rng: Any) -> Any:
    raise RuntimeError("the hidden card is 12")


@pytest.mark.parametrize("choose", [_fails, lambda *_: ChooseTarget(0), lambda *_: None])
def test_a_strategy_that_fails_plays_the_default(
    choose: Choose, bus: nats_bus.NatsBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Computers({"normal": Strategy("broken", 3, choose)}, lambda *_: "")
    monkeypatch.setattr(strategies, "COMPUTERS", {"speeddive": broken})
    asked = decode_prompt(prompt())

    with capture_logs() as lines:
        decision = BotService(bus).decide(asked)

    assert decision == (asked.question.default, DEFAULT)
    assert [line["event"] for line in lines] == ["bot_trouble"]
    assert "12" not in lines[0]["reason"]


def test_every_strength_of_every_game_has_a_strategy() -> None:
    assert COMPUTERS.keys() == GAMES.keys()
    for computers in COMPUTERS.values():
        assert computers.strengths.keys() == {"leicht", "normal", "stark"}


def test_a_prompt_survives_the_bus() -> None:
    asked = decode_prompt(prompt())

    assert msgspec.json.encode(asked) == prompt()
    assert asked.question.options.moves == (Dive(), Surface())
