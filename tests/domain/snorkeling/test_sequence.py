"""The one descriptor, counted: it admits, gives and draws exactly what the rules allow."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from contracts.commands import decode_move
from domain.options import admits, sample
from domain.refusals import Code, Refused
from domain.snorkeling.cards import DECK
from domain.snorkeling.game import Snorkeling
from domain.snorkeling.moves import Attack, Pass, PlayCards, TakeCard
from domain.snorkeling.rules import waiting
from domain.snorkeling.sequence import Sequence, Target, contains
from domain.snorkeling.state import Board, Options, Schnorchler, State
from tests.domain.snorkeling.naive import Naive
from tests.domain.snorkeling.test_lockstep import move_of

BOTH = pytest.mark.parametrize("variant", ["BASIS", "EXPERTEN"])
PILES = (("fish5",), ("fish5", "b4"), ("fish5", "g4", "r3", "y2"))


def asked(variant: Any, top: str, hand: tuple[str, ...], seats: int = 3) -> Any:
    """Give the question of seat 0 whose opponents show 4 and 2."""
    own = [("Laternenfisch", *pile[1:]) for pile in PILES[:seats]]
    everybody = tuple(
        Schnorchler(pile, len(hand) if seat == 0 else 5) for seat, pile in enumerate(own)
    )
    board = Board(Options(variant), everybody, "turn", 1, 0, 0, centre=(top,), pile_count=0)
    return waiting(State(board, (tuple(sorted(hand)), *[()] * (seats - 1)), ()))


def naive_of(variant: str, top: str, hand: tuple[str, ...], seats: int = 3) -> Naive:
    naive = Naive(seats, expert=variant == "EXPERTEN", shuffle=lambda cards: cards)
    for player, pile in zip(naive.players, PILES, strict=False):
        player.pile = list(pile)
    naive.players[0].hand, naive.centre = list(hand), [top]
    return naive


def hands(count: int, size: int) -> list[tuple[str, tuple[str, ...]]]:
    rng = random.Random(f"{count}/{size}")
    return [(rng.choice(DECK), tuple(rng.sample(DECK, size))) for _ in range(count)]


HANDS = [*hands(60, 5), *hands(150, 4), *hands(150, 3), ("r2", ("r2", "r2", "r1", "b3", "b1"))]


@BOTH
def test_snork_r04_r05_r06_the_samples_are_exactly_the_legal_plays(variant: Any) -> None:
    """Every play that the naive one finds is admitted and comes up; nothing else comes up."""
    for top, hand in HANDS[:12] + HANDS[-40:]:
        legal = {move_of(play) for play in naive_of(variant, top, hand).plays(0)}
        options = asked(variant, top, hand).options
        assert bool(options.descriptors) == bool(legal)
        if not legal:
            continue
        (sequence,) = options.descriptors
        assert all(sequence.admits(move) for move in legal)
        rng = random.Random(1)
        drawn = {sequence.sample(rng.randrange) for _ in range(60 * len(legal) + 300)}
        assert drawn <= legal
        missing = legal - drawn
        assert not missing or all(reached(sequence, move) for move in missing)


def reached(sequence: Sequence, move: PlayCards) -> bool:
    """Steer the picks through all their answers until they give this move."""
    stack: list[list[int]] = [[]]
    while stack:
        answers = stack.pop()
        asked_for: list[int] = []

        def pick(count: int, answers: list[int] = answers, asked_for: list[int] = asked_for) -> int:
            asked_for.append(count)
            at = len(asked_for) - 1
            return answers[at] if at < len(answers) else 0

        if sequence.sample(pick) == move:
            return True
        for at in range(len(answers), len(asked_for)):
            stack += [
                [*answers, *[0] * (at - len(answers)), other] for other in range(1, asked_for[at])
            ]
    return False


@BOTH
def test_snork_r04_r05_admits_equals_the_naive_one_on_every_arrangement(variant: Any) -> None:
    total = 0
    for top, hand in HANDS:
        naive = naive_of(variant, top, hand)
        legal = {move_of(play) for play in naive.plays(0)}
        total += len(legal)
        options = asked(variant, top, hand).options
        rng = random.Random(top + "".join(hand))
        pool = [*hand, *hand, "r2", "b0", "zz", ""]
        for _ in range(200):
            centre = tuple(rng.choice(pool) for _ in range(rng.randrange(5)))
            attack = Attack(rng.choice(pool), rng.randrange(-1, 4)) if rng.random() < 0.5 else None
            move = PlayCards(centre, attack)
            assert admits(options, move) == (move in legal), (top, hand, move)
    assert total == {"BASIS": 1_365, "EXPERTEN": 2_576}[variant]


@BOTH
def test_snork_r04_the_three_copies_of_a_card_are_three_cards(variant: Any) -> None:
    options = asked(variant, "r2", ("r2", "r2", "r2", "b1")).options
    for count in range(1, 4):
        assert admits(options, PlayCards(("r2",) * count))
    assert not admits(options, PlayCards(("r2",) * 4))
    assert admits(options, PlayCards(("r2",) * 3, Attack("b1", 2)))
    assert not admits(options, PlayCards(("r2", "b1"), Attack("b1", 2)))


def test_a_hand_without_a_fitting_card_is_offered_the_pass_alone() -> None:
    ask = asked("EXPERTEN", "r2", ("b2", "g1", "y4"))
    assert ask.options.moves == (Pass(),)
    assert ask.options.descriptors == ()
    assert ask.default == Pass()


def test_what_is_no_play_is_not_admitted() -> None:
    sequence = Sequence("BASIS", "r2", ("b3", "r0"), (Target(1, 4), Target(2, 1)))
    for move in (None, "r0", Pass(), TakeCard(), ("r0",), PlayCards(()), {"centre": ["r0"]}):
        assert not sequence.admits(move)
    assert not sequence.admits(PlayCards((), Attack("r0", 1)))
    assert not sequence.admits(PlayCards(("r0",), Attack("Laternenfisch", 1)))
    assert not sequence.admits(PlayCards(("r0",) * 5_000))


def test_contains_counts_copies() -> None:
    assert contains(("b1", "b1", "g0"), ("b1", "g0", "b1"))
    assert not contains(("b1", "b1", "g0"), ("b1", "b1", "b1"))
    assert not contains(("b1", "b2"), ("b1", "g0"))
    assert contains(("b1",), ())


@pytest.mark.parametrize(
    ("move", "right"),
    [
        (b'{"type":"PlayCards","centre":["r0"]}', PlayCards(("r0",))),
        (b'{"type":"PlayCards","centre":["r0"],"attack":null}', PlayCards(("r0",))),
        (
            b'{"type":"PlayCards","centre":["r0"],"attack":{"card":"b1","target":2}}',
            PlayCards(("r0",), Attack("b1", 2)),
        ),
        (b'{"type":"PlayCards"}', None),
        (b'{"type":"PlayCards","centre":"r0"}', None),
        (b'{"type":"PlayCards","centre":[1]}', None),
        (b'{"type":"PlayCards","centre":["r0"],"attack":{"card":"b1"}}', None),
        (b'{"type":"PlayCards","centre":["r0"],"attack":{"card":"b1","target":"A"}}', None),
        (b'{"type":"PlayCards","centre":["r0"],"attack":{"card":"b1","target":1,"x":1}}', None),
        (b'{"type":"PlayCards","centre":["r0"],"cards":[]}', None),
        (b'{"type":"Pass","centre":["r0"]}', None),
    ],
)
def test_s1_and_s2_come_as_one_message(move: bytes, right: PlayCards | None) -> None:
    if right is None:
        with pytest.raises(Refused) as refused:
            decode_move(Snorkeling(), msgspec.Raw(move))
        assert refused.value.code is Code.MALFORMED
    else:
        assert decode_move(Snorkeling(), msgspec.Raw(move)) == right


def test_the_same_question_comes_back_from_json() -> None:
    (sequence,) = asked("EXPERTEN", "r2", ("b3", "r0", "y1")).options.descriptors
    assert msgspec.json.decode(msgspec.json.encode(sequence), type=Sequence) == sequence
    rng = random.Random(2)
    options = asked("EXPERTEN", "r2", ("b3", "r0", "y1")).options
    assert all(admits(options, sample(options, rng.randrange)) for _ in range(100))
