"""The plays to the centre that differ: which cards leave the hand, and which one is on top.

The order of the cards below the top changes nothing, so of all the sequences that play the same
cards with the same last one there is one (SNORK-R04, SNORK-R05).
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from domain.snorkeling.cards import Variant
from services.bot.strategies.snorkeling.bits import (
    FITTING,
    HIGHER_THAN,
    SAME_COLOUR,
    one_of_each,
)

PLAYS_MAX: Final = 120
"""A hand of seven cards has fewer; of a larger one's chains the first ones found are enough."""


class Play(NamedTuple):
    """Cards for the centre: bit numbers in order, and the same as a set."""

    order: tuple[int, ...]
    used: int


Plays: TypeAlias = list[Play]


def plays(variant: Variant, top: int, hand: int) -> Plays:
    """Give all plays of a hand on the card with the bit number `top`; none if nothing fits."""
    return _chains(top, hand) if variant == "EXPERTEN" else _base(top, hand)


def _base(top: int, hand: int) -> Plays:
    same = hand & SAME_COLOUR[top]
    found = [
        Play((card,), 1 << card)
        for card in one_of_each(hand & HIGHER_THAN[top] & ~SAME_COLOUR[top])
    ]
    for last in one_of_each(same):
        below: Plays = [Play((), 0)]
        for card in one_of_each(same & ~(1 << last)):
            copies = (same & ~(1 << last)) >> (card - card % 3) & 7
            below = [
                Play(play.order + tuple(more), play.used | _set(more))
                for play in below
                for more in _first(card - card % 3, copies)
            ]
        found += [Play((*play.order, last), play.used | 1 << last) for play in below]
    return found


def _first(kind_bit: int, copies: int) -> list[list[int]]:
    """Give the first none, one, ... of the copies of a kind, as bit numbers."""
    cards = [kind_bit + copy for copy in range(3) if copies >> copy & 1]
    return [cards[:count] for count in range(len(cards) + 1)]


def _set(cards: list[int]) -> int:
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def _chains(top: int, hand: int) -> Plays:
    """Go on from each (cards used, last card) once, deeper first."""
    found: Plays = []
    seen: set[tuple[int, int]] = set()
    open_ends: list[tuple[tuple[int, ...], int, int]] = [((), 0, top)]
    while open_ends and len(found) < PLAYS_MAX:
        order, used, last = open_ends.pop()
        for card in one_of_each(hand & ~used & FITTING[last]):
            after = used | 1 << card
            if (after, card) not in seen:
                seen.add((after, card))
                found.append(Play((*order, card), after))
                open_ends.append(((*order, card), after, card))
    return found
