"""What a standing is worth in a game of two: the chance to win the game."""

from __future__ import annotations

from typing import Final

from domain.snorkeling.cards import Variant
from domain.snorkeling.scoring import GOAL
from domain.snorkeling.views import View
from services.bot.strategies.snorkeling.model import Judge, Sea, Stages
from services.bot.strategies.snorkeling.standing import DUELS, ENDS, FITS, chance

AHEAD: Final[dict[Variant, int]] = {"BASIS": 4, "EXPERTEN": 2}
"""Turns that are played before a standing is judged."""
STAGES: Final[Stages] = ((12, 5), (24, 3), (48, 2), (96, 1))


def judge(view: View) -> Judge:
    """Give the judge of the asked seat: what a round brings depends on the score of the game."""
    seat = view.seat
    assert seat is not None
    board = view.board
    variant = board.options.variant
    mine, theirs = board.schnorchler[seat].total, board.schnorchler[1 - seat].total
    excess = max(0, mine - GOAL + 1, theirs - GOAL + 1)  # a shared lead: only the difference counts
    mine, theirs = max(0, mine - excess), max(0, theirs - excess)
    fit, table, other = FITS[variant], DUELS[variant], 1 - seat
    won = [[0.0] * 6 for _ in range(6)]
    lost = [[0.0] * 6 for _ in range(6)]
    for high in range(5):
        for low in range(5):
            for score, percent in enumerate(ENDS[variant][high][low], 1):
                won[high + 1][low + 1] += percent * table[mine + score][theirs] / 100
                lost[low + 1][high + 1] += percent * table[mine][theirs + score] / 100

    def worth(sea: Sea, over: bool) -> float:  # noqa: FBT001 - by position for speed
        me, you = sea.depths[seat], sea.depths[other]
        if over:
            return table[mine + me][theirs + you]
        hands = sea.hands
        if sea.turn == seat:
            win = chance(fit, (me, you), (hands[seat], hands[other]), sea.top)
        else:
            win = 1 - chance(fit, (you, me), (hands[other], hands[seat]), sea.top)
        return win * won[me][you] + (1 - win) * lost[me][you]

    return worth
