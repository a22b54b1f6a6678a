"""The bot service on a real bus, before tables that answer as they are told."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from contracts import subjects
from contracts.prompts import decode_prompt
from contracts.replies import Rejected
from contracts.views import Question
from domain.games import GAMES
from domain.refusals import Code
from domain.speeddive.moves import ChooseTarget, Dive, Surface
from services.bot import strategies
from services.bot.strategies import COMPUTERS
from services.bot.strategies.strategy import Choose, Computers, Strategy
from tests.bot.tables import ACCEPTED, DEADLINE, Tables, prompt


async def test_a_prompt_becomes_a_decision(tables: Tables) -> None:
    await tables.ask(prompt())

    (body,) = await tables.answered()

    normal = strategies.strategy_of("speeddive", "normal")
    assert (body.seat, body.prompt) == (1, 4)
    assert (body.strategy, body.strategy_version) == ("normal", normal.version)
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


async def test_a_prompt_past_its_deadline_is_dropped(tables: Tables, now: list[int]) -> None:
    now[0] = DEADLINE
    await tables.ask(prompt())

    assert await tables.answered() == []
    assert tables.service.counts == {"expired": 1}


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
async def test_a_strategy_that_fails_plays_the_default(
    choose: Choose, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Computers({"normal": Strategy("broken", 3, choose)}, lambda *_: "")
    monkeypatch.setattr(strategies, "COMPUTERS", {"speeddive": broken})

    with capture_logs() as lines:
        await tables.ask(prompt())
        (body,) = await tables.answered(2)

    assert (body.strategy, body.strategy_version) == ("default", 1)
    default = decode_prompt(prompt()).question.default
    assert bytes(body.move) == msgspec.json.encode(default)
    assert tables.service.counts == {"strategy_failed": 1, "accepted": 1}
    assert [line["event"] for line in lines] == ["bot_trouble"]
    assert "12" not in lines[0]["reason"]


def test_every_strength_of_every_game_has_a_strategy() -> None:
    assert COMPUTERS.keys() == GAMES.keys()
    for computers in COMPUTERS.values():
        assert computers.strengths.keys() == {"leicht", "normal", "stark"}
        # It stands in for those that think when there is no time for them.
        assert not computers.strengths["normal"].thinks


def test_a_prompt_survives_the_bus() -> None:
    asked = decode_prompt(prompt())

    assert msgspec.json.encode(asked) == prompt()
    assert asked.question.options.moves == (Dive(), Surface())
