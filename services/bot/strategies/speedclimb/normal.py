"""Speedclimb "normal" (RULES.md 3.13): it collects for its camp, and gives nothing away to attach.

It takes an open card that brings the hand nearer to the camp, else the material; it lays as soon as
it can, attaches all it can, and discards a card that the camp does not need and that does not fit
to any combination on the table. It does not ask how likely a card is to come, nor what the others
collect. A Schneesturm goes at once before whoever has the fewest cards.
"""

from __future__ import annotations

from random import Random

from contracts.views import Question
from domain.speedclimb.cards import PENALTY, SHERPA
from domain.speedclimb.descriptors import AttachCards, LayParts
from domain.speedclimb.moves import Discard, LayLager, Move, Pack, PlaySchneesturm, TakeRucksack
from domain.speedclimb.takes import top_of
from domain.speedclimb.views import View
from services.bot.strategies.speedclimb.attaching import best_attach
from services.bot.strategies.speedclimb.sight import Sight, sight_of

VERSION = 1


def choose(view: View, question: Question, rng: Random) -> Move:
    """Give the move; stage and cards to carry are those that the game proposes."""
    if question.kind == "take":
        return take(sight_of(view), question.options.moves)
    if question.kind == "main":
        return main(sight_of(view), question, rng)
    default: Move = question.default
    return default


def take(sight: Sight, moves: tuple[Move, ...]) -> Move:
    """Take the open card that helps; of the Rucksack only what completes the camp."""
    for move in moves:
        if isinstance(move, TakeRucksack):
            if completes(sight, move.card):
                return move
        elif (card := top_of(sight.board, move)) and helps(sight, card):
            return move
    return moves[0]


def helps(sight: Sight, card: str) -> bool:
    """Tell whether the card can be attached, or brings the hand nearer to its camp."""
    if sight.laid:
        return sight.attachable(card)
    hand = sight.own.hand
    return card == SHERPA or sight.missing((*hand, card)) < sight.missing(hand)


def completes(sight: Sight, card: str) -> bool:
    """Tell whether the Rucksack, from this card on, has all that the camp lacks."""
    if sight.laid:
        return False
    hand, rucksack = sight.own.hand, sight.own.rucksack
    here = sight.missing(hand)
    return sight.missing((*hand, card)) < here and not sight.missing(hand + rucksack)


def main(sight: Sight, question: Question, rng: Random) -> Move:
    """Lay, attach, or end the turn."""
    for descriptor in question.options.descriptors:
        if isinstance(descriptor, LayParts):
            return LayLager(descriptor.suggestion)
        if isinstance(descriptor, AttachCards) and not keeps_sherpa(sight, question, descriptor):
            return best_attach(sight.board.melds, sight.own.hand, descriptor.places, sight.top)
    return end(sight, question.options.moves, rng)


def keeps_sherpa(sight: Sight, question: Question, fitting: AttachCards) -> bool:
    """Tell whether a Sherpa is all that fits, and is better packed for a later round."""
    only = all(set(place.cards) == {SHERPA} for place in fitting.places)
    return only and len(sight.own.hand) > 1 and Pack(SHERPA) in question.options.moves


def end(sight: Sight, moves: tuple[Move, ...], rng: Random) -> Move:
    """Play a Schneesturm, pack a Sherpa that is left over, or discard."""
    climbers = sight.board.climbers
    storms = [move for move in moves if isinstance(move, PlaySchneesturm)]
    if storms:
        return min(storms, key=lambda move: climbers[move.target].hand_count)
    if sight.laid and Pack(SHERPA) in moves:
        return Pack(SHERPA)
    spare = sight.spares() or sight.own.hand
    cards = [move.card for move in moves if isinstance(move, Discard)]
    rng.shuffle(cards)
    return Discard(max(cards, key=lambda card: _worth_discarding(sight, spare, card)))


def _worth_discarding(sight: Sight, spare: tuple[str, ...], card: str) -> tuple[bool, bool, int]:
    """Rank a discard: first what the camp does not need, then what nobody can attach."""
    penalty = PENALTY[card] if sight.expedition else 0
    return card in spare and card != SHERPA, not sight.attachable(card), penalty
