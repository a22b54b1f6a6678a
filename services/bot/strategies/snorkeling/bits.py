"""A set of cards as one int: three bits for each of the 25 kinds, one for each copy.

The kinds are in the order of the deck, so bit number `3 * kind + copy` is the place of the card in
`DECK`. Thus "what fits on this card" and "what has this value" are one `&` with a mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from domain.snorkeling.cards import COPIES, DECK, FITS, HIGHER, SAME, VALUE

KIND_MASK: Final = (1 << COPIES) - 1


def _mask(kinds: Iterable[str]) -> int:
    wanted = tuple(kinds)
    mask = 0
    for bit, card in enumerate(DECK):
        if card in wanted:
            mask |= 1 << bit
    return mask


CARD: Final = DECK
"""Bit number -> the card as a text."""
VALUE_OF: Final = tuple([VALUE[card] for card in DECK])
"""Bit number -> the value of the card."""
HIGHER_THAN: Final = tuple([_mask(HIGHER[card]) for card in DECK])
"""Bit number -> all cards one higher."""
SAME_COLOUR: Final = tuple([_mask(SAME[card]) for card in DECK])
"""Bit number -> all cards of its colour."""
FITTING: Final = tuple([_mask(FITS[card]) for card in DECK])
"""Bit number -> all cards that may lie on it."""
OF_VALUE: Final = tuple(
    [_mask(card for card in DECK if VALUE[card] == value) for value in range(5)]
)
"""Value -> all cards of that value."""
FIRST: Final[Mapping[str, int]] = {card: DECK.index(card) for card in VALUE if card in DECK}
"""Card -> the bit number of its first copy."""


def hand_mask(cards: Iterable[str]) -> int:
    """Give the set of these cards, the lowest copies of each kind."""
    mask = 0
    for card in cards:
        bit = 1 << FIRST[card]
        while mask & bit:
            bit <<= 1
        mask |= bit
    return mask


def numbers(mask: int) -> list[int]:
    """Give the bit numbers of a set, in the order of the deck."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def one_of_each(mask: int) -> list[int]:
    """Give the bit number of the lowest copy of each kind in a set, in the order of the deck."""
    found = []
    while mask:
        number = (mask & -mask).bit_length() - 1
        found.append(number)
        mask &= ~(KIND_MASK << (number - number % COPIES))
    return found
