"""What a standing is worth among three to six players."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from domain.snorkeling.scoring import GOAL
from domain.snorkeling.views import View
from services.bot.strategies.snorkeling.model import Sea

AHEAD: Final = 4
"""Turns of each player that are played before a standing is judged."""
_SCALE: Final = 3.0
"""A lead of so many points makes the share of wins e times as large."""
_WEIGHT: Final = tuple([math.exp(-gap / _SCALE) for gap in range(64)])


def judge(view: View) -> Callable[[Sea, bool], float]:
    """Judge by the share of wins that the totals would promise if the round ended here."""
    seat = view.seat
    assert seat is not None

    def worth(sea: Sea, over: bool) -> float:  # noqa: FBT001 - by position for speed
        after = [total + depth for total, depth in zip(sea.totals, sea.depths, strict=True)]
        best = max(after)
        if over and best >= GOAL and after.count(best) == 1:
            return float(after[seat] == best)
        whole = 0.0
        for total in after:
            whole += _WEIGHT[best - total]
        return _WEIGHT[best - after[seat]] / whole

    return worth
