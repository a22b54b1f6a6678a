"""The cards of Speeddive and the decks that the editions are played with (RULES.md 2.2)."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Literal

from domain.kernel import Cards

Edition = Literal["KLASSISCH"]

NUMBER = MappingProxyType({str(value): value for value in range(13)})
"""Value of every number card; a card that is not in here is no number."""
PERLE = MappingProxyType({f"+{value}": value for value in (2, 4, 6, 8, 10)})
SCHATZKARTE = "x2"
STROEMUNG = "Stroemung"
SOG = "Sog"
RESERVEFLASCHE = "Reserveflasche"

BONUS = frozenset((*PERLE, SCHATZKARTE))
"""Cards that just lie beside the Spur and change the score."""
ACTIONS = frozenset((STROEMUNG, SOG))
"""Cards that hit a diver and are put aside during forced draws."""

SOG_DRAWS = 3
SCHATZKAMMER_NUMBERS = 7
SCHATZKAMMER_BONUS = 15


def _klassisch() -> Cards:
    numbers = [card for card, value in NUMBER.items() for _ in range(max(1, value))]
    actions = [card for card in (STROEMUNG, SOG, RESERVEFLASCHE) for _ in range(3)]
    return (*numbers, *PERLE, SCHATZKARTE, *actions)


DECKS: MappingProxyType[Edition, Cards] = MappingProxyType({"KLASSISCH": _klassisch()})
"""The whole deck of each edition in canonical order."""
_RANK = {card: rank for rank, card in enumerate(dict.fromkeys(sum(DECKS.values(), ())))}


def canonical(cards: Iterable[str]) -> Cards:
    """Give the cards in the order of the deck, the order that the house shuffles from."""
    return tuple(sorted(cards, key=_RANK.__getitem__))
