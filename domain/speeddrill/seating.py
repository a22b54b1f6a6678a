"""Which colours a seat plays, in which order they take turns and how they read (R01 to R03)."""

from __future__ import annotations

from domain.kernel import Seat
from domain.speeddrill.material import SIDES, Side
from domain.speeddrill.state import Konzern

_TWO = 2


def konzerne_of(places: tuple[int, ...]) -> tuple[Konzern, ...]:
    """Give all colours of a game in turn order, with the seat that plays each.

    `places` are the sides at which the seats sit, ascending: 0 Sued, 1 West, 2 Nord, 3 Ost.
    """
    own = [SIDES[place] for place in places]
    if len(places) == _TWO:
        second = [SIDES[place] for place in _second(places)]
        # Order: own, own, second, second (DRILL-R02, A03); both are read from the own side (R03).
        return tuple(
            [Konzern(side, seat, own[seat]) for seat, side in _numbered(own)]
            + [Konzern(side, seat, own[seat]) for seat, side in _numbered(second)]
        )
    # Order: clockwise through the seats that are taken (DRILL-R01).
    return tuple([Konzern(side, seat, side) for seat, side in _numbered(own)])


def _second(places: tuple[int, ...]) -> tuple[int, ...]:
    opposite = tuple([(place + 2) % 4 for place in places])
    if places[1] != opposite[0]:
        return opposite
    # They sit opposite each other: each gets the next side clockwise, which is free (A02).
    return tuple([(place + 1) % 4 for place in places])


def _numbered(sides: list[Side]) -> list[tuple[Seat, Side]]:
    return list(enumerate(sides))
