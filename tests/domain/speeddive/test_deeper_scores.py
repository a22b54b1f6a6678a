"""Scores and Luftmesser of Deeper Dive and Brutal, without a position."""

from __future__ import annotations

from collections import Counter

import pytest

from domain.speeddive.cards import DECKS
from domain.speeddive.scoring import luftmesser, round_score, totals_after
from domain.speeddive.state import Diver, Options

DEEPER = Options("DEEPER_DIVE")
BRUTAL = Options("DEEPER_DIVE", brutal=True)


@pytest.mark.parametrize(
    ("diver", "plain", "brutal"),
    [
        (Diver(spur=("12", "9")), 21, 21),
        (Diver(spur=("12", "9"), beside=("Leck",)), 10, 10),
        (Diver(spur=("12", "9"), beside=("-4", "Leck", "-2")), 4, 4),
        (Diver(spur=("3",), beside=("-4",)), 0, -1),
        (Diver(beside=("-10", "-8")), 0, -18),
        (Diver(spur=("0", "12"), beside=("Leck", "-8")), 0, -8),
        (Diver("OUT", ("9", "9"), ("-6", "Leck")), 0, -6),
        (Diver("TREASURE", ("0", "1", "2", "3", "4", "5", "6"), ("Leck",), bonus=15), 25, 25),
    ],
)
def test_dive_scores_a16_a17(diver: Diver, plain: int, brutal: int) -> None:
    assert round_score(diver, DEEPER) == plain
    assert round_score(diver, BRUTAL) == brutal


def test_dive_a16_the_charge_lowers_the_round_of_whoever_it_is() -> None:
    assert round_score(Diver("OUT", ("9", "9"), ("-6",), bonus=-15), BRUTAL) == -21
    assert round_score(Diver("SURFACED", ("9",), (), bonus=-15), BRUTAL) == -6


def test_the_bonus_comes_after_the_floor_of_nothing() -> None:
    numbers = ("0", "1", "2", "3", "4", "5", "6")
    diver = Diver("TREASURE", numbers, ("-10", "-8", "-6"), bonus=15)
    assert round_score(diver, DEEPER) == 15
    assert round_score(diver, BRUTAL) == 12


def test_a_total_never_falls_below_nothing() -> None:
    assert totals_after((Diver(total=4), Diver(total=30)), (-6, -6)) == (0, 24)


@pytest.mark.parametrize(
    ("diver", "count"),
    [
        (Diver(spur=("13G",)), 0),
        (Diver(spur=("13",)), 12),
        (Diver(spur=("13G", "13")), 12),
        (Diver(spur=("7",)), 6),  # the Oktopus never counts
        (Diver(spur=("7C",)), 6),
        (Diver("SURFACED", ("12",)), 12),
        (Diver("OUT", ("12", "12")), 0),
    ],
)
def test_dive_luftmesser_of_the_special_numbers(diver: Diver, count: int) -> None:
    left = dict(Counter(DECKS["DEEPER_DIVE"]))
    left["13G"] -= "13G" in diver.spur
    left["7C"] -= "7C" in diver.spur
    assert luftmesser(diver, left, DEEPER) == count
