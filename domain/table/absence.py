"""Seats whose people show no sign of life: a disconnect is never leaving (TABLE-A08)."""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from domain.kernel import Seat

OFFLINE_MS: Final = 60_000
"""Who has shown no sign for so long is offline; clients show one every 30 s."""
SUBSTITUTE_MS: Final = 5 * 60_000
"""From then on the others may let the computer play for him until he comes back."""


class Absence(Struct, frozen=True, gc=False):
    """A seat that is offline; `since_ms` (ms since the epoch) moves on by what nobody served.

    `substituted`: the computer plays for it.
    """

    seat: Seat
    since_ms: int
    substituted: bool = False

    @property
    def substitute_from(self) -> int:
        """The time (ms) from which on the others may let the computer play."""
        return self.since_ms + SUBSTITUTE_MS


Absences: TypeAlias = tuple[Absence, ...]


def of_seat(absent: Absences, seat: Seat) -> Absence | None:
    """Give the absence of a seat, None when its person is there."""
    return next((each for each in absent if each.seat == seat), None)


def without(absent: Absences, seat: Seat) -> Absences:
    """Give the absences after one has ended."""
    return tuple(each for each in absent if each.seat != seat)


def substituted(absent: Absences, seat: Seat) -> Absences:
    """Give the absences after the computer has begun to play for a seat."""
    return tuple(replace(each, substituted=True) if each.seat == seat else each for each in absent)


def given_back(absent: Absences, from_ms: int, to_ms: int) -> Absences:
    """Give the absences when a span does not count: nobody could have come back in it."""
    return tuple(
        each
        if each.substituted
        else replace(each, since_ms=each.since_ms + max(0, to_ms - max(from_ms, each.since_ms)))
        for each in absent
    )
