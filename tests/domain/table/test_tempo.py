"""Computers pause before their moves, so that people see one after the other (RULES.md 8)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import AskAll
from domain.refusals import Code
from domain.table import commands as c
from domain.table import events as e
from domain.table.clocks import COMPUTER_MS, is_computer, next_wake, pause_ms
from tests.domain.table.playing import Spec
from tests.domain.table.toy import TOY


def on_turn(*players: str, **rules: Any) -> Spec:
    """Give a table whose computer is on turn."""
    spec = Spec.started(*players, rules=e.TableRules(len(players) + 1, thinking_s=0, **rules))
    while not is_computer(spec.table, spec.ask().seat):
        spec.now += 700
        spec.plays()
    return spec


def pause(spec: Spec) -> int:
    assert spec.waiting is not None
    return pause_ms(spec.table, spec.waiting)


@pytest.mark.parametrize(("tempo", "ms"), [("normal", 1_200), ("schnell", 500)])
def test_the_pause_of_a_tempo_counts_from_the_question(tempo: Any, ms: int) -> None:
    spec = on_turn("p_a", tempo=tempo)

    assert pause(spec) == ms
    assert next_wake(spec.table, spec.waiting) == spec.table.raised_at + ms


def test_without_pause_the_table_wakes_to_ask_again() -> None:
    spec = on_turn("p_test_1", tempo="sofort")

    assert pause(spec) == 0
    assert next_wake(spec.table, spec.waiting) == spec.table.raised_at + COMPUTER_MS


def test_turbo_holds_at_once_for_the_open_question() -> None:
    spec = on_turn("p_a")
    number = spec.table.raised

    assert spec.does("p_a", c.Turbo(on=True)) == (e.TurboSet(on=True),)
    assert (pause(spec), spec.table.raised) == (100, number)
    assert next_wake(spec.table, spec.waiting) == spec.table.raised_at + 100
    assert spec.reload() == spec.table

    assert spec.does("p_a", c.Turbo(on=True)) == ()
    assert spec.does("p_a", c.Turbo(on=False)) == (e.TurboSet(on=False),)
    assert pause(spec) == 1_200


def test_turbo_makes_nothing_slower() -> None:
    spec = on_turn("p_test_1", tempo="sofort")
    spec.does("p_test_1", c.Turbo(on=True))

    assert pause(spec) == 0


def test_turbo_is_for_whoever_plays_with_no_other_person() -> None:
    spec = on_turn("p_a", "g_b")
    for player in ("p_a", "g_b"):
        spec.refuses(player, c.Turbo(on=True), Code.NOT_SOLO)
        spec.refuses(player, c.Turbo(on=False), Code.NOT_SOLO)

    spec.does("p_a", c.Leave())

    spec.refuses("p_a", c.Turbo(on=True), Code.NOT_SEATED)
    assert spec.does("g_b", c.Turbo(on=True)) == (e.TurboSet(on=True),)


def test_turbo_is_for_running_games() -> None:
    spec = Spec("p_a")
    spec.refuses("p_a", c.Turbo(on=True), Code.NOT_PLAYING)
    spec.does("p_a", c.Start())
    spec.refuses("p_x", c.Turbo(on=True), Code.NOT_SEATED)
    spec.does("p_a", c.Leave())
    spec.to_end()
    spec.refuses("p_a", c.Turbo(on=True), Code.FINISHED)


def test_nobody_waits_for_a_pause_once_all_people_have_left() -> None:
    spec = on_turn("p_a")
    spec.does("p_a", c.Leave())

    assert pause(spec) == 0


def test_a_leaver_is_played_on_with_pauses_while_others_look() -> None:
    spec = Spec.started("p_a", "p_b", rules=e.TableRules(2, computers=False))
    spec.does(spec.player(spec.ask().seat), c.Leave())

    assert pause(spec) == 1_200


def test_sealed_answers_need_no_pause() -> None:
    spec = Spec.started("p_a", game=TOY, rules=e.TableRules(2))

    assert isinstance(spec.waiting, AskAll)
    assert pause(spec) == 0


def test_a_computer_that_answers_within_the_pause_is_not_refused() -> None:
    """The pause is the table's, which asks; two releases may differ in it."""
    spec = on_turn("p_a")
    ask = spec.ask()

    spec.does("bot", c.Decide(ask.seat, spec.table.raised, ask.default, "s", 1, "5eed"))
