"""What a seat or a spectator may know, with the aids that the screen needs (RULES.md 3.12)."""

from __future__ import annotations

from msgspec import Struct

from domain.kernel import Seat
from domain.speedclimb.hands import attachable, completed_stages, lay_parts
from domain.speedclimb.melds import Place
from domain.speedclimb.moves import LaidPart
from domain.speedclimb.state import Board, Own, State
from domain.speedclimb.takes import takeable, top_of


class View(Struct, frozen=True, gc=False):
    """The whole view; `seat` is the viewer, None for a spectator, who has no `own`.

    `completed`: camps or stages that each seat has done. `open_cards`: the cards that the seat on
    turn may take openly, while it takes. `suggestion`: cards for every part of the own camp, once the hand has
    them all. `fits`: where cards of the own hand may be attached. `stages`: the open stages that
    the hand has everything for, as long as the own stage may be changed.
    """

    seat: Seat | None
    board: Board
    own: Own | None
    completed: tuple[int, ...]
    open_cards: tuple[str, ...] = ()
    suggestion: tuple[LaidPart, ...] = ()
    fits: tuple[Place, ...] = ()
    stages: tuple[int, ...] = ()


def view_of(state: State, seat: Seat | None) -> View:
    """Build the view up from the open board and what the seat alone knows."""
    return seen_by(state.board, seat, None if seat is None else state.owns[seat])


def seen_by(board: Board, seat: Seat | None, own: Own | None) -> View:
    """Build the view up, its aids included."""
    free = board.mountain.free
    done = tuple([len(c.done) if free else c.position - 1 for c in board.climbers])
    opened: tuple[str, ...] = ()
    if board.phase == "take" and board.ended_by is None:
        opened = tuple([card for take in takeable(board, ()) if (card := top_of(board, take))])
    if own is None or seat is None or board.phase not in {"take", "main"}:
        return View(seat, board, own, done, opened)
    climber = board.climbers[seat]
    laying = lay_parts(board, climber, own)
    return View(
        seat,
        board,
        own,
        done,
        opened,
        laying.suggestion if laying else (),
        attachable(board, climber, own.hand),
        completed_stages(board, climber, own.hand) if free and not climber.stage else (),
    )
