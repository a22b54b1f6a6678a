"""Speedclimb "stark" (RULES.md 3.13): as "normal", but it counts, and it gives others little.

* Of the cards that its camp does not need it keeps those that leave the most unseen cards to bring
  it nearer: drawing alone, that lays most camps 5 to 18 % earlier than any of them at random.
* It imagines hands of the next climber, with the cards that he took openly, and does not discard
  what they want; what others can attach it keeps in any case.
* Once its camp stands it keeps the cards that few others separate from a run, and attaches so that
  they come nearer.
* It keeps a Schneesturm until somebody's camp stands, if it can, for the one about to finish. Of two
  climbers there is only one, whom it costs a turn whenever it comes: it is played at once.
* Meister-Expedition: a Sherpa goes into the Rucksack unless it ends a round in which somebody has
  not laid.

Looking two cards ahead does not make it lay earlier. What it gives away decides most: with the next
climber's true hand before it, it won 71 of 100 duels on Gipfelsturm, 67 on Nordwand (240 each).
"""

from __future__ import annotations

from random import Random

from contracts.views import Question
from domain.speedclimb.cards import PENALTY, SCHNEESTURM, SHERPA, without
from domain.speedclimb.descriptors import AttachCards, LayParts
from domain.speedclimb.melds import Meld
from domain.speedclimb.moves import Discard, LayLager, Move, Pack, PlaySchneesturm
from domain.speedclimb.views import View
from services.bot.strategies.speedclimb import normal
from services.bot.strategies.speedclimb.attaching import best_attach, nearness
from services.bot.strategies.speedclimb.camps import UNIT, key_of
from services.bot.strategies.speedclimb.denial import Denial
from services.bot.strategies.speedclimb.sight import Sight, rivals, sight_of
from services.bot.strategies.speedclimb.unseen import Unseen

VERSION = 1
_ATTACHED = 2.0
_WANTED = 1.5
"""What it costs, in own turns, to discard a card that others attach, or that the next wants."""
_NEAR = 1.0
_DUEL = 2
_PENALTY = 0.004


def choose(view: View, question: Question, rng: Random) -> Move:
    """Give the move; stage and cards to carry are those that the game proposes."""
    if question.kind == "take":
        return normal.take(sight_of(view), question.options.moves)
    if question.kind == "main":
        return _main(sight_of(view), question, rng)
    default: Move = question.default
    return default


def _main(sight: Sight, question: Question, rng: Random) -> Move:
    for descriptor in question.options.descriptors:
        if isinstance(descriptor, LayParts):
            return LayLager(descriptor.suggestion)
        if isinstance(descriptor, AttachCards) and not _packs(sight, question, descriptor):
            return _attach(sight, descriptor)
    return _end(sight, question.options.moves, rng)


def _attach(sight: Sight, fitting: AttachCards) -> Move:
    def near(melds: tuple[Meld, ...], hand: tuple[str, ...]) -> float:
        total = 0.0
        for card in hand:
            total += nearness(card, hand, melds, sight.top)
        return total

    return best_attach(sight.board.melds, sight.own.hand, fitting.places, sight.top, near)


def _packs(sight: Sight, question: Question, fitting: AttachCards) -> bool:
    if not normal.keeps_sherpa(sight, question, fitting):
        return False
    hand = sight.own.hand
    finishes = len(hand) - hand.count(SHERPA) <= 1
    return not finishes or all(sight.board.climbers[seat].laid for seat in rivals(sight))


def _end(sight: Sight, moves: tuple[Move, ...], rng: Random) -> Move:
    storms = [move for move in moves if isinstance(move, PlaySchneesturm)]
    if storms and not _keeps_storm(sight):
        return min(storms, key=lambda move: _threat(sight, move))
    if sight.laid and Pack(SHERPA) in moves:
        return Pack(SHERPA)
    cards = [move.card for move in moves if isinstance(move, Discard)]
    if len(cards) == 1:
        return Discard(cards[0])
    rng.shuffle(cards)
    unseen = Unseen(sight)
    denial = Denial(sight, unseen, rng)
    spare = sight.spares()
    choice = [card for card in cards if card in spare] or cards
    return Discard(min(choice, key=lambda card: _cost(sight, unseen, denial, card)))


def _keeps_storm(sight: Sight) -> bool:
    """Tell whether nobody's camp stands yet, and there is something else to discard."""
    climbers = sight.board.climbers
    if len(climbers) == _DUEL or any(climber.laid for climber in climbers):
        return False
    return any(card != SCHNEESTURM for card in sight.spares())


def _threat(sight: Sight, move: PlaySchneesturm) -> tuple[bool, int, int]:
    """Rank a target: first whose camp stands, then who has few cards, then who is far up."""
    climber = sight.board.climbers[move.target]
    return not climber.laid, climber.hand_count, -max(climber.position, len(climber.done))


def _cost(sight: Sight, unseen: Unseen, denial: Denial, card: str) -> float:
    """Give what discarding the card costs, in own turns."""
    board, hand = sight.board, sight.own.hand
    cost = 0.0
    if sight.laid or not sight.camp:
        cost += _NEAR * nearness(card, without(hand, (card,)), board.melds, sight.top)
    else:
        key = key_of(hand, sight.camp) - UNIT[sight.camp][card]
        sherpas = hand.count(SHERPA) - (card == SHERPA)
        cost += unseen.turns(key, sherpas, sight.camp, sight.top)
    if sight.attachable(card):
        cost += _ATTACHED
    else:
        cost += _WANTED * denial.chance(card)
    if sight.expedition:
        cost -= _PENALTY * PENALTY[card]
    return cost
