"""What a standing is worth in a duel: the chance to win the game, from a round in the middle.

The weights are a logistic fit (rounded to 1/100) over the turns of 18,000 rounds that greedy
players played, of "the Strand goes to the other", on what both hold and show. The last cards of
rounds say what a round brings to its winner.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from domain.snorkeling.cards import DECK, Variant
from domain.snorkeling.scoring import GOAL
from services.bot.strategies.snorkeling.bits import FITTING, OF_VALUE

_WANTED: Final = (0, *OF_VALUE, 0)


class Fit(NamedTuple):
    """Weights of one variant in 1/100 logits; `depths[mine][other]`, the mover is `mine`.

    `cards`: for a hand of 0, 1, ... cards. `now`, `soon`, `later`: for 0, 1, ... cards in it that
    hit the other pile as it is, after one and after two more attacks; `strand`: for its Strände.
    `can`: the mover can hit at once; `strikes`: with a Strand; `struck`: the other holds one for
    the mover's 1.
    """

    depths: tuple[tuple[int, ...], ...]
    cards: tuple[int, ...]
    now: tuple[int, ...]
    soon: tuple[int, ...]
    later: tuple[int, ...]
    strand: tuple[int, ...]
    can: int
    strikes: int
    struck: int


def _on(*weights: int) -> tuple[int, ...]:
    """Go on with the last weight for all larger hands."""
    return weights + weights[-1:] * (len(DECK) + 1 - len(weights))


_NOBODY: Final = (0, 0, 0, 0, 0, 0)
FITS: Final[dict[Variant, Fit]] = {
    "BASIS": Fit(
        (
            _NOBODY,
            (0, 87, -119, -277, -373, -451),
            (0, 174, 16, -161, -268, -327),
            (0, 301, 155, 1, -134, -200),
            (0, 372, 244, 118, -8, -90),
            (0, 448, 302, 176, 66, -11),
        ),
        _on(-40, -35, -31, -27, -14, -2, 13, 20, 21, 20),
        _on(0, 110, 124, 123),
        _on(0, 69, 87, 87),
        _on(0, 48, 68, 68),
        _on(0, 31, 51, 51),
        24,
        591,
        -208,
    ),
    "EXPERTEN": Fit(
        (
            _NOBODY,
            (0, 51, -90, -198, -285, -338),
            (0, 120, 8, -106, -178, -233),
            (0, 220, 105, -4, -84, -150),
            (0, 286, 167, 71, -8, -76),
            (0, 354, 219, 131, 56, -14),
        ),
        _on(-60, -52, -46, -36, -22, -7, 6, 22, 36, 48),
        _on(0, 61, 75, 78),
        _on(0, 26, 31, 31),
        _on(0, 14, 24, 24),
        _on(0, 5, 0, 0),
        25,
        488,
        -128,
    ),
}
_SURE: Final = 1200
_CHANCE: Final = tuple([1 / (1 + math.exp(-x / 100)) for x in range(-_SURE, _SURE + 1)])
_TWO: Final = 2


def chance(fit: Fit, depths: tuple[int, int], hands: tuple[int, int], top: int) -> float:
    """Give the mover's chance that the other gets the Strand; his depth and hand stand first."""
    (mine, other), (hand, against) = depths, hands
    logit = fit.depths[mine][other] + _side(fit, hand, other) - _side(fit, against, mine)
    wanted = hand & _WANTED[other]
    if wanted:
        fitting = hand & FITTING[top]
        if fitting & ~wanted or fitting & (fitting - 1):
            logit += fit.can
            if other == 1:
                logit += fit.strikes
    if mine == 1 and against & OF_VALUE[0]:
        logit += fit.struck
    return _CHANCE[max(-_SURE, min(_SURE, logit)) + _SURE]


def _side(fit: Fit, hand: int, depth: int) -> int:
    """Weigh a hand against a pile that shows `depth`."""
    worth = fit.cards[hand.bit_count()] + fit.now[(hand & _WANTED[depth]).bit_count()]
    if depth >= _TWO:
        worth += fit.soon[(hand & _WANTED[depth - 1]).bit_count()]
        if depth > _TWO:
            worth += fit.later[(hand & _WANTED[depth - 2]).bit_count()]
            if depth > _TWO + 1:
                worth += fit.strand[(hand & OF_VALUE[0]).bit_count()]
    return worth


ENDS: Final[dict[Variant, tuple[tuple[tuple[int, ...], ...], ...]]] = {
    "BASIS": (
        ((100, 0, 0, 0, 0),) * 5,
        (
            (36, 64, 0, 0, 0),
            (56, 44, 0, 0, 0),
            (52, 48, 0, 0, 0),
            (52, 48, 0, 0, 0),
            (56, 44, 0, 0, 0),
        ),
        (
            (11, 32, 57, 0, 0),
            (34, 32, 34, 0, 0),
            (43, 31, 26, 0, 0),
            (44, 31, 25, 0, 0),
            (43, 29, 28, 0, 0),
        ),
        (
            (6, 11, 25, 58, 0),
            (19, 26, 21, 34, 0),
            (31, 30, 17, 22, 0),
            (38, 29, 17, 16, 0),
            (39, 30, 18, 13, 0),
        ),
        (
            (3, 5, 10, 22, 60),
            (10, 13, 20, 17, 40),
            (18, 21, 20, 14, 27),
            (28, 26, 19, 11, 16),
            (35, 28, 17, 11, 9),
        ),
    ),
    "EXPERTEN": (
        (
            (96, 3, 1, 0, 0),
            (85, 9, 4, 1, 1),
            (77, 13, 8, 1, 1),
            (70, 14, 9, 6, 1),
            (70, 13, 7, 8, 2),
        ),
        (
            (37, 57, 5, 1, 0),
            (50, 39, 8, 2, 1),
            (45, 41, 10, 3, 1),
            (48, 34, 11, 5, 2),
            (42, 39, 9, 8, 2),
        ),
        (
            (15, 29, 51, 4, 1),
            (31, 32, 29, 6, 2),
            (39, 30, 22, 7, 2),
            (37, 31, 22, 7, 3),
            (42, 30, 18, 7, 3),
        ),
        (
            (7, 12, 29, 48, 4),
            (17, 23, 28, 26, 6),
            (26, 28, 21, 19, 6),
            (33, 27, 20, 14, 6),
            (34, 28, 19, 14, 5),
        ),
        (
            (2, 7, 11, 26, 54),
            (9, 13, 22, 26, 30),
            (16, 21, 22, 19, 22),
            (23, 26, 23, 14, 14),
            (29, 28, 20, 13, 10),
        ),
    ),
}
"""ENDS[variant][winner's depth - 1][loser's depth - 1]: percent that he scores 1, 2, ... 5."""


def duel_table(variant: Variant) -> tuple[tuple[float, ...], ...]:
    """Give the chance to win the game between two rounds, `[own total][other's total]`."""
    size = GOAL + 5
    table = [[0.5] * size for _ in range(size)]
    share = ENDS[variant][4][4]
    for both in range(2 * size - 2, -1, -1):
        for mine in range(max(0, both - size + 1), min(size, both + 1)):
            other = both - mine
            if max(mine, other) >= GOAL:
                table[mine][other] = 0.5 if mine == other else float(mine > other)
                continue
            chance = 0.0
            for score, percent in enumerate(share, 1):
                chance += percent * (table[mine + score][other] + table[mine][other + score])
            table[mine][other] = chance / 200
    return tuple([tuple(row) for row in table])


DUELS: Final[dict[Variant, tuple[tuple[float, ...], ...]]] = {
    "BASIS": duel_table("BASIS"),
    "EXPERTEN": duel_table("EXPERTEN"),
}
