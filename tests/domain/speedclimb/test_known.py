"""What everybody knows of a hand: the cards that were taken openly and not shown again."""

from __future__ import annotations

from collections import Counter

import pytest

from domain.records.run import run
from domain.records.text import parse
from domain.speedclimb.events import CardTaken, RoundStarted
from domain.speedclimb.game import Speedclimb
from tests.domain.playing import VARIANTS, Variant, facts_of, opened, play
from tests.domain.speedclimb.test_rules import record

GAME = Speedclimb()


SETUP = """turn = "A"
A = {hand = "R4, R5, R6, R7, R8, Sherpa, B4, B5", camp = 4}
B = {hand = "B1, B2, B3"}
ablage = "R9, G1"
material = "R10, W1, W2, ..."
"""


def known(moves: str) -> list[str]:
    """Play the moves in turn, and give after each what everybody knows seat A to have."""
    lines = moves.splitlines()
    after = []
    for count in range(1, len(lines) + 1):
        source = record(2, SETUP, "\n".join(lines[:count]), "GROSSE_EXPEDITION")
        climber = GAME.view(run(parse(source)).state, None).board.climbers[0]
        after.append(" ".join(climber.known))
    return after


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.game == "speedclimb"], ids=str)
def test_whoever_is_known_to_have_a_card_has_it(variant: Variant) -> None:
    game, options = opened(variant)
    state = game.start(options, tuple(range(variant.seats)))
    openly = 0
    for fact in facts_of(play(variant, 3)):
        state = game.evolve(state, fact)
        openly += isinstance(fact, CardTaken) and fact.source in {"depot", "ablage"}
        for climber, own in zip(state.board.climbers, state.owns, strict=True):
            assert Counter(climber.known) <= Counter(own.hand + own.rucksack)
            assert not (isinstance(fact, RoundStarted) and climber.known)
    assert openly


def test_a_card_is_known_from_the_open_take_until_it_is_shown() -> None:
    moves = """A take ablage
A discard B5
B take material
B discard B1
A take ablage
A discard R9"""
    assert known(moves) == ["R9", "R9", "R9", "R9", "R9 B1", "B1"]


def test_a_hidden_take_tells_nothing() -> None:
    assert known("A take material\nA discard B5") == ["", ""]


def test_cards_that_lie_in_a_camp_or_are_attached_are_no_longer_known() -> None:
    moves = """A take ablage
A discard B5
B take material
B discard B3
A take ablage
A discard B4
B take material
B discard W1
A take ablage
A lay run R4 R5 R6 R7 R8 R9 Sherpa
A discard B3"""
    assert known(moves)[-3:] == ["R9 B3 W1", "B3 W1", "W1"]
