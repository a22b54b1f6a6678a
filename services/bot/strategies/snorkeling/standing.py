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


class Side(NamedTuple):
    """Weights of one side in 1/100 logits.

    `cards[count]`: for the size of the hand. `hits[depth][value][count]`: for its cards of a value
    that hit the other pile, which shows `depth`, now or after more attacks.
    """

    cards: tuple[int, ...]
    hits: tuple[tuple[tuple[int, ...], ...], ...]


class Fit(NamedTuple):
    """Weights of one variant in 1/100 logits; `depths[mine][other]`, the mover is `mine`.

    `can[depth]`: the mover can hit the other pile, which shows `depth`, at once.
    """

    depths: tuple[tuple[int, ...], ...]
    mover: Side
    waiting: Side
    can: tuple[int, ...]


def _on(*weights: int) -> tuple[int, ...]:
    """Go on with the last weight for all larger hands."""
    return weights + weights[-1:] * (len(DECK) + 1 - len(weights))


_NOBODY: Final = (0, 0, 0, 0, 0, 0)
FITS: Final[dict[Variant, Fit]] = {
    "BASIS": Fit(
        (
            _NOBODY,
            (0, 38, -207, -296, -341, -407),
            (0, 220, 8, -123, -184, -240),
            (0, 303, 112, 1, -85, -139),
            (0, 335, 170, 79, 1, -62),
            (0, 416, 239, 140, 72, 13),
        ),
        Side(
            _on(-7, -7, -7, -18, -10, 2, 16, 25, 27, 28),
            (
                (),
                (_on(0, 235, 278),),
                (
                    _on(0, 114, 142),
                    _on(0, 134, 154),
                ),
                (
                    _on(0, 68, 79),
                    _on(0, 79, 108),
                    _on(0, 108, 129),
                ),
                (
                    _on(0, 38, 57),
                    _on(0, 42, 69),
                    _on(0, 59, 81),
                    _on(0, 83, 87),
                ),
                (
                    _on(0, 17, 35),
                    _on(0, 24, 48),
                    _on(0, 31, 53),
                    _on(0, 49, 62),
                    _on(0, 69, 71),
                ),
            ),
        ),
        Side(
            _on(36, 36, 36, 37, 24, 10, -4, -12, -14, -15),
            (
                (),
                (_on(0, -351, -381),),
                (
                    _on(0, -107, -125),
                    _on(0, -177, -196),
                ),
                (
                    _on(0, -64, -72),
                    _on(0, -75, -100),
                    _on(0, -123, -141),
                ),
                (
                    _on(0, -36, -53),
                    _on(0, -42, -66),
                    _on(0, -59, -78),
                    _on(0, -97, -103),
                ),
                (
                    _on(0, -19, -35),
                    _on(0, -25, -51),
                    _on(0, -34, -55),
                    _on(0, -50, -61),
                    _on(0, -89, -91),
                ),
            ),
        ),
        (0, 566, 116, 36, 27, 24),
    ),
    "EXPERTEN": Fit(
        (
            _NOBODY,
            (0, 25, -127, -191, -261, -330),
            (0, 135, 6, -80, -141, -211),
            (0, 205, 82, -3, -67, -146),
            (0, 261, 137, 62, -4, -80),
            (0, 346, 206, 137, 71, -4),
        ),
        Side(
            _on(-24, -24, -24, -24, -17, -6, 4, 19, 32, 45),
            (
                (),
                (_on(0, 132, 198),),
                (
                    _on(0, 35, 52),
                    _on(0, 77, 114),
                ),
                (
                    _on(0, 10, 19),
                    _on(0, 29, 39),
                    _on(0, 48, 66),
                ),
                (
                    _on(0, 8, 4),
                    _on(0, 10, 25),
                    _on(0, 24, 27),
                    _on(0, 34, 44),
                ),
                (
                    _on(0, 2, -2),
                    _on(0, 14, 18),
                    _on(0, 23, 29),
                    _on(0, 20, 22),
                    _on(0, 56, 62),
                ),
            ),
        ),
        Side(
            _on(43, 43, 43, 39, 26, 12, -1, -16, -31, -43),
            (
                (),
                (_on(0, -194, -228),),
                (
                    _on(0, -31, -44),
                    _on(0, -95, -121),
                ),
                (
                    _on(0, -8, -12),
                    _on(0, -28, -34),
                    _on(0, -61, -72),
                ),
                (
                    _on(0, -6, 2),
                    _on(0, -9, -20),
                    _on(0, -25, -25),
                    _on(0, -46, -50),
                ),
                (
                    _on(0, -1, 7),
                    _on(0, -11, -11),
                    _on(0, -25, -27),
                    _on(0, -16, -14),
                    _on(0, -65, -70),
                ),
            ),
        ),
        (0, 471, 69, 46, 36, 11),
    ),
}
_SURE: Final = 1200
_CHANCE: Final = tuple([1 / (1 + math.exp(-x / 100)) for x in range(-_SURE, _SURE + 1)])


def chance(fit: Fit, depths: tuple[int, int], hands: tuple[int, int], top: int) -> float:
    """Give the mover's chance that the other gets the Strand; his depth and hand stand first."""
    (mine, other), (hand, against) = depths, hands
    logit = fit.depths[mine][other]
    logit += _weigh(fit.mover, hand, other) + _weigh(fit.waiting, against, mine)
    wanted = hand & OF_VALUE[other - 1]
    if wanted:
        fitting = hand & FITTING[top]
        if fitting & ~wanted or fitting & (fitting - 1):
            logit += fit.can[other]
    return _CHANCE[max(-_SURE, min(_SURE, logit)) + _SURE]


def _weigh(side: Side, hand: int, depth: int) -> int:
    """Weigh a hand against a pile that shows `depth`."""
    worth = side.cards[hand.bit_count()]
    for weights, cards in zip(side.hits[depth], OF_VALUE, strict=False):
        worth += weights[(hand & cards).bit_count()]
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
