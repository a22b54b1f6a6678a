"""Which cards the next climber would like to have: hands that he may hold, judged by his camp."""

from __future__ import annotations

from random import Random

from domain.kernel import Seat
from domain.speedclimb.cards import SHERPA, SIZE
from domain.speedclimb.scoring import camp_number
from services.bot.strategies.speedclimb.camps import KIND, UNIT, measured
from services.bot.strategies.speedclimb.sight import Sight
from services.bot.strategies.speedclimb.unseen import Unseen

_HANDS = 64
_BELIED = 0.3
"""How much a hand counts that would have wanted a card which lies open."""
_COLLECTED = 2.0
"""How much more a hand counts for every card that its camp can use: it was collected."""


class Denial:
    """Imagined hands of the next climber, if his camp does not stand yet.

    Each has the cards that he took openly. Those that his camp can use much of are the more likely
    ones, and those that want a card which lies open, and has been left lying, the less likely.
    """

    def __init__(self, sight: Sight, unseen: Unseen, rng: Random) -> None:
        """Imagine the hands."""
        self._hands: list[tuple[float, int]] = []
        self._kinds: dict[str, int] = {}
        seat = next_taker(sight)
        if seat is None:
            return
        board = sight.board
        climber = board.climbers[seat]
        number = camp_number(board, climber, climber.stage)
        if not number or climber.laid:
            return
        camp = board.mountain.camps[number - 1]
        self._kinds = KIND[camp]
        unit = UNIT[camp]
        pool = [card for card, count in unseen.counts.items() for _ in range(count)]
        known = sum([unit[card] for card in climber.known])
        count = min(len(pool), max(0, climber.hand_count - len(climber.known)))
        passed = [self._kinds[pile.top] for pile in board.piles if pile.top]
        for _ in range(_HANDS):
            drawn = rng.sample(pool, count)
            used, outs = measured(known + sum([unit[card] for card in drawn]), camp, sight.top)
            weight = 1.0
            for _ in range(min(used + drawn.count(SHERPA), SIZE[camp] - 1)):
                weight *= _COLLECTED
            for kind in passed:
                weight *= _BELIED if outs & kind else 1.0
            self._hands.append((weight, outs))

    def chance(self, card: str) -> float:
        """Give how likely the card brings him nearer to his camp."""
        if not self._hands:
            return 0.0
        if card == SHERPA:
            return 1.0
        kind = self._kinds[card]
        wanted = total = 0.0
        for weight, outs in self._hands:
            total += weight
            wanted += weight if outs & kind else 0.0
        return wanted / total


def next_taker(sight: Sight) -> Seat | None:
    """Give who is on turn next; None if that is the seat itself, because the others are stormed."""
    climbers = sight.board.climbers
    for step in range(1, len(climbers)):
        seat = (sight.seat + step) % len(climbers)
        if not climbers[seat].storm:
            return seat
    return None
