"""What a finished game brings to its leaderboard, seat by seat, and why a seat gets nothing (TABLE-R03)."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from domain.kernel import Seat
from domain.ranking import place_bonus
from domain.table.events import GameFinished, Occupant

LEAVER_POINTS: Final = -10
MINIMUM_TIME: Final = frozenset({"speeddive"})
"""Games whose rules say that a too short game is not entered (TABLE-A04)."""


class SeatPoints(Struct, frozen=True):
    """The points of a seat are `base` and `bonus`; entered unless `why_not` says something."""

    seat: Seat
    player: str
    rank: int
    base: int
    bonus: int
    why_not: str = ""

    @property
    def points(self) -> int:
        """What is entered."""
        return self.base + self.bonus


def seat_points(finished: GameFinished, at: int) -> tuple[SeatPoints, ...]:
    """Account for every seat of a game that ended at `at` (ms since the epoch)."""
    seats = len(finished.seats)
    short = _too_short(finished, at)
    rows = zip(finished.seats, finished.ranks, finished.leaderboard_base, strict=True)
    return tuple(
        SeatPoints(
            seat, each.player, rank, base, place_bonus(rank, seats), _no_entrant(each) or short
        )
        for seat, (each, rank, base) in enumerate(rows)
    )


def _too_short(finished: GameFinished, at: int) -> str:
    took_ms = at - finished.started_ms
    if finished.game not in MINIMUM_TIME or took_ms >= finished.min_game_s * 1_000:
        return ""
    return f"the game took {took_ms / 1_000:.1f} s, less than {finished.min_game_s} s"


def _no_entrant(occupant: Occupant) -> str:
    if occupant.kind == "computer":
        return "computers get no entries"
    if occupant.kind == "guest":
        return "guests get no entries"
    return "left before the end" if occupant.left else ""
