"""What may be answered in Deeper Dive and Brutal, and what may not."""

from __future__ import annotations

import random

import pytest

from domain.kernel import Ask, act
from domain.options import admits
from domain.records.run import run
from domain.records.text import parse
from domain.speeddive.game import Speeddive
from domain.speeddive.moves import (
    ChargeDiver,
    ChooseCard,
    ChooseTarget,
    Dive,
    Move,
    Surface,
    SwapAnyTwo,
    SwapCards,
    TakeBonus,
)
from domain.speeddive.state import State
from tests.domain.playing import shuffles
from tests.domain.speeddive.test_deeper_rules import record

WRONG: tuple[Move, ...] = (
    Dive(),
    Surface(),
    TakeBonus(),
    ChooseTarget(1),
    ChooseTarget(-1),
    ChargeDiver(1),
    ChooseCard(1, "12"),
    ChooseCard(9, "5"),
    ChooseCard(-1, "5"),
    ChooseCard(1, ""),
    SwapCards(0, "9", 0, "9"),
    SwapCards(0, "9", 1, "9"),
    SwapCards(0, "9", 2, "5"),
    SwapCards(-2, "9", -1, "5"),
    SwapCards(0, "5", 1, "9"),
)


@pytest.mark.parametrize("card", ["Haibiss", "Enterhaken", "Strömungswechsel"])
def test_bad_input_is_not_offered(card: str) -> None:
    setup = f'turn = "A"\npile = "{card}, ..."\nA = {{spur = "9"}}\nB = {{spur = "5, 6"}}'
    settled = run(parse(record(2, setup, "A dive")))
    ask = settled.waiting
    assert isinstance(ask, Ask)
    right = {
        "Haibiss": ChooseCard(0, "9"),
        "Enterhaken": ChooseCard(1, "5"),
        "Strömungswechsel": SwapCards(1, "6", 0, "9"),
    }[card]
    for move in WRONG:
        assert not admits(ask.options, move), move
    assert admits(ask.options, right)
    after = act(Speeddive(), settled.state, ask, right, shuffles(1))
    assert isinstance(after.state, State)


@pytest.mark.parametrize(
    ("setup", "right"),
    [
        ('A = {spur = "9"}\nB = {spur = "5"}', (Dive(), Surface())),
        ('A = {spur = "0"}\nB = {spur = "5"}', (Dive(),)),
        (
            'A = {status = "TREASURE", spur = "1, 2, 3, 4, 5, 6, 8"}\nB = {spur = "5"}',
            (TakeBonus(), ChargeDiver(1)),
        ),
        ('pending = ["A gives -2"]', (ChooseTarget(0), ChooseTarget(1))),
    ],
)
def test_a_right_move_at_the_wrong_time_is_not_offered(setup: str, right: tuple[Move, ...]) -> None:
    settled = run(parse(record(2, 'turn = "A"\n' + setup, "", brutal=True)))
    ask = settled.waiting
    assert isinstance(ask, Ask)
    assert ask.options.moves == right
    for move in {*WRONG, ChargeDiver(0), ChooseTarget(2)} - {*right}:
        assert not admits(ask.options, move), move


def test_every_swap_can_be_sampled() -> None:
    every = SwapAnyTwo((("9", "-2"), (), ("5",)))
    rng = random.Random(1)
    found = {every.sample(rng.randrange) for _ in range(100)}
    assert found == {
        SwapCards(0, "9", 2, "5"),
        SwapCards(0, "-2", 2, "5"),
        SwapCards(2, "5", 0, "9"),
        SwapCards(2, "5", 0, "-2"),
    }
    assert all(every.admits(move) for move in found)
    assert not every.admits("swap")
