"""The state of Speeddive: a public board and the hidden order of the pile (RULES.md 2.3)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from domain.kernel import Cards, Seat
from domain.speeddive.cards import Edition

Status = Literal["DOWN", "SURFACED", "OUT", "TREASURE"]
Phase = Literal["between", "round", "bilanz", "over"]
"""`between`: the next round is about to start; `bilanz`: people look at the last one."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What the opener sets (RULES.md 2.1); `bilanz` pauses after every round (TABLE-A09)."""

    edition: Edition = "KLASSISCH"
    target: Literal[100, 200, 300] = 200
    bilanz: bool = True
    brutal: bool = False

    def __post_init__(self) -> None:
        """Refuse Brutal in the edition that does not know it."""
        if self.brutal and self.edition != "DEEPER_DIVE":
            raise ValueError("`brutal` is a mode of edition DEEPER_DIVE only")


class Diver(Struct, frozen=True, gc=False):
    """One seat and all that lies open before it.

    `spur` holds the number cards in the order of arrival, `beside` Perlen and the Schatzkarte, in
    Deeper Dive Blei and Leck. `dealt` is true once his deal card has come or is lost (DIVE-R03).
    `bonus`: what the Schatzkammer brings him, below 0 if its opener has charged him (Brutal).
    """

    status: Status = "DOWN"
    spur: Cards = ()
    beside: Cards = ()
    reserveflasche: bool = False
    dealt: bool = False
    total: int = 0
    bonus: int = 0


class DrawCards(Struct, frozen=True, tag=True, gc=False):
    """The diver must draw `left` more cards; action cards wait `aside` (Sog, Mahlstrom)."""

    seat: Seat
    left: int
    aside: Cards = ()


class GiveCards(Struct, frozen=True, tag=True, gc=False):
    """The diver gives every card a target, in draw order; then they take effect in that order.

    `targets` belong to the first cards; None for a card that aims at open cards, which he chooses
    when it takes effect. `collected`: drawn by force, so a further Sog or Mahlstrom hits himself.
    """

    seat: Seat
    cards: Cards
    targets: tuple[Seat | None, ...] = ()
    collected: bool = False


class TakeCard(Struct, frozen=True, tag=True, gc=False):
    """The diver draws one card that resolves at once (the pile was empty when he dived)."""

    seat: Seat


class PassBottle(Struct, frozen=True, tag=True, gc=False):
    """The diver holds a second Reserveflasche and must give it away at once."""

    seat: Seat


class LoseAir(Struct, frozen=True, tag=True, gc=False):
    """The last card of the diver's Spur is a duplicate: his bottle saves him or he is OUT."""

    seat: Seat


class CurseSpur(Struct, frozen=True, tag=True, gc=False):
    """The last card of the diver's Spur is the Oktopus from the pile: all his other cards go."""

    seat: Seat


class EndAtemzug(Struct, frozen=True, tag=True, gc=False):
    """When all that his last card caused is done, the diver surfaces if he is DOWN (DIVE-A13)."""

    seat: Seat


class OpenSchatzkammer(Struct, frozen=True, tag=True, gc=False):
    """The diver has seven numbers."""

    seat: Seat


class UseBonus(Struct, frozen=True, tag=True, gc=False):
    """The opener of the Schatzkammer says who gets or loses the 15 (Brutal, D5)."""

    seat: Seat


class ScoreRound(Struct, frozen=True, tag=True, gc=False):
    """The round is over and waits for nothing but its scores."""


Frame: TypeAlias = (
    DrawCards
    | GiveCards
    | TakeCard
    | PassBottle
    | LoseAir
    | CurseSpur
    | EndAtemzug
    | OpenSchatzkammer
    | UseBonus
    | ScoreRound
)
"""What remains to be done; frames are a stack, the last one is done first."""


class RoundLine(Struct, frozen=True, gc=False):
    """One line of the Bilanz: scores per seat and the marks; `charged` lost 15 (Brutal)."""

    dealer: Seat
    scores: tuple[int, ...]
    schatzkammer: Seat | None = None
    out: tuple[Seat, ...] = ()
    tie_break: int = 0
    charged: Seat | None = None


class Board(Struct, frozen=True, gc=False):
    """Everything on the table that is open to everybody.

    `last` is the seat that had the last turn (at first the dealer): the next DOWN diver after it
    is on turn. Cards before the divers stay visible until the next round starts.
    """

    options: Options
    divers: tuple[Diver, ...]
    phase: Phase = "between"
    round: int = 0
    tie_break: int = 0
    dealer: Seat | None = None
    last: Seat = 0
    frames: tuple[Frame, ...] = ()
    pile_count: int = 0
    discard: Cards = ()
    history: tuple[RoundLine, ...] = ()


class State(Struct, frozen=True, gc=False):
    """The board and the pile as it was shuffled, top first.

    Only the last `board.pile_count` cards of `pile` are still there; drawing does not slice it.
    """

    board: Board
    pile: Cards = ()


def pile_left(state: State) -> Cards:
    """Give the cards that are still in the pile, top first."""
    return state.pile[len(state.pile) - state.board.pile_count :]
