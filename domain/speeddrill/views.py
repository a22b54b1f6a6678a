"""What a seat or a spectator may know: the open board, his own cards, and what all can reckon."""

from __future__ import annotations

from msgspec import Struct

from domain.kernel import Seat
from domain.speeddrill.material import Feld, Side
from domain.speeddrill.rohstoffe import TABLE, Rohstoff
from domain.speeddrill.scoring import FeldBilanz, felder_of, totals_of, wertung
from domain.speeddrill.state import Board, Held, Wertung, kursfeld, on_turn

_TABLE: dict[Feld, Rohstoff] = dict(TABLE)


class View(Struct, frozen=True):
    """The whole view; `seat` is the viewer, None for a spectator.

    `board` has absolute squares: north is up, as Sued sees it. `side`: the side that belongs at the
    bottom of the viewer's screen, and from which his cards are read (DRILL-R03). `held` has the
    viewer's own hands and sealed rods only. `turn`: the colour on turn. `kursfeld`: that of the
    running season. `felder`: the fields, in the order of the holes. `jetzt`: "Endet die Saison
    jetzt". `totals`: what each seat has from the seasons that are over. `rohstoffe`: where the layer
    begins and what it pays, empty in KLASSISCH.
    """

    seat: Seat | None
    side: Side
    board: Board
    held: Held
    turn: Side | None
    kursfeld: Feld | None
    felder: tuple[FeldBilanz, ...]
    jetzt: Wertung
    totals: tuple[int, ...]
    rohstoffe: dict[Feld, Rohstoff]


def view_of(board: Board, held: Held, seat: Seat | None) -> View:
    """Build the view; `held` is what the seat may know of hands and sealed choices."""
    konzerne = board.konzerne
    felder = felder_of(board)
    # The seat's own colour comes before its second one; spectators look from Sued.
    side: Side = next((konzern.side for konzern in konzerne if konzern.seat == seat), "Sued")
    return View(
        seat,
        side,
        board,
        held,
        konzerne[on_turn(board)].name if board.phase in {"turns", "draw"} else None,
        kursfeld(board),
        felder,
        wertung(board, felder),
        totals_of(board),
        _TABLE if board.options.mode == "ROHSTOFFE" else {},
    )


def held_by(board: Board, held: Held, seat: Seat | None) -> Held:
    """Give what a seat may know of hands and sealed choices: its own."""
    own = [konzern.seat == seat for konzern in board.konzerne]
    return Held(
        tuple([hand if mine else () for hand, mine in zip(held.hands, own, strict=True)]),
        tuple([rods if mine else () for rods, mine in zip(held.sealed, own, strict=True)]),
    )
