"""What a diver may choose (decisions D1 to D5)."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from domain import kernel
from domain.kernel import Cards, Seat
from domain.options import Pick


class Dive(Struct, frozen=True, tag=True, gc=False):
    """Tiefer tauchen: draw a card (DIVE-R04)."""


class Surface(Struct, frozen=True, tag=True, gc=False):
    """Auftauchen: keep what this round has brought (DIVE-R04)."""


class ChooseTarget(Struct, frozen=True, tag=True, gc=False):
    """Name the diver that a card hits (D2) or a surplus Reserveflasche goes to (D3)."""

    target: Seat


class ChooseCard(Struct, frozen=True, tag=True, gc=False):
    """Name the open card of a diver that Enterhaken or Haibiss takes (D4)."""

    target: Seat
    card: str


class SwapCards(Struct, frozen=True, tag=True, gc=False):
    """Name two open cards of two divers for the Stroemungswechsel (D4); the first is checked first."""

    first: Seat
    first_card: str
    second: Seat
    second_card: str


class TakeBonus(Struct, frozen=True, tag=True, gc=False):
    """Take the 15 of the Schatzkammer (D5, Brutal)."""


class ChargeDiver(Struct, frozen=True, tag=True, gc=False):
    """Take 15 from another diver instead (D5, Brutal)."""

    target: Seat


Move: TypeAlias = Dive | Surface | ChooseTarget | ChooseCard | SwapCards | TakeBonus | ChargeDiver


class SwapAnyTwo(Struct, frozen=True, tag=True, gc=False):
    """Any two open cards of two different divers, in the order of the check.

    `cards`: per seat what may be swapped; at least two seats have some.
    """

    cards: tuple[Cards, ...]

    def admits(self, move: object) -> bool:
        """Tell whether the move names two cards that lie there, of two divers."""
        if type(move) is not SwapCards or move.first == move.second:
            return False
        return self._lies(move.first, move.first_card) and self._lies(move.second, move.second_card)

    def sample(self, pick: Pick) -> SwapCards:
        """Give one swap, the first card evenly among all cards."""
        every = [(seat, card) for seat, cards in enumerate(self.cards) for card in cards]
        first, first_card = every[pick(len(every))]
        others = [each for each in every if each[0] != first]
        second, second_card = others[pick(len(others))]
        return SwapCards(first, first_card, second, second_card)

    def _lies(self, seat: Seat, card: str) -> bool:
        return 0 <= seat < len(self.cards) and card in self.cards[seat]


class Chosen(kernel.Chosen[Move], frozen=True, gc=False):
    """A diver's choice; everybody sees it."""
