"""Speeddive "normal" in Deeper Dive and Brutal: greedy on the points of this round, as in Klassisch.

Every choice is weighed by what it changes for each diver, and what others lose counts by their
number. What a diver who is DOWN will have is estimated from the mean card; the score of the game
plays no part here.
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
    LEERE_MUSCHEL,
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
from domain.speeddive.state import Board, Diver, GiveCards

_EXPECTED = 12
"""What a diver who is still DOWN will have at least, when it is asked what a weight costs him."""
_DRAWS_MAX = 6
"""More cards than anybody draws of his own will."""


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
            best = max(moves, key=lambda move: take_worth(sight, move))
        case "swap":
            best = best_swaps(sight, question, 1)[0]
        case _:
            best = TakeBonus()  # it gains on everybody, a charge on one
    return best


def _dive_or_surface(sight: Sight) -> Move:
    board, diver = sight.board, sight.board.divers[sight.seat]
    expected = _draw(sight, diver)
    others = [each for seat, each in enumerate(board.divers) if seat != sight.seat]
    if all(each.status == "OUT" for each in others):
        # Alone in play he must take what he draws himself; in Brutal Blei goes to who is OUT.
        expected += _share(sight, MAHLSTROM) * _forced(sight, diver, FORCED_DRAWS[MAHLSTROM])
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


def _course(sight: Sight, diver: Diver) -> list[float]:
    """Give what a diver has on average after 0, 1, 2, ... more cards, OUT counting as nothing.

    Each draw brings what the first one would, and the risk grows by that of a mean new number.
    """
    total = max(sight.total, 1)
    points = float(max(0, round_score(diver, sight.board.options)))
    risk = duplicates(diver, sight.counts) / total
    gain = (_draw(sight, diver) + risk * points) / max(1.0 - risk, 0.1)
    fresh = [n for card, n in sight.counts.items() if card in NUMBER and card not in diver.spur]
    growth = sum([n * (n - 1) for n in fresh]) / total**2
    alive, course = 1.0, [points]
    for _ in range(_DRAWS_MAX):
        alive *= 1.0 - min(1.0, risk)
        points += gain
        risk += growth
        course.append(alive * points)
    return course


def _prospect(sight: Sight, diver: Diver) -> float:
    """Give what the round will bring a diver on average if he surfaces at the best time."""
    if diver.status != "DOWN":
        return float(round_score(diver, sight.board.options))
    return max(_course(sight, diver)[LEERE_MUSCHEL in diver.spur :])


def _after(diver: Diver, card: str) -> Diver:
    """Give the diver with one more number from the pile."""
    if card == OKTOPUS:
        return replace(diver, spur=(card,), beside=())
    return with_card(diver, card)


def with_card(diver: Diver, card: str) -> Diver:
    """Give the diver with a card that another one had, or that is hung on him."""
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
        change = _forced(sight, diver, FORCED_DRAWS[card])
    elif card == LETZTER_ATEMZUG:
        last = round_score(diver, board.options) + _draw(sight, diver)
        change = last - _prospect(sight, diver)
    else:
        change = _weigh(sight, diver, card)
    return _for_me(sight, move.target, change)


def _weigh(sight: Sight, diver: Diver, card: str) -> float:
    """Give what Blei or Leck changes for a diver; he who is DOWN still wants to have more."""
    options = sight.board.options
    if diver.status == "DOWN" and round_score(diver, options) < _EXPECTED:
        diver = replace(diver, spur=("12",))
    return round_score(with_card(diver, card), options) - round_score(diver, options)


def _forced(sight: Sight, diver: Diver, count: int) -> float:
    """Give what forced draws change for a diver; he who is DOWN may go on after them."""
    course = _course(sight, diver)
    after = max(course[count:]) if diver.status == "DOWN" else course[count]
    return after - _prospect(sight, diver)


def _change(sight: Sight, seat: Seat, after: Diver) -> float:
    before = sight.board.divers[seat]
    return _for_me(sight, seat, _prospect(sight, after) - _prospect(sight, before))


def take_worth(sight: Sight, move: ChooseCard) -> float:
    """Weigh a card that Enterhaken brings here, or that Haibiss takes away."""
    divers = sight.board.divers
    worth = _change(sight, move.target, without(divers[move.target], move.card))
    frame = sight.board.frames[-1]
    if isinstance(frame, GiveCards) and frame.cards[0] == ENTERHAKEN:
        worth += _change(sight, sight.seat, with_card(divers[sight.seat], move.card))
    return worth


def best_swaps(sight: Sight, question: Question, count: int) -> list[SwapCards]:
    """Give the best swaps on points, the best first; the order of the two cards is left open."""
    (every,) = question.options.descriptors
    assert isinstance(every, SwapAnyTwo)
    divers = sight.board.divers
    worths: list[tuple[float, SwapCards]] = []
    for one, two in combinations([n for n, cards in enumerate(every.cards) if cards], 2):
        for x in every.cards[one]:
            one_less = without(divers[one], x)
            for y in every.cards[two]:
                worth = _change(sight, one, with_card(one_less, y))
                worth += _change(sight, two, with_card(without(divers[two], y), x))
                worths.append((worth, SwapCards(one, x, two, y)))
    worths.sort(key=lambda each: -each[0])
    return [swap for _, swap in worths[:count]]
