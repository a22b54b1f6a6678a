"""What Speeddrill is played with (RULES.md 5.1), and how a card is read from each side (R03)."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from domain.kernel import Cards

Side = Literal["Sued", "West", "Nord", "Ost"]
"""A side of the table and the colour that belongs to it, clockwise."""
SIDES: tuple[Side, ...] = get_args(Side)

Feld = Literal["Texas", "Atacama", "Kimberley", "Island", "Sibirien", "Outback"]
FELDER: tuple[Feld, ...] = get_args(Feld)

Rods: TypeAlias = tuple[int, ...]
"""How many rods of each length, shortest first; always as long as LENGTHS, except where hidden."""
LENGTHS = (100, 200, 300, 400)
STOCK: Rods = (11, 6, 4, 3)
NO_RODS: Rods = (0, 0, 0, 0)

SEASONS = 4
RODS_A_SEASON = 6
HAND = 4

SQUARES: Cards = ("OL", "OM", "OR", "ML", "MM", "MR", "UL", "UM", "UR")
"""Oben, Mitte, unten with links, Mitte, rechts: a card names one, seen from its reader's side."""
SQUARE_COUNT = 9
DECK: Cards = tuple(square for square in SQUARES for _ in range(5))
"""All cards in canonical order: each square five times."""


def _read(side: Side, row: int, column: int) -> tuple[int, int]:
    """Give the absolute row and column of a card; absolute is the view of Sued (DRILL-R03)."""
    match side:
        case "Sued":
            return row, column
        case "West":
            return column, 2 - row
        case "Nord":
            return 2 - row, 2 - column
        case "Ost":
            return 2 - column, row


def _squares(side: Side) -> MappingProxyType[str, int]:
    absolute = [_read(side, n // 3, n % 3) for n in range(SQUARE_COUNT)]
    return MappingProxyType(
        {card: row * 3 + column for card, (row, column) in zip(SQUARES, absolute, strict=True)}
    )


SQUARE_OF: MappingProxyType[Side, MappingProxyType[str, int]] = MappingProxyType(
    {side: _squares(side) for side in SIDES}
)
"""SQUARE_OF[side][card]: the absolute square that the card means to whoever looks from there."""

_RANK = {card: rank for rank, card in enumerate(SQUARES)}


def canonical(cards: Iterable[str]) -> Cards:
    """Give the cards in the order of the deck, the order that the house shuffles from."""
    return tuple(sorted(cards, key=_RANK.__getitem__))


def rods_left(rods: Rods, taken: Rods) -> Rods:
    """Give the rods without those that are taken."""
    return tuple([have - gone for have, gone in zip(rods, taken, strict=True)])


def without(rods: Rods, length: int) -> Rods:
    """Give the rods without one of this length."""
    at = length // 100 - 1
    return (*rods[:at], rods[at] - 1, *rods[at + 1 :])
