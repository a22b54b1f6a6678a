"""Rat on a real bus: tables ask for advice, and nobody else gets any."""

from __future__ import annotations

from typing import Any

import pytest

from contracts import subjects
from contracts.advice import NO_ADVICE, REASON_MAX, decode_advised
from contracts.prompts import decode_prompt
from domain.games import GAMES
from domain.options import admits
from services.bot import strategies
from services.bot.deciding import NO_REASON
from services.bot.service import PATIENCE_S, RAT_PATIENCE_S
from services.bot.strategies.strategy import Computers, Strategy
from services.bot.thinkers import REASON_S, STANDSTILL_S
from services.kit import nats_bus
from services.kit.bus import NoAnswer
from services.table.computers import DEFAULT_MS
from services.table.rat import RAT_S
from tests.bot.tables import DEADLINE, Tables, prompt
from tests.entrance import Entrance


@pytest.mark.parametrize("game", list(GAMES))
async def test_every_game_gives_an_offered_move_and_a_reason(
    game: str, tables: Tables, house: nats_bus.NatsBus
) -> None:
    asked = prompt(of=game, strength="stark")

    first, again = [
        decode_advised(game, await house.request(subjects.BOT_RAT, asked, 10)) for _ in range(2)
    ]

    assert admits(decode_prompt(asked).question.options, first.move)
    assert first == again
    assert tables.service.counts == {"advised": 2}
    assert tables.decisions == []


async def test_advice_goes_only_to_tables(tables: Tables, entrance: Entrance) -> None:
    player = await entrance.master("p_eve")
    with pytest.raises(NoAnswer):
        await player.request(subjects.BOT_RAT, prompt(), 0.2)
    player.publish(subjects.BOT_RAT, prompt())
    await tables.answered(2)

    assert tables.service.counts == {"wrong_reply": 2}


async def test_what_is_no_prompt_gets_no_answer(
    tables: Tables, house: nats_bus.NatsBus, now: list[int]
) -> None:
    with pytest.raises(NoAnswer):
        await house.request(subjects.BOT_RAT, b"{}", 0.2)
    now[0] = DEADLINE
    with pytest.raises(NoAnswer):
        await house.request(subjects.BOT_RAT, prompt(), 0.2)

    assert tables.service.counts == {"unreadable": 1, "expired": 1}


async def test_advice_and_decision_for_one_question_are_both_given(
    tables: Tables, house: nats_bus.NatsBus
) -> None:
    await tables.ask(prompt())
    await house.request(subjects.BOT_RAT, prompt(), 10)
    await tables.until(lambda: tables.service.counts["accepted"] == 1)

    assert tables.service.counts["advised"] == 1
    assert "repeated" not in tables.service.counts


def _fails(*_: Any) -> Any:
    raise RuntimeError("the hidden card is 12")


def _why(_view: Any, _question: Any, move: Any) -> str:
    return f"{type(move).__name__}, darum."


@pytest.mark.parametrize(
    ("choose", "reason", "said"),
    [
        (lambda _view, question, _rng: question.options.moves[1], _why, "Surface, darum."),
        (lambda _view, question, _rng: question.default, _fails, NO_REASON),
        (lambda _view, question, _rng: question.default, lambda *_: "", NO_REASON),
        (lambda _view, question, _rng: question.default, lambda *_: "x" * 999, NO_REASON),
    ],
)
async def test_the_reason_is_the_one_of_the_move_that_is_advised(  # noqa: PLR0917 - cases and fixtures
    choose: Any,
    reason: Any,
    said: str,
    tables: Tables,
    house: nats_bus.NatsBus,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    odd = Computers({"stark": Strategy("odd", 1, choose)}, reason)
    monkeypatch.setattr(strategies, "COMPUTERS", {"speeddive": odd})

    data = await house.request(subjects.BOT_RAT, prompt(strength="stark"), 10)

    assert decode_advised("speeddive", data).reason == said
    assert tables.service.counts["advised"] == 1
    assert len(NO_REASON) <= REASON_MAX


@pytest.mark.parametrize("choose", [_fails, lambda *_: None])
async def test_a_strategy_that_fails_gives_no_advice(
    choose: Any, tables: Tables, house: nats_bus.NatsBus, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = Computers({"stark": Strategy("odd", 1, choose)}, _why)
    monkeypatch.setattr(strategies, "COMPUTERS", {"speeddive": odd})

    data = await house.request(subjects.BOT_RAT, prompt(strength="stark"), 10)

    assert data == NO_ADVICE
    assert tables.service.counts == {"strategy_failed": 1, "unadvised": 1}


def test_a_table_waits_for_advice_as_long_as_it_may_take() -> None:
    assert RAT_PATIENCE_S + STANDSTILL_S + REASON_S < RAT_S
    assert PATIENCE_S + STANDSTILL_S < DEFAULT_MS / 1000
