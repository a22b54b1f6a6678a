"""How sure a share of wins is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

Z: Final = 1.959964
"""Standard deviations of a normal distribution on both sides of 95 %."""
DEALS_MIN: Final = 30
"""With fewer deals their spread says too little."""


class Share(NamedTuple):
    """A share of wins, and the ends of its 95 % interval; all from 0 to 1."""

    mean: float
    low: float
    high: float


def share_of(deals: Sequence[float]) -> Share:
    """Give A's share of wins from its mean share in each deal; there is at least one.

    The games of one deal share their cards, so deals are what is independent. Their spread tells
    how many independent games all of them are worth: n = p (1 - p) / (variance of the mean). With
    this n the interval is Wilson's (1927), which never leaves 0 to 1. Fewer than DEALS_MIN deals,
    or deals that all came out the same, are worth one game each, which is the least they can be.
    """
    count = len(deals)
    mean = math.fsum(deals) / count
    spread = math.fsum((each - mean) ** 2 for each in deals) / max(1, count - 1)
    worth = float(count)
    if count >= DEALS_MIN and spread > 0:
        worth = mean * (1 - mean) * count / spread
    return Share(mean, *wilson(mean, worth))


def wilson(share: float, games: float) -> tuple[float, float]:
    """Give Wilson's score interval for a share of wins in independent games."""
    shrink = 1 + Z * Z / games
    centre = (share + Z * Z / (2 * games)) / shrink
    half = Z / shrink * math.sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    return max(0.0, centre - half), min(1.0, centre + half)
