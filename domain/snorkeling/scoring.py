"""Scores and the end of the game (SNORK-R11 to R14), all from the open board."""

from __future__ import annotations

from collections import Counter

from domain.kernel import Cards, Seat
from domain.snorkeling.cards import DECK, LATERNENFISCH, STRAND, VALUE
from domain.snorkeling.state import Board

GOAL = 12
ROUNDS_MAX = 40
TURNS_MAX = 150
"""Per participant; after so many a round is over with normal scoring (SNORK-R14)."""

_DECK_COUNTS = dict(Counter(DECK))


def tops(board: Board) -> tuple[int, ...]:
    """Give the value of each pile's top card: what a round that ended now would bring."""
    return tuple([VALUE[each.own[-1]] for each in board.schnorchler])


def stranded(board: Board) -> Seat | None:
    """Give the seat that got the Strand in this round."""
    values = tops(board)
    return values.index(STRAND) if STRAND in values else None


def ends_game(totals: tuple[int, ...], number: int) -> bool:
    """Tell whether the game is over after round `number`."""
    best = max(totals)
    # SNORK-R12: one alone ahead with 12 or more; a shared lead means another round (SNORK-A07).
    return (best >= GOAL and totals.count(best) == 1) or number >= ROUNDS_MAX


def cards_left(board: Board, hand: Cards) -> dict[str, int]:
    """Count each card that is neither open on the table nor in this hand: in hands or the pile."""
    left = _DECK_COUNTS.copy()
    for card in hand:
        left[card] -= 1
    for card in board.centre:
        left[card] -= 1
    for each in board.schnorchler:
        for card in each.own:
            if card != LATERNENFISCH:
                left[card] -= 1
    return left
