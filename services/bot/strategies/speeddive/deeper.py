"""Speeddive "normal" in Deeper Dive and Brutal: greedy on the points of this round, as in Klassisch.

Every choice is weighed by what it changes for each diver; what others lose counts by their number.
It looks one card ahead, four for a Mahlstrom, and does not play to the score of the game.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from contracts.views import Question
from domain.kernel import Seat
from domain.speeddive.cards import (
    ENTERHAKEN,
    FORCED_DRAWS,
    LETZTER_ATEMZUG,
    MAHLSTROM,
    NUMBER,
    OKTOPUS,
    SCHATZKAMMER_BONUS,
    SCHATZKAMMER_NUMBERS,
    WEIGHTS,
    doubles,
)
from domain.speeddive.effects import without
from domain.speeddive.moves import (
    ChooseCard,
    ChooseTarget,
    Dive,
    Move,
    Surface,
    SwapAnyTwo,
    SwapCards,
    TakeBonus,
)
from domain.speeddive.scoring import duplicates, round_score
from domain.speeddive.state import Board, Diver, GiveCards, Options

_EXPECTED = 12
"""What a diver who is still DOWN will have at least, when it is asked what a weight costs him."""


class Sight(NamedTuple):
    """What the asked diver sees: the board, his seat, and the cards that can come."""

    board: Board
    seat: Seat
    counts: Mapping[str, int]
    total: int


def choose(sight: Sight, question: Question, rng: Random) -> Move:
    """Give the move of a diver for any question of the edition."""
    moves: list[Any] = list(question.options.moves)
    best: Move
    rng.shuffle(moves)  # so that among equals nobody is picked on because of his seat
    match question.kind:
        case "dive":
            best = _dive_or_surface(sight) if len(moves) > 1 else Dive()
        case "target":
            best = max(moves, key=lambda move: _hit(sight, move))
        case "card":
            best = max(moves, key=lambda move: _take(sight, move))
        case "swap":
            best = _swap(sight, question)
        case _:
            best = TakeBonus()  # it gains on everybody, a charge on one
    return best


def _dive_or_surface(sight: Sight) -> Move:
    board, diver = sight.board, sight.board.divers[sight.seat]
    expected = _draw(sight, diver)
    others = [each for seat, each in enumerate(board.divers) if seat != sight.seat]
    if all(each.status == "OUT" for each in others):
        # Alone in play he must take what he draws himself; in Brutal Blei goes to who is OUT.
        expected += _share(sight, MAHLSTROM) * _draws(sight, diver, FORCED_DRAWS[MAHLSTROM])
        if not board.options.brutal:
            expected += sum(_share(sight, card) * _weigh(sight, diver, card) for card in WEIGHTS)
    return Dive() if expected > 0 else Surface()


def _share(sight: Sight, card: str) -> float:
    return sight.counts.get(card, 0) / max(sight.total, 1)


def _draw(sight: Sight, diver: Diver) -> float:
    """Give the points that one card brings a diver on average, below 0 if it costs him."""
    options = sight.board.options
    now = round_score(diver, options)
    change = sum(
        count * (round_score(_after(diver, card), options) - now)
        for card, count in sight.counts.items()
        if count and card in NUMBER
    )
    return change / max(sight.total, 1)


def _draws(sight: Sight, diver: Diver, count: int) -> float:
    """Give about what several forced cards bring: each like the first, with growing risk."""
    score = max(0, round_score(diver, sight.board.options))
    risk = duplicates(diver, sight.counts) / max(sight.total, 1)
    gain = _draw(sight, diver) + risk * score
    pairs = sum(n * (n - 1) for card, n in sight.counts.items() if card in NUMBER)
    growth = pairs / max(sight.total, 1) ** 2
    alive, points = 1.0, float(score)
    for _ in range(count):
        alive *= 1.0 - min(1.0, risk)
        points += gain
        risk += growth
    return alive * points - score


def _after(diver: Diver, card: str) -> Diver:
    """Give the diver with one more number from the pile."""
    if card == OKTOPUS:
        return replace(diver, spur=(card,), beside=())
    return _with(diver, card)


def _with(diver: Diver, card: str) -> Diver:
    if card not in NUMBER:
        return replace(diver, beside=(*diver.beside, card))
    spur = (*diver.spur, card)
    if doubles(diver.spur, card):
        return replace(diver, spur=spur, status="OUT")
    if len(spur) == SCHATZKAMMER_NUMBERS:
        return replace(diver, spur=spur, status="TREASURE", bonus=SCHATZKAMMER_BONUS)
    return replace(diver, spur=spur)


def _for_me(sight: Sight, seat: Seat, change: float) -> float:
    """Give what a change of this diver's points is worth: one opponent's loss is a gain on him."""
    return change if seat == sight.seat else -change / (len(sight.board.divers) - 1)


def _hit(sight: Sight, move: ChooseTarget) -> float:
    board, diver = sight.board, sight.board.divers[move.target]
    frame = board.frames[-1]
    assert isinstance(frame, GiveCards)
    card = frame.cards[len(frame.targets)]
    if card in FORCED_DRAWS:
        change = _draws(sight, diver, FORCED_DRAWS[card])
    elif card == LETZTER_ATEMZUG:
        change = _draw(sight, diver)
    else:
        change = _weigh(sight, diver, card)
    return _for_me(sight, move.target, change)


def _weigh(sight: Sight, diver: Diver, card: str) -> float:
    """Give what Blei or Leck changes for a diver; he who is DOWN still wants to have more."""
    options = sight.board.options
    if diver.status == "DOWN" and round_score(diver, options) < _EXPECTED:
        diver = replace(diver, spur=("12",))
    return round_score(_with(diver, card), options) - round_score(diver, options)


def _worth(sight: Sight, diver: Diver, options: Options) -> float:
    """Give what a diver has, less what the next card may cost him while he is DOWN."""
    score = float(round_score(diver, options))
    if diver.status == "DOWN" and score > 0:
        score *= 1.0 - duplicates(diver, sight.counts) / max(sight.total, 1)
    return score


def _change(sight: Sight, seat: Seat, after: Diver) -> float:
    options, before = sight.board.options, sight.board.divers[seat]
    change = _worth(sight, after, options) - _worth(sight, before, options)
    return _for_me(sight, seat, change)


def _take(sight: Sight, move: ChooseCard) -> float:
    """Weigh a card that Enterhaken brings here, or that Haibiss takes away."""
    divers = sight.board.divers
    worth = _change(sight, move.target, without(divers[move.target], move.card))
    frame = sight.board.frames[-1]
    if isinstance(frame, GiveCards) and frame.cards[0] == ENTERHAKEN:
        worth += _change(sight, sight.seat, _with(divers[sight.seat], move.card))
    return worth


def _swap(sight: Sight, question: Question) -> Move:
    """Try every pair of cards; the order of the two makes no difference to anybody."""
    (every,) = question.options.descriptors
    assert isinstance(every, SwapAnyTwo)
    divers = sight.board.divers
    best: Move = question.default
    best_worth = float("-inf")
    for one, two in combinations([n for n, cards in enumerate(every.cards) if cards], 2):
        for x in every.cards[one]:
            one_less = without(divers[one], x)
            for y in every.cards[two]:
                worth = _change(sight, one, _with(one_less, y))
                worth += _change(sight, two, _with(without(divers[two], y), x))
                if worth > best_worth:
                    best, best_worth = SwapCards(one, x, two, y), worth
    return best
