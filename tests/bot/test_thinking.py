"""What the service does with strategies that think: nobody waits for them, whatever they do."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any, Final

import msgspec
import pytest
from structlog.testing import capture_logs

from contracts import subjects
from contracts.advice import NO_ADVICE, decode_advised
from contracts.prompts import decode_prompt
from contracts.views import Question
from services.bot import strategies
from services.bot.deciding import Thought
from services.bot.service import WORKERS, BotService
from services.bot.strategies.strategy import Computers, Strategy
from services.bot.thinkers import Busy, CutOff
from services.kit.nats_bus import NatsBus
from tests.bot.tables import Tables, prompt

DEFAULT_MOVE: Final = msgspec.json.encode(decode_prompt(prompt()).question.default)


def _last(_view: Any, question: Question, _rng: Random) -> Any:
    return question.options.moves[-1]


class Thinkers:
    """Thinkers that give an answer, or fail, when they may."""

    def __init__(self) -> None:
        self.may = asyncio.Event()
        self.asked: list[bytes] = []
        self.fails: Exception | None = None

    async def think(self, prompt: bytes, until: float, *, explain: bool) -> Thought:  # noqa: ARG002
        self.asked.append(prompt)
        await self.may.wait()
        if self.fails is not None:
            raise self.fails
        return Thought(msgspec.Raw(DEFAULT_MOVE), "deep", 7, "Beside.")


@pytest.fixture(autouse=True)
def computers(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = Strategy("deep", 7, lambda *_: pytest.fail("it must not think here"), thinks=True)
    both = Computers({"normal": Strategy("quick", 2, _last), "stark": deep}, lambda *_: "Darum.")
    monkeypatch.setattr(strategies, "COMPUTERS", {"speeddive": both})


@pytest.fixture
def thinkers() -> Thinkers:
    return Thinkers()


@pytest.fixture
def service(bus: NatsBus, thinkers: Thinkers) -> BotService:
    return BotService(bus, thinkers.think)


async def test_a_thinking_strategy_gets_the_prompt_as_it_came(
    tables: Tables, thinkers: Thinkers
) -> None:
    thinkers.may.set()
    asked = prompt(strength="stark")
    await tables.ask(asked)

    (body,) = await tables.answered()

    assert thinkers.asked == [asked]
    assert (body.strategy, body.strategy_version, bytes(body.move)) == ("deep", 7, DEFAULT_MOVE)


async def test_prompts_that_wait_for_thinkers_hold_up_nobody(
    tables: Tables, thinkers: Thinkers
) -> None:
    await tables.ask(*(prompt(number, strength="stark") for number in range(2 * WORKERS)))
    await tables.ask(prompt(5_000))

    (body,) = await tables.answered()

    assert (body.prompt, body.strategy) == (5_000, "quick")
    thinkers.may.set()
    assert len(await tables.answered(2 * WORKERS + 1)) == 2 * WORKERS + 1


async def test_without_a_thinker_in_time_normal_plays_under_its_own_name(
    tables: Tables, thinkers: Thinkers
) -> None:
    thinkers.may.set()
    thinkers.fails = Busy()
    await tables.ask(prompt(strength="stark"))

    (body,) = await tables.answered(2)

    assert (body.strategy, body.strategy_version) == ("quick", 2)
    assert tables.service.counts == {"busy": 1, "accepted": 1}


@pytest.mark.parametrize("fails", [Busy(), CutOff("late"), CutOff("died")])
async def test_what_is_not_the_strong_move_is_no_advice(
    tables: Tables, thinkers: Thinkers, house: NatsBus, fails: Exception
) -> None:
    thinkers.may.set()
    thinkers.fails = fails

    data = await house.request(subjects.BOT_RAT, prompt(strength="stark"), 10)

    assert data == NO_ADVICE
    assert tables.service.counts["unadvised"] == 1


async def test_the_reason_of_a_quick_move_is_found_beside_the_loop_too(
    tables: Tables, thinkers: Thinkers, house: NatsBus
) -> None:
    thinkers.may.set()
    asked = prompt(strength="normal")

    data = await house.request(subjects.BOT_RAT, asked, 10)

    assert thinkers.asked == [asked]
    assert decode_advised("speeddive", data).reason == "Beside."
    assert tables.service.counts == {"advised": 1}


@pytest.mark.parametrize("why", ["late", "died"])
async def test_a_decision_that_is_cut_off_is_the_default_and_logged(
    tables: Tables, thinkers: Thinkers, why: Any
) -> None:
    thinkers.may.set()
    thinkers.fails = CutOff(why)

    with capture_logs() as lines:
        await tables.ask(prompt(strength="stark"))
        (body,) = await tables.answered(2)

    assert (body.strategy, body.strategy_version, bytes(body.move)) == ("default", 1, DEFAULT_MOVE)
    assert tables.service.counts == {why: 1, "accepted": 1}
    (line,) = lines
    assert (line["code"], line["game"], line["reason"]) == (why, "speeddive", "deep")
    assert line.keys() == {
        *("event", "log_level", "code", "reason", "where", "count", "game", "table", "prompt")
    }
