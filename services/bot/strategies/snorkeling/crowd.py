"""What a standing is worth among three to six players."""

from __future__ import annotations

import math
from typing import Final

from domain.snorkeling.cards import LATERNENFISCH_VALUE
from domain.snorkeling.scoring import GOAL, ROUNDS_MAX
from domain.snorkeling.views import View
from services.bot.strategies.snorkeling.model import Judge, Sea, Stages

AHEAD: Final = 2
"""Turns of each player that are played before a standing is judged."""
STAGES: Final[Stages] = ((8, 5), (16, 3), (40, 1))
_SCALE: Final = 3.0
"""A lead of so many points makes the share of wins e times as large."""
_WEIGHT: Final = tuple(
    [math.exp(-gap / _SCALE) for gap in range(LATERNENFISCH_VALUE * ROUNDS_MAX + 1)]
)


def judge(view: View) -> Judge:
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
