"""What a place is worth on the leaderboard, the same for every game (TABLE-R03)."""

from __future__ import annotations


def place_bonus(rank: int, seats: int) -> int:
    """Give the bonus of a place among so many seats; a shared place pays in full (TABLE-A02)."""
    if rank == 1:
        return 30
    if rank == 2 and seats >= 3:  # noqa: PLR2004 - the table of TABLE-R03
        return 15
    if rank == 3 and seats >= 4:  # noqa: PLR2004
        return 5
    return 0
