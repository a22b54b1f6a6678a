"""The cards of Snorkeling and what may lie on what (RULES.md 4.2, SNORK-R04 to R06)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

from domain.kernel import Cards

Variant = Literal["BASIS", "EXPERTEN"]

COLOURS = MappingProxyType({"b": "blau", "g": "grün", "r": "rot", "v": "violett", "y": "gelb"})
"""Letter of a colour -> its name; in this order sorting cards as texts is the order of the deck."""
VALUES = 5
COPIES = 3
HAND = 5
"""Cards that are dealt to each seat (SNORK-R01)."""
STRAND = 0
LATERNENFISCH = "Laternenfisch"
LATERNENFISCH_VALUE = 5

DECK: Cards = tuple(
    colour + str(value) for colour in COLOURS for value in range(VALUES) for _ in range(COPIES)
)
"""The 75 play cards in canonical order (SNORK-A01); the Laternenfische are never among them."""
_KINDS = tuple(dict.fromkeys(DECK))
COLOUR = MappingProxyType({card: card[0] for card in _KINDS})
VALUE: dict[str, int] = {card: int(card[1]) for card in _KINDS} | {
    LATERNENFISCH: LATERNENFISCH_VALUE
}
HIGHER: dict[str, frozenset[str]] = {
    card: frozenset(each for each in _KINDS if VALUE[each] == (VALUE[card] + 1) % VALUES)
    for card in _KINDS
}
"""The cards exactly one higher, of any colour; a Strand follows a Rochen."""
SAME: dict[str, frozenset[str]] = {
    card: frozenset(each for each in _KINDS if COLOUR[each] == COLOUR[card]) for card in _KINDS
}
"""The cards of the same colour, whatever their value."""
FITS: dict[str, frozenset[str]] = {card: HIGHER[card] | SAME[card] for card in _KINDS}
"""The cards that may lie directly on a card in the centre."""
