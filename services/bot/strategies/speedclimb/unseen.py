"""The cards that a seat does not see, and how soon they are likely to complete its camp."""

from __future__ import annotations

from collections import Counter

from domain.speedclimb.cards import SHERPA, SIZE
from services.bot.strategies.speedclimb.camps import KIND, reach
from services.bot.strategies.speedclimb.sight import Sight

_OPEN = 0.6
"""How often a card that somebody has just discarded is as good as one drawn from the material."""


class Unseen:
    """Every card that lies hidden: in the material, in hands, covered in piles, in a Rucksack.

    `total` is at least 1. A card that another seat took openly and still has is not among them.
    """

    def __init__(self, sight: Sight) -> None:
        """Count them from what the seat sees."""
        board = sight.board
        counts = Counter(board.mountain.deck)
        counts.subtract(sight.own.hand)
        counts.subtract(sight.own.rucksack)
        for meld in board.melds:
            counts.subtract(meld.cards)
        counts.subtract([pile.top for pile in board.piles if pile.top])
        for seat, climber in enumerate(board.climbers):
            if seat != sight.seat:
                counts.subtract(climber.known)
        self.counts = {card: count for card, count in counts.items() if count > 0}
        self.total = max(1, sum(self.counts.values()))
        self._by_kind: dict[int, int] = {}
        if sight.camp:
            kinds = KIND[sight.camp]
            for card, count in self.counts.items():
                kind = kinds[card]
                self._by_kind[kind] = self._by_kind.get(kind, 0) + count

    def outs(self, key: int, camp: str, top: int) -> int:
        """Give how many unseen cards bring a hand nearer to the camp, Sherpas included."""
        wanted = reach(key, camp, top).outs
        count = self.counts.get(SHERPA, 0)
        while wanted:
            kind = wanted & -wanted
            count += self._by_kind.get(kind, 0)
            wanted ^= kind
        return count

    def turns(self, key: int, sherpas: int, camp: str, top: int) -> float:
        """Give about how many turns the hand takes to complete the camp.

        Each turn brings a card of the material, and an open one is there to be looked at. With k
        cards missing there are about k times as many outs as for the last of them.
        """
        lacking = SIZE[camp] - reach(key, camp, top).used - sherpas
        if lacking <= 0:
            return 0.0
        chance = max(self.outs(key, camp, top), 0.3) / self.total
        chance = 1 - (1 - chance) * (1 - _OPEN * chance)
        turns = 0.0
        for step in range(1, lacking + 1):
            turns += lacking / (step * chance)
        return turns
