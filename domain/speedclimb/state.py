"""The state of Speedclimb: the open board, what each seat alone knows, and what nobody knows."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from domain.kernel import Cards, Seat
from domain.speedclimb.cards import MOUNTAINS, Mountain, Route
from domain.speedclimb.melds import Meld

Phase = Literal["between", "deal", "take", "main", "bilanz", "over"]
"""`between`: the next round is about to be shuffled; `deal`: shuffled, not yet dealt; `take` and
`main`: the seat on turn takes a card, then lays, attaches and ends its turn; `bilanz`: people look
at the last round."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What the opener sets (RULES.md 3.1)."""

    route: Route = "GIPFELSTURM"


class Climber(Struct, frozen=True, gc=False):
    """What everybody knows of a seat.

    `position` is its camp, one above the last when it has done all; on the Meister-Expedition
    `done` are the stages that it has done and `stage` the one that it plays for, once that is
    locked. `storm`: a Schneesturm lies before it. `known`: cards that it took openly in this round
    and has not shown again, in canonical order; it has them in its hand, or in its Rucksack.
    """

    position: int = 1
    laid: bool = False
    storm: bool = False
    hand_count: int = 0
    penalty: int = 0
    done: tuple[int, ...] = ()
    stage: int = 0
    rucksack_count: int = 0
    packed: bool = False
    known: Cards = ()


class Pile(Struct, frozen=True, gc=False):
    """A depot or the Ablage: its open top card and how many cards it has (CLIMB-A20)."""

    top: str = ""
    count: int = 0


class RoundLine(Struct, frozen=True, gc=False):
    """One line of the Bilanz; all but dealer and finisher per seat."""

    dealer: Seat
    finisher: Seat | None
    steps: tuple[int, ...]
    laid: tuple[bool, ...]
    hand_counts: tuple[int, ...]
    penalties: tuple[int, ...] = ()
    stages: tuple[int, ...] = ()


class Board(Struct, frozen=True, gc=False):
    """Everything that everybody knows.

    `piles` are the depots by seat, or the Ablage alone. `storms_below`: how many Schneestuerme lie
    face up under the material. `ended_by`: who has got rid of the last card, or has laid the
    Gipfellager. What lies there stays visible until the next round is dealt.
    """

    options: Options
    climbers: tuple[Climber, ...]
    phase: Phase = "between"
    round: int = 0
    dealer: Seat | None = None
    turn: Seat = 0
    material_count: int = 0
    storms_below: int = 0
    piles: tuple[Pile, ...] = ()
    melds: tuple[Meld, ...] = ()
    ended_by: Seat | None = None
    history: tuple[RoundLine, ...] = ()

    @property
    def mountain(self) -> Mountain:
        """The route's deck, camps and rules."""
        return MOUNTAINS[self.options.route]


class Own(Struct, frozen=True, gc=False):
    """What a seat alone knows; cards in canonical order.

    `stage`: the stage it means to play for (Meister-Expedition). `carry`: what it takes into the
    next round as things are (Nordwand).
    """

    hand: Cards = ()
    rucksack: Cards = ()
    stage: int = 0
    carry: Cards = ()


class State(Struct, frozen=True, gc=False):
    """The board, each seat's own knowledge, and the cards that lie face down or covered.

    Only the last `board.material_count` cards of `material` are still there, top first; in the
    phase `deal` it is the whole shuffled deck. `piles` hold all cards of the depots, top last.
    """

    board: Board
    owns: tuple[Own, ...]
    material: Cards = ()
    piles: tuple[Cards, ...] = ()


def material_left(state: State) -> Cards:
    """Give the face-down cards of the material, top first."""
    return state.material[len(state.material) - state.board.material_count :]
