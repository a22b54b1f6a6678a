"""What the points of a round are worth to one diver: his chance to win the game."""

from __future__ import annotations

from random import Random

from domain.kernel import Seat
from domain.speeddive.state import Board
from services.bot.strategies.speeddive.course import Ends
from services.bot.strategies.speeddive.wins import wins_of

_SAMPLES = 48
"""Ends of the round that are imagined for several others together."""


class Worth(dict[int, float]):
    """The chance to win by the points that the round brings, for given chances of the others'.

    Against several others the odds of losing to each of them add up: 1 / (1 + sum (1 - W) / W),
    which gives each of n equals 1/n.
    """

    def __init__(self, board: Board, seat: Seat, ends: list[Ends], rng: Random) -> None:
        super().__init__()
        options, divers = board.options, board.divers
        self._wins = wins_of(options.edition, brutal=options.brutal)
        self._target = 0 if board.tie_break else options.target
        self._total = divers[seat].total
        others = [other for other in range(len(divers)) if other != seat]
        if len(others) == 1:
            total = divers[others[0]].total
            self._others = [
                (chance, (max(0, total + points),)) for points, chance in ends[others[0]].items()
            ]
        else:
            columns = [_column(divers[other].total, ends[other], rng) for other in others]
            self._others = [(1 / _SAMPLES, totals) for totals in zip(*columns, strict=True)]

    def __missing__(self, points: int) -> float:
        own = max(0, self._total + points)
        chance = 0.0
        for share, totals in self._others:
            chance += share * self._chance(own, totals)
        self[points] = chance
        return chance

    def _chance(self, own: int, totals: tuple[int, ...]) -> float:
        target = self._target
        best = max(totals)
        if own >= target or best >= target:
            return 0.0 if own < best else 1.0 / (1 + totals.count(own))
        row = self._wins[target - own]
        if len(totals) == 1:
            return row[target - best]
        odds = 1.0
        for total in totals:
            odds += 1.0 / max(row[target - total], 1e-6) - 1.0
        return 1.0 / odds


def _column(total: int, ends: Ends, rng: Random) -> list[int]:
    """Give the totals at evenly spaced quantiles, in random order."""
    column: list[int] = []
    reached = 0.0
    for points in sorted(ends):
        reached += ends[points]
        while len(column) < _SAMPLES and len(column) + 0.5 < reached * _SAMPLES:
            column.append(max(0, total + points))
    column += [max(0, total + max(ends))] * (_SAMPLES - len(column))
    rng.shuffle(column)
    return column
