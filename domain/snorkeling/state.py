"""The state of Snorkeling: a public board, the hidden hands and the hidden pile."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from domain.kernel import Cards, Seat
from domain.snorkeling.cards import DECK, LATERNENFISCH, Variant

Phase = Literal[
    "between", "shuffle", "deal", "turn", "draw", "take", "extra", "score", "bilanz", "over"
]
"""`between`: the next round is about to start; `shuffle`, `deal`: it is set up; `turn`: S1 and S2;
`draw`, `take` (S3), `extra`: the end of the turn (SNORK-R08); `score`: the round is over;
`bilanz`: people look at it."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """What the opener sets (RULES.md 4.1); `bilanz` pauses after every round (TABLE-A09)."""

    variant: Variant = "BASIS"
    bilanz: bool = True


class Schnorchler(Struct, frozen=True, gc=False):
    """One seat and what everybody sees of it.

    `own` is the own pile, the Laternenfisch at the bottom first, the top card last.
    """

    own: Cards = (LATERNENFISCH,)
    hand_count: int = 0
    total: int = 0


class RoundLine(Struct, frozen=True, gc=False):
    """One line of the Bilanz: who began, what it brought and who got the Strand (None: stalled)."""

    starter: Seat
    scores: tuple[int, ...]
    strand: Seat | None = None


class Board(Struct, frozen=True, gc=False):
    """Everything on the table that is open to everybody.

    `turn` is the seat on turn and `turns` counts the finished turns of this round. `emptied`: the
    hand was empty before the draw at the end of the turn (SNORK-R08). `centre` is the centre pile,
    its top card last; everybody has seen each of its cards.
    """

    options: Options
    schnorchler: tuple[Schnorchler, ...]
    phase: Phase = "between"
    round: int = 0
    starter: Seat | None = None
    turn: Seat = 0
    turns: int = 0
    emptied: bool = False
    centre: Cards = ()
    pile_count: int = len(DECK)
    history: tuple[RoundLine, ...] = ()


class State(Struct, frozen=True, gc=False):
    """The board, the hands (each in the order of the deck) and the pile as it was shuffled.

    Only the last `board.pile_count` cards of `pile` are still there, the next one first; drawing
    does not slice it. Before a round is dealt all 75 cards are the pile.
    """

    board: Board
    hands: tuple[Cards, ...]
    pile: Cards = DECK


def pile_left(state: State) -> Cards:
    """Give the cards that are still in the pile, top first."""
    return state.pile[len(state.pile) - state.board.pile_count :]
