"""What a seat or a spectator may know: the open board and what everybody can count from it."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from domain.kernel import Seat
from domain.speeddive.rules import on_turn
from domain.speeddive.scoring import cards_left, luftmesser, round_score
from domain.speeddive.state import Board


class View(Struct, frozen=True):
    """The whole view; `seat` is the viewer, None for a spectator.

    `turn`: the diver who dives or surfaces next, once nothing is pending. `scores`: what the running round has brought
    each seat so far. `left`: how many of each card are in the pile. `luftmesser`: how many cards
    of the pile (of the discard pile while the pile is empty) would put each diver OUT.
    """

    seat: Seat | None
    board: Board
    turn: Seat | None
    scores: tuple[int, ...]
    left: dict[str, int]
    luftmesser: tuple[int, ...]


_public: list[View] = []
"""The spectators' view of the board that was asked for last: every seat's follows from it."""


def view_of(board: Board, seat: Seat | None) -> View:
    """Build the view up from the open board; all that differs between seats is whose it is."""
    if not _public or _public[0].board is not board:
        _public[:] = [_public_view(board)]
    shown = _public[0]
    return View(seat, board, shown.turn, shown.scores, shown.left, shown.luftmesser)


def _public_view(board: Board) -> View:
    left = cards_left(board)
    sea = left if board.pile_count else Counter(board.discard)
    return View(
        None,
        board,
        on_turn(board) if board.phase == "round" else None,
        tuple([round_score(diver, board.options) for diver in board.divers]),
        left,
        tuple([luftmesser(diver, sea, board.options) for diver in board.divers]),
    )
