"""What may be answered in Deeper Dive and Brutal, and what may not."""

from __future__ import annotations

import random

import pytest

from domain.kernel import Ask, act
from domain.options import admits
from domain.records.notation import WordError
from domain.records.run import check, run
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
from domain.speeddive.notation import SpeeddiveNotation
from domain.speeddive.state import State
from tests.domain.playing import shuffles
from tests.domain.speeddive.test_deeper_rules import record

NOTATION = SpeeddiveNotation()
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


@pytest.mark.parametrize(
    "move", [TakeBonus(), ChargeDiver(3), ChooseCard(1, "13G"), SwapCards(0, "Leck", 2, "-10")]
)
def test_every_move_can_be_written_and_read(move: Move) -> None:
    assert NOTATION.move(tuple(NOTATION.written(move).split())) == move


@pytest.mark.parametrize(
    ("words", "move"),
    [
        ("karte B −6", ChooseCard(1, "-6")),
        ("tausch A ÷2 B Strömungswechsel", SwapCards(0, "Leck", 1, "Stroemungswechsel")),
        ("abzug C", ChargeDiver(2)),
    ],
)
def test_moves_may_be_written_in_german(words: str, move: Move) -> None:
    assert NOTATION.move(tuple(words.split())) == move


@pytest.mark.parametrize("words", ["card B", "card Z 5", "swap A 5 B", "charge", "bonus A"])
def test_wrong_words_are_no_move(words: str) -> None:
    with pytest.raises(WordError):
        NOTATION.move(tuple(words.split()))


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ('A = {spur = "5", beside = "+4"}', "'+4' is no Blei and not Leck"),
        ('A = {spur = "7, 7C"}', "a diver with a number twice is OUT"),
        ('A = {spur = "13", bottle = true}', "no such card as 'Reserveflasche'"),
        ('pending = ["A draws 5"]', "write 'B draws 2 aside Sog'"),
        ('pending = ["A gives 12"]', "'12' is no action card that waits"),
    ],
)
def test_a_wrong_position_says_what_is_right(field: str, says: str) -> None:
    failure = check(record(2, field, ""), "wrong")
    assert failure is not None
    assert says in failure.detail


def test_a_letzter_atemzug_may_be_pending() -> None:
    setup = 'turn = "A"\npile = "6, ..."\npending = ["B surfaces", "B takes"]\nB = {spur = "0"}'
    moves = "expect B.spur = 0, 6\nexpect B.status = SURFACED\nexpect B.score = 0\nexpect asked = A"
    assert check(record(2, setup, moves), "pending") is None
