"""What others have chosen and hold is nowhere in what a seat sees (DRILL-R06, RULES.md 5.9)."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from domain.kernel import AskAll, Settled, Shuffled, act, begin
from domain.options import sample
from domain.speeddrill.events import CardDrawn, HandDealt, RodsRevealed, RodsSealed
from domain.speeddrill.game import Speeddrill
from domain.speeddrill.moves import ChooseRods, Chosen, Drill, Move
from domain.speeddrill.state import Options, State
from tests.domain.playing import Variant, play, shuffles

GAME = Speeddrill()
PLACES = [(0, 1), (0, 2), (0, 1, 3), (0, 1, 2, 3)]


def sealed_but_for_one(
    places: tuple[int, ...], seed: int
) -> tuple[list[tuple[int, Any]], Settled[State, Move]]:
    """Let all colours but one choose rods; gives the stored facts with their seats."""
    rng = random.Random(seed)
    shuffle = shuffles(seed)
    settled: Settled[State, Move] = begin(GAME, Options(), places, shuffle)
    stored: list[tuple[int, Any]] = []
    while isinstance(settled.waiting, AskAll) and len(settled.waiting.asks) > 1:
        ask = rng.choice(settled.waiting.asks)
        move = sample(ask.options, rng.randrange)
        chosen = Chosen(ask.seat, 9, move, "computer", ask.part, "stark", 3, "5eed")
        settled = act(GAME, settled.state, ask, move, shuffle)
        stored += [(ask.seat, fact) for fact in (chosen, *settled.facts)]
    return stored, settled


@pytest.mark.parametrize("places", PLACES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_a_sealed_choice_is_seen_by_its_seat_alone(places: tuple[int, ...], seed: int) -> None:
    stored, settled = sealed_but_for_one(places, seed)
    for viewer in (*range(len(places)), None):
        for seat, fact in stored:
            seen = GAME.seen(fact, viewer)
            if seat == viewer:
                assert seen == fact
            elif isinstance(fact, Chosen):
                # Not even how it was chosen: a strategy could be run again.
                empty = ChooseRods(fact.move.konzern, ())  # type: ignore[union-attr]
                assert seen == Chosen(seat, 9, empty, "computer", fact.part)
            else:
                assert seen == RodsSealed(seat, fact.konzern)
        view = GAME.view(settled.state, viewer)
        for n, konzern in enumerate(view.board.konzerne):
            mine = konzern.seat == viewer
            assert view.held.sealed[n] == (settled.state.held.sealed[n] if mine else ())
            assert view.held.hands[n] == (settled.state.held.hands[n] if mine else ())
            assert konzern.supply == (11, 6, 4, 3)
            assert konzern.rods == (0, 0, 0, 0)


def test_others_questions_do_not_change_while_choices_are_sealed() -> None:
    settled: Settled[State, Move] = begin(GAME, Options(), (0, 2), shuffles(3))
    assert isinstance(settled.waiting, AskAll)
    first, *others = settled.waiting.asks
    for rods in ((6, 0, 0, 0), (0, 0, 3, 3)):
        move = ChooseRods("Sued", rods)
        after = act(GAME, settled.state, first, move, shuffles(3))
        assert after.waiting == AskAll(tuple(others))
        assert all(fact.keeps_questions for fact in after.facts)


def test_the_last_choice_reveals_all_in_one_fact() -> None:
    _, settled = sealed_but_for_one((0, 1, 2, 3), 1)
    assert isinstance(settled.waiting, AskAll)
    (ask,) = settled.waiting.asks
    after = act(GAME, settled.state, ask, ask.default, shuffles(1))
    sealed, revealed = after.facts[:2]
    assert isinstance(sealed, RodsSealed)
    assert isinstance(revealed, RodsRevealed)
    assert not revealed.keeps_questions
    assert GAME.seen(revealed, None) == revealed
    assert after.state.held.sealed == ((),) * 4


def test_cards_of_others_and_the_pile_are_hidden() -> None:
    for viewer in (0, 1, None):
        for seat in (0, 1):
            mine = seat == viewer
            dealt = HandDealt(seat, "Sued", ("OL", "OL", "MM", "UR"))
            assert GAME.seen(dealt, viewer) == (dealt if mine else HandDealt(seat, "Sued"))
            drawn = CardDrawn(seat, "Sued", "MM")
            assert GAME.seen(drawn, viewer) == (drawn if mine else CardDrawn(seat, "Sued"))
        assert GAME.seen(Shuffled("pile", ("OL", "MM")), viewer) == Shuffled("pile", ())
        start = Shuffled("start", ("Ost", "Sued"))
        assert GAME.seen(start, viewer) == start
        drill = Chosen(0, 4, Drill("MM", 100, "Texas"), "human", "Sued")
        assert GAME.seen(drill, viewer) == drill


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_spectator_s_bytes_hold_no_hand(seats: int) -> None:
    for step in play(Variant("speeddrill", {"mode": "ROHSTOFFE"}, seats), 2)[:60]:
        view = GAME.view(step.after.state, None)
        assert not any(view.held.hands)
        assert not any(view.held.sealed)
        for fact in step.after.facts:
            seen = msgspec.to_builtins(GAME.seen(fact, None))
            if fact.__class__ in {HandDealt, CardDrawn, RodsSealed}:
                assert not {"card", "cards", "rods"} & set(seen)
