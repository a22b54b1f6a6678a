"""The open board as flat lists of integers, and what a drill changes.

Lengths and depths count in 100 m. A colour is its index in turn order, nobody is -1: every list
over colours ends in one more 0 for nobody, so that index -1 needs no question.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from domain.kernel import Seat
from domain.speeddrill.material import SQUARE_COUNT, Rods
from domain.speeddrill.state import Board

NOBODY = -1
ONE = (1, 1 << 4, 1 << 8, 1 << 12, 0)
"""One tower of each colour in the code of a field."""

Worths: TypeAlias = tuple[tuple[tuple[int, ...], ...], ...]
"""What a hole is worth to its owner: [field][depth][metres of the owner]."""
Weights: TypeAlias = tuple[int, ...]
"""How much a point of each colour counts to somebody; the last is 0, for nobody."""

METRES = 100
METRES_MAX = 47
DEPTH_MAX = 4 * METRES_MAX
"""All rods of a colour, and those of four, in 100 m."""


class _Holders(dict[int, int]):
    """Who has the Förderlizenz, by the code of a field; each is reckoned once."""

    def __missing__(self, code: int) -> int:
        towers = [code >> 4 * colour & 15 for colour in range(4)]
        most = max(towers)
        holder = towers.index(most) if towers.count(most) == 1 else NOBODY
        self[code] = holder
        return holder


HOLDER = _Holders()


class Stakes(NamedTuple):
    """What counts how much: holes by `worths`, a licence and the Erdkern-Prämie by a number each.

    `cost` is what it costs to use up a rod, by its length in 100 m.
    """

    worths: Worths
    lizenz: int
    erdkern: int
    cost: tuple[int, ...] = (0, 0, 0, 0, 0)


Drilling: TypeAlias = tuple[int, int, int]
"""A drill: what it gains him who weighs it, minus the rod (so that of equals the shortest is the
greatest), and the hole of the board."""


class Position:
    """The holes of a board, to be drilled on and copied.

    `owner`, `depth` and `most` (metres of the owner) have an entry for each hole, `metres` for each
    colour and hole; `codes` count the towers of each field, four bits for each colour. `deepest` is
    the greatest depth, `erdkern` the owner of the one hole that has it.
    """

    __slots__ = ("codes", "deepest", "depth", "erdkern", "metres", "most", "owner")

    owner: list[int]
    depth: list[int]
    most: list[int]
    metres: list[list[int]]
    codes: list[int]
    deepest: int
    erdkern: int

    def copy(self) -> Position:
        """Give a position that can be drilled on by itself."""
        other = Position()
        other.owner = self.owner[:]
        other.depth = self.depth[:]
        other.most = self.most[:]
        other.metres = [metres[:] for metres in self.metres]
        other.codes = self.codes[:]
        other.deepest = self.deepest
        other.erdkern = self.erdkern
        return other

    def drill(self, colour: int, hole: int, rod: int) -> None:
        """Put a rod under a hole (DRILL-R07); it must be legal."""
        owner = self.owner[hole]
        if owner != colour:
            self.codes[hole // SQUARE_COUNT] += ONE[colour] - ONE[owner]
            self.owner[hole] = colour
        self.metres[colour][hole] += rod
        self.most[hole] = self.metres[colour][hole]
        self.depth[hole] = depth = self.depth[hole] + rod
        if depth > self.deepest:
            self.deepest = depth
            self.erdkern = colour
        elif depth == self.deepest:
            self.erdkern = NOBODY

    def drillings(
        self,
        colour: int,
        squares: Iterable[int],
        rods: tuple[int, ...],
        stakes: Stakes,
        weights: Weights,
    ) -> list[Drilling]:
        """Give every legal drill of a colour on these squares with these rods.

        It gains what the stakes of each colour change by, times the colour's weight.
        """
        worths, lizenz, erdkern, cost = stakes
        owners, depths, most, metres = self.owner, self.depth, self.most, self.metres[colour]
        mine, deepest = weights[colour], self.deepest
        shared = -erdkern * weights[self.erdkern]
        alone = erdkern * mine + shared
        one = ONE[colour]
        found = []
        for feld, worth in enumerate(worths):
            code = self.codes[feld]
            held = weights[HOLDER[code]]
            for square in squares:
                hole = feld * SQUARE_COUNT + square
                owner, depth, own, needs = owners[hole], depths[hole], metres[hole], most[hole]
                gain = -weights[owner] * worth[depth][needs]
                if owner != colour:
                    gain += lizenz * (weights[HOLDER[code + one - ONE[owner]]] - held)
                for rod in rods:
                    if own + rod < needs:
                        continue  # no Bohrrecht (DRILL-R08)
                    total = gain + mine * worth[depth + rod][own + rod] - cost[rod]
                    if depth + rod >= deepest:
                        total += alone if depth + rod > deepest else shared
                    found.append((total, -rod, hole))
        return found


def position_of(board: Board) -> Position:
    """Give the holes of a board."""
    holes = board.holes
    position = Position()
    position.owner = [NOBODY if hole.owner is None else hole.owner for hole in holes]
    position.depth = [hole.depth // METRES for hole in holes]
    position.metres = [
        [hole.metres[colour] // METRES for hole in holes] for colour in range(len(board.konzerne))
    ]
    position.most = [
        0 if owner == NOBODY else position.metres[owner][at]
        for at, owner in enumerate(position.owner)
    ]
    position.codes = [
        sum([ONE[owner] for owner in position.owner[first : first + SQUARE_COUNT]])
        for first in range(0, len(holes), SQUARE_COUNT)
    ]
    position.deepest = max(position.depth)
    alone = position.depth.count(position.deepest) == 1
    at = position.depth.index(position.deepest)
    position.erdkern = position.owner[at] if alone else NOBODY
    return position


def lengths_of(rods: Rods) -> tuple[int, ...]:
    """Give the lengths that are there in 100 m, the shortest first."""
    return tuple([length for length, count in enumerate(rods, 1) if count])


def weights_of(board: Board, seat: Seat) -> Weights:
    """Weigh the colours as a seat does: its own points against the mean of the others'.

    All are times the number of the others, so that they are whole numbers.
    """
    others = max([konzern.seat for konzern in board.konzerne])
    return (*[others if konzern.seat == seat else -1 for konzern in board.konzerne], 0)
