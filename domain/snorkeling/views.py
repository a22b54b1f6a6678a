"""What a seat or a spectator may know: the open board, the own hand, and what can be counted."""

from __future__ import annotations

from msgspec import Struct

from domain.kernel import Cards, Seat
from domain.snorkeling.scoring import cards_left, tops
from domain.snorkeling.state import Board


class View(Struct, frozen=True, gc=False):
    """The whole view; `seat` is the viewer, None for a spectator, and `hand` is his own.

    `scores`: what the round would bring each seat if it ended now. `left`: how many of each card
    the viewer has no eyes on: they are in other hands or in the pile.
    """

    seat: Seat | None
    board: Board
    hand: Cards
    scores: tuple[int, ...]
    left: dict[str, int]


def view_of(board: Board, seat: Seat | None, hand: Cards) -> View:
    """Build the view up from the open board and the viewer's own hand."""
    return View(seat, board, hand, tops(board), cards_left(board, hand))
