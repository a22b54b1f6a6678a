"""Where a colour may drill (DRILL-R07, R08): every (card, rod, field) as one precomputed move."""

from __future__ import annotations

from domain.kernel import Cards
from domain.options import Options
from domain.speeddrill.evolve import hole_at
from domain.speeddrill.material import FELDER, LENGTHS, RODS_A_SEASON, SQUARE_OF, SQUARES, Rods
from domain.speeddrill.moves import ChooseRods, Drill, Move, PickRods
from domain.speeddrill.state import Board

_ALL = 15
_FIRST_OF_FELD = tuple(hole_at(feld, 0) for feld in FELDER)
_LONG_ENOUGH = {0: 15, 100: 15, 200: 14, 300: 12, 400: 8}
"""Which lengths are at least so many metres, as bits from the shortest; no rod is over 400 m."""
_SHORTEST = tuple((mask & -mask).bit_length() - 1 for mask in range(_ALL + 1))
_DRILLS: dict[str, tuple[tuple[tuple[Drill, ...], ...], ...]] = {}
"""_DRILLS[card][field][lengths]: the moves with these lengths, the shortest first."""

for _card in SQUARES:
    _by_length = [[Drill(_card, length, feld) for length in LENGTHS] for feld in FELDER]
    _DRILLS[_card] = tuple(
        tuple(
            tuple(drill for bit, drill in enumerate(drills) if mask >> bit & 1)
            for mask in range(_ALL + 1)
        )
        for drills in _by_length
    )


def _lengths(rods: Rods) -> int:
    """Give the lengths that are there as bits."""
    one, two, three, four = rods
    return (one > 0) | (two > 0) << 1 | (three > 0) << 2 | (four > 0) << 3


def can_drill(board: Board, at: int, hand: Cards) -> bool:
    """Tell whether the colour can drill anywhere with any of its cards (DRILL-R09)."""
    konzern = board.konzerne[at]
    holes, there, square_of = board.holes, _lengths(konzern.rods), SQUARE_OF[konzern.side]
    for card in hand:
        square = square_of[card]
        for first in _FIRST_OF_FELD:
            if there & _LONG_ENOUGH.get(holes[first + square].needs[at], 0):
                return True
    return False


def drills(board: Board, at: int, hand: Cards) -> tuple[Options[Move], Move]:
    """Give every legal move of the colour, and a sensible one.

    The sensible one takes a foreign hole, else a free square, else goes on in an own hole, with the
    shortest rod that does it.
    """
    konzern = board.konzerne[at]
    holes, there, square_of = board.holes, _lengths(konzern.rods), SQUARE_OF[konzern.side]
    moves: list[Move] = []
    best, default = -100, None
    # A card that is in the hand twice means the same moves.
    for card in dict.fromkeys(hand):
        square, by_feld = square_of[card], _DRILLS[card]
        for feld, first in enumerate(_FIRST_OF_FELD):
            hole = holes[first + square]
            lengths = there & _LONG_ENOUGH.get(hole.needs[at], 0)
            if not lengths:
                continue
            found = by_feld[feld][lengths]
            moves += found
            owner = hole.owner
            worth = (4 if owner is None else 0 if owner == at else 8) - _SHORTEST[lengths]
            if worth > best:
                best, default = worth, found[0]
    assert default is not None, "who cannot drill forfeits instead (DRILL-R09)"
    return Options(tuple(moves)), default


def even(supply: Rods, seasons_left: int) -> Rods:
    """Give a choice of six rods that spreads the supply evenly over the seasons that are left."""
    whole = [have // seasons_left for have in supply]
    # Order: the lengths with the greatest remainder first, of equal ones the longer.
    by_remainder = sorted(
        range(len(LENGTHS)), key=lambda n: (supply[n] % seasons_left, n), reverse=True
    )
    for n in by_remainder[: RODS_A_SEASON - sum(whole)]:
        whole[n] += 1
    return tuple(whole)


def choices(board: Board, at: int) -> tuple[Options[Move], Move]:
    """Give every legal choice of rods for the season, and one that spreads them evenly (R06)."""
    konzern = board.konzerne[at]
    pick = PickRods(konzern.name, konzern.supply, RODS_A_SEASON)
    seasons_left = sum(konzern.supply) // RODS_A_SEASON
    rods = even(konzern.supply, seasons_left)
    return Options(descriptors=(pick,)), ChooseRods(konzern.name, rods)
