"""The state of Speeddrill: a public board, and the pile, hands and sealed choices (RULES.md 5)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from domain.kernel import Cards, Seat
from domain.speeddrill.material import FELDER, NO_RODS, SQUARE_COUNT, STOCK, Feld, Rods, Side

Mode = Literal["KLASSISCH", "ROHSTOFFE"]
Phase = Literal[
    "pile",
    "deal",
    "start",
    "season",
    "kursfeld",
    "rods",
    "turns",
    "draw",
    "score",
    "bilanz",
    "over",
]
"""What happens next.

`pile`: the cards are shuffled; `deal`: dealt; `start`: a colour is drawn to start; `season`: the
next season begins; `kursfeld`: a Kursfeld is drawn; `rods`: all choose rods; `turns`: the colour on
turn drills; `draw`: it takes a new card; `score`: the season is scored; `bilanz`: people look at it.
"""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What the opener sets (RULES.md 5.2)."""

    mode: Mode = "KLASSISCH"


class Konzern(Struct, frozen=True, gc=False):
    """One colour: who plays it, from which side its cards are read, and its rods.

    `rods` are those of this season that are still to be drilled, `ready`: it has chosen them.
    `score` holds the seasons that are over.
    """

    name: Side
    seat: Seat
    side: Side
    supply: Rods = STOCK
    rods: Rods = NO_RODS
    ready: bool = False
    score: int = 0


class Rod(Struct, frozen=True, gc=False, array_like=True):
    """One rod in a hole: [index of its colour in turn order, metres]."""

    konzern: int
    metres: int


class Bohrloch(Struct, frozen=True, gc=False, omit_defaults=True):
    """A square with its rods, top first; without rods it is free.

    `metres` and `needs` have one entry for each colour in turn order: what it has in here, and the
    shortest rod that the Bohrrecht lets it add (0: any). `owner` is the colour of the lowest rod.
    """

    rods: tuple[Rod, ...] = ()
    depth: int = 0
    owner: int | None = None
    metres: tuple[int, ...] = (0, 0, 0, 0)
    needs: tuple[int, ...] = (0, 0, 0, 0)


Holes: TypeAlias = tuple[Bohrloch, ...]
"""Nine squares of each field, in the order of FELDER; rows from north, columns from west."""
FREE = Bohrloch()
NO_HOLES: Holes = (FREE,) * (SQUARE_COUNT * len(FELDER))


class Wertung(Struct, frozen=True, gc=False):
    """What a season brings if it ends now (RULES.md 5.5).

    `erdkern` and `lizenzen` (one for each field) name the colour that gets the points, None: nobody.
    `holes` and `scores` have one entry for each colour: for its holes, and altogether.
    """

    erdkern: Side | None
    lizenzen: tuple[Side | None, ...]
    holes: tuple[int, ...]
    scores: tuple[int, ...]


class Season(Struct, frozen=True, gc=False):
    """One line of the Bilanz."""

    start: Side
    kursfeld: Feld | None
    wertung: Wertung


class Board(Struct, frozen=True, gc=False):
    """Everything on the table that is open to everybody.

    `konzerne` are in turn order; `start` is the index of the one that starts this season, `turn`
    counts the turns of the season that are over. `kursfelder` are those drawn so far, `discard` the
    played cards since the last shuffle.
    """

    options: Options
    konzerne: tuple[Konzern, ...]
    phase: Phase = "pile"
    season: int = 0
    start: int = 0
    turn: int = 0
    kursfelder: tuple[Feld, ...] = ()
    holes: Holes = NO_HOLES
    pile_count: int = 0
    discard: Cards = ()
    history: tuple[Season, ...] = ()


class Held(Struct, frozen=True, gc=False):
    """What is hidden in hands, for each colour in turn order; empty where it is not known.

    `sealed`: the rods that it has chosen for this season while others still choose.
    """

    hands: tuple[Cards, ...]
    sealed: tuple[Rods, ...]


class State(Struct, frozen=True, gc=False):
    """The board, what is held, and the pile as it was shuffled, top first.

    Only the last `board.pile_count` cards of `pile` are still there; drawing does not slice it.
    """

    board: Board
    held: Held
    pile: Cards = ()


def pile_left(state: State) -> Cards:
    """Give the cards that are still in the pile, top first."""
    return state.pile[len(state.pile) - state.board.pile_count :]


def on_turn(board: Board) -> int:
    """Give the colour on turn: in turn order from the one that started (DRILL-R07)."""
    return (board.start + board.turn) % len(board.konzerne)


def index_of(board: Board, name: Side) -> int:
    """Give the place of a colour in the turn order."""
    at = 0
    while board.konzerne[at].name != name:
        at += 1
    return at


def kursfeld(board: Board) -> Feld | None:
    """Give the Kursfeld of the running season; None in KLASSISCH and before it is drawn."""
    return board.kursfelder[-1] if len(board.kursfelder) >= board.season > 0 else None
