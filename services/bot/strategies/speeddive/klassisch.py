"""Speeddive "normal" (RULES.md 2.10): greedy on the expected points of this round.

Per draw it weighs what the next card brings against what it may cost; targets are those whom the
card costs most. It looks one card ahead (three for a Sog). The score of the game counts for one
thing: at the target and ahead of all others it surfaces. It sees the cards that lie open and does
not remember the discard pile: to count every card in the sea is stark's. Deeper Dive is in `deeper`.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import NamedTuple

from contracts.views import Question
from domain.kernel import Seat
from domain.speeddive.cards import (
    FORCED_DRAWS,
    NUMBER,
    PERLE,
    RESERVEFLASCHE,
    SCHATZKAMMER_BONUS,
    SCHATZKAMMER_NUMBERS,
    SCHATZKARTE,
    SOG,
)
from domain.speeddive.moves import ChooseTarget, Dive, Move, Surface
from domain.speeddive.scoring import round_score, spur_sum
from domain.speeddive.state import Board, Diver, GiveCards, Options
from domain.speeddive.views import View
from services.bot.strategies.speeddive import deeper
from services.bot.strategies.speeddive.deeper import Sight

VERSION = 2
_KLASSISCH = Options()
_NEVER = 1000
_BOTTLE_WORTH = 5.0
"""Points that a Reserveflasche in hand is about worth: it saves one round in several."""


class Sea(NamedTuple):
    """The cards that can come next, and how many they are."""

    counts: Mapping[str, int]
    total: int


class Outlook(NamedTuple):
    """What one more card does to a diver: points it brings on average, and the chance of OUT."""

    gain: float
    risk: float


def choose(view: View, question: Question, rng: Random) -> Move:
    """Give the move of a diver who is asked to dive or surface, or for a target."""
    seat = view.seat
    assert seat is not None
    sea = open_sea(view)
    if question.kind == "dive" and view.scores[seat] >= enough(view.board, seat):
        return Surface() if len(question.options.moves) > 1 else Dive()
    if view.board.options.edition == "DEEPER_DIVE":
        return deeper.choose(Sight(view.board, seat, *sea), question, rng)
    if question.kind == "dive":
        return _dive_or_surface(view.board, seat, sea)
    targets = [move.target for move in question.options.moves if isinstance(move, ChooseTarget)]
    rng.shuffle(targets)  # so that among equals nobody is picked on because of his seat
    best = max(targets, key=lambda target: _worth(view.board, seat, question.kind, sea, target))
    return ChooseTarget(best)


def sea_of(view: View) -> Sea:
    """Count the cards that can be drawn: the pile, or what will be shuffled once it is empty."""
    board = view.board
    return Sea(view.left, board.pile_count) if board.pile_count else open_sea(view)


def open_sea(view: View) -> Sea:
    """Count the cards that do not lie open: the pile and the discard pile together."""
    counts = dict(view.left)
    for card in view.board.discard:
        counts[card] += 1
    return Sea(counts, view.board.pile_count + len(view.board.discard))


def enough(board: Board, seat: Seat) -> int:
    """Give the points of a round with which a diver is at the target and ahead of all others.

    In a Stechrunde nobody has a target to reach: there it is more than anybody can have.
    """
    if board.tie_break:
        return _NEVER
    options = board.options
    ahead = [
        diver.total + round_score(diver, options) + 1
        for other, diver in enumerate(board.divers)
        if other != seat
    ]
    return max(options.target, *ahead) - board.divers[seat].total


def _dive_or_surface(board: Board, seat: Seat, sea: Sea) -> Move:
    diver = board.divers[seat]
    here = outlook(diver, sea)
    expected = here.gain - here.risk * round_score(diver, _KLASSISCH)
    if sum([each.status == "DOWN" for each in board.divers]) == 1:
        # Alone in the sea he must take a Sog himself; a Strömung just saves what he has.
        expected += sea.counts.get(SOG, 0) / max(sea.total, 1) * forced(diver, sea)
    return Dive() if expected > 0 else Surface()


def outlook(diver: Diver, sea: Sea) -> Outlook:
    """Weigh the next card; a Reserveflasche turns the risk into the loss of the bottle."""
    if not sea.total:
        return Outlook(0.0, 0.0)
    doubles = SCHATZKARTE in diver.beside
    last = len(diver.spur) == SCHATZKAMMER_NUMBERS - 1
    gain = 0.0
    risky = 0
    for card, count in sea.counts.items():
        value = NUMBER.get(card)
        if value is not None:
            if card in diver.spur:
                risky += count
            else:
                bonus = SCHATZKAMMER_BONUS if last else 0
                gain += count * (2 * value + bonus if doubles else value + bonus)
        elif card == RESERVEFLASCHE:
            gain += 0 if diver.reserveflasche else count * _BOTTLE_WORTH
        elif card == SCHATZKARTE:
            gain += count * spur_sum(diver)
        else:
            gain += count * PERLE.get(card, 0)
    if diver.reserveflasche:
        return Outlook((gain - risky * _BOTTLE_WORTH) / sea.total, 0.0)
    return Outlook(gain / sea.total, risky / sea.total)


def forced(diver: Diver, sea: Sea) -> float:
    """Give the points that three forced draws bring a diver on average, below 0 if they cost him.

    Each draw brings what the first one would, and the risk grows by that of a mean new number.
    """
    start = score = float(round_score(diver, _KLASSISCH))
    gain, growth = outlook(diver, sea).gain, _growth(diver, sea)
    risk = _risk(diver, sea)
    alive, bottle = 1.0, float(diver.reserveflasche)
    for _ in range(FORCED_DRAWS[SOG]):
        alive *= 1.0 - risk * (1.0 - bottle)
        bottle *= 1.0 - risk
        score += gain
        risk = min(1.0, risk + growth)
    return alive * score - start


def _worth(board: Board, me: Seat, kind: str, sea: Sea, target: Seat) -> float:
    """Give what it is worth to `me`, in points, that the card hits this diver."""
    diver = board.divers[target]
    if kind == "bottle":  # it has to go to somebody else: where it saves least
        return -_risk(diver, sea) * round_score(diver, _KLASSISCH)
    frame = board.frames[-1]
    if isinstance(frame, GiveCards) and frame.cards[len(frame.targets)] == SOG:
        # One opponent's loss is a gain on him alone.
        change = forced(diver, sea)
        return change if target == me else -change / (len(board.divers) - 1)
    # A Strömung takes from a diver what diving on would bring him.
    here = outlook(diver, sea)
    lost = max(0.0, here.gain - here.risk * round_score(diver, _KLASSISCH))
    return -lost if target == me else lost


def _risk(diver: Diver, sea: Sea) -> float:
    """Give the chance that the next card is a duplicate, bottle or not."""
    return sum([sea.counts.get(card, 0) for card in diver.spur]) / max(sea.total, 1)


def _growth(diver: Diver, sea: Sea) -> float:
    """Give by how much one more card raises the risk of the draw after it, on average."""
    grown = sum(
        [
            count * (count - 1)
            for card, count in sea.counts.items()
            if card in NUMBER and card not in diver.spur
        ]
    )
    return grown / max(sea.total, 1) ** 2
