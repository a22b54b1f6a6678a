"""Leaving a running game: the computer plays on (TABLE-R06)."""

from __future__ import annotations

import pytest

from domain.kernel import Ask
from domain.refusals import Code
from domain.speeddive.moves import Surface
from domain.table import commands as c
from domain.table import events as e
from domain.table.clocks import is_computer, next_due
from tests.domain.table.playing import Spec

RULES = e.TableRules(places=3, thinking_s=0)


def test_the_seat_is_kept_and_the_question_stays_the_same() -> None:
    spec = Spec.started("p_a", "p_b", rules=RULES)
    number, waiting = spec.table.raised, spec.waiting

    assert spec.does("p_a", c.Leave()) == (e.PlayerLeft(0, "p_a", others=True),)
    assert spec.table.raised == number
    assert spec.waiting == waiting
    assert spec.table.seats[0] == e.Occupant("p_a", "person", 0, left=True)
    assert is_computer(spec.table, 0)


def test_alone_with_computers_leaving_costs_nothing() -> None:
    spec = Spec.started("p_a", rules=RULES)

    assert spec.does("p_a", c.Leave()) == (e.PlayerLeft(0, "p_a", others=False),)


def test_the_last_of_two_people_leaves_others_too() -> None:
    """He had played with another person, who left before him (TABLE-R03)."""
    spec = Spec.started("p_a", "g_b", rules=RULES)
    spec.does("g_b", c.Leave())

    assert spec.does("p_a", c.Leave()) == (e.PlayerLeft(0, "p_a", others=True),)


def test_the_computer_answers_at_once_what_the_leaver_was_asked() -> None:
    """Also without clock: nobody waits for one who has gone (R037, R039)."""
    spec = Spec.started("p_a", "p_b", rules=RULES)
    while spec.ask().seat != 0:
        ask = spec.ask()
        if ask.seat == 1:
            spec.plays(Surface())
        else:
            spec.does("bot", c.Decide(ask.seat, spec.table.raised, Surface(), "s", 1))
    assert next_due(spec.table, spec.waiting) is None
    number = spec.table.raised
    spec.now += 500_000
    spec.does("p_a", c.Leave())

    wake = next_due(spec.table, spec.waiting)
    assert wake is not None
    assert wake <= spec.now
    facts = spec.does("bot", c.Decide(0, number, Surface(), "s", 1))
    assert facts[0].decided_by == "computer"


@pytest.mark.parametrize(
    "command", [c.Leave(), c.Play(1, Surface()), c.GoOn(1)], ids=lambda each: type(each).__name__
)
def test_whoever_left_has_no_seat(command: c.Command) -> None:
    spec = Spec.started("p_a", "p_b", rules=RULES)
    spec.does("p_a", c.Leave())

    spec.refuses("p_a", command, Code.NOT_SEATED)


def test_whoever_left_does_not_come_back_by_joining() -> None:
    spec = Spec.started("p_a", "p_b", rules=RULES)
    spec.does("p_a", c.Leave())

    spec.refuses("p_a", c.Join(), Code.NOT_GATHERING)


@pytest.mark.parametrize("player", ["p_x", "computer_2", "bot"])
def test_strangers_cannot_leave(player: str) -> None:
    Spec.started("p_a", "p_b", rules=RULES).refuses(player, c.Leave(), Code.NOT_SEATED)


@pytest.mark.parametrize("leaver", ["p_a", "p_b"])
def test_the_order_of_turns_stays(leaver: str) -> None:
    """R101: whether he is asked or another, nobody is left out."""
    with_leaver, without = (Spec.started("p_a", "p_b", rules=RULES) for _ in range(2))
    with_leaver.does(leaver, c.Leave())
    for _ in range(30):
        if not isinstance(without.waiting, Ask):
            break
        assert with_leaver.waiting == without.waiting
        for spec in (with_leaver, without):
            seat, number = spec.ask().seat, spec.table.raised
            if is_computer(spec.table, seat):
                spec.does("bot", c.Decide(seat, number, spec.ask().default, "s", 1))
            else:
                spec.plays()
    assert with_leaver.table.play == without.table.play


def test_a_table_without_people_plays_to_its_end() -> None:
    spec = Spec.started("p_a", "p_b", rules=RULES)
    spec.does("p_a", c.Leave())
    spec.does("p_b", c.Leave())
    while spec.table.phase == "playing":
        assert next_due(spec.table, spec.waiting) is not None
        ask = spec.ask()
        spec.does("bot", c.Decide(ask.seat, spec.table.raised, ask.default, "s", 1))

    assert spec.facts[-2].seats == spec.table.seats
    assert [seat.left for seat in spec.table.seats] == [True, True, False]
