"""Speedclimb "leicht" (RULES.md 3.13): it often errs, and takes only obviously good cards.

Obviously good is a Sherpa, or a card that completes the camp. It discards what it does not need, but
every few turns just any card, and it often overlooks that it could attach.
"""

from __future__ import annotations

from random import Random

from contracts.views import Question
from domain.speedclimb.cards import SHERPA
from domain.speedclimb.descriptors import LayParts
from domain.speedclimb.moves import Discard, LayLager, Move, PlaySchneesturm
from domain.speedclimb.takes import top_of
from domain.speedclimb.views import View
from services.bot.strategies.speedclimb.sight import Sight, sight_of

VERSION = 1
_SLIPS = 0.3
"""Chance that it discards without looking, or overlooks what it could attach."""


def choose(view: View, question: Question, rng: Random) -> Move:
    """Give the move; stage and cards to carry are those that the game proposes."""
    if question.kind == "take":
        return _take(sight_of(view), question.options.moves)
    if question.kind == "main":
        return _main(sight_of(view), question, rng)
    default: Move = question.default
    return default


def _take(sight: Sight, moves: tuple[Move, ...]) -> Move:
    for move in moves:
        card = top_of(sight.board, move)
        if card and not sight.laid and _obvious(sight, card):
            return move
    return moves[0]


def _obvious(sight: Sight, card: str) -> bool:
    hand = sight.own.hand
    return card == SHERPA or (sight.missing(hand) == 1 and not sight.missing((*hand, card)))


def _main(sight: Sight, question: Question, rng: Random) -> Move:
    options = question.options
    slips = rng.random() < _SLIPS
    for descriptor in options.descriptors:
        if isinstance(descriptor, LayParts):
            return LayLager(descriptor.suggestion)
        if not slips:
            move: Move = descriptor.sample(rng.randrange)
            return move
    spare = sight.spares()
    discards = [m for m in options.moves if isinstance(m, Discard)]
    ends: list[Move] = [m for m in options.moves if isinstance(m, PlaySchneesturm)]
    if slips or not (ends or any(m.card in spare for m in discards)):
        return rng.choice([*ends, *discards])
    return rng.choice([*ends, *[m for m in discards if m.card in spare]])
