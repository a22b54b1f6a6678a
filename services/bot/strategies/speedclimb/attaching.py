"""Getting rid of cards once the camp stands: what to attach where, and what is likely to fit soon."""

from __future__ import annotations

from collections.abc import Callable

from domain.kernel import Cards
from domain.speedclimb.cards import COLOUR, NUMBER, SHERPA, without
from domain.speedclimb.melds import Meld, Place, attached, high, places
from domain.speedclimb.moves import AttachCard

_NEAR = (1.0, 0.45, 0.15)
"""How much a card is worth keeping by the number of cards that lack between it and a combination."""

Ties = Callable[[tuple[Meld, ...], Cards], float]
"""(combinations, hand) -> how good it is to be left with this hand, where all else is equal."""


def best_attach(
    melds: tuple[Meld, ...],
    hand: Cards,
    fits: tuple[Place, ...],
    top: int,
    ties: Ties = lambda _melds, _hand: 0.0,
) -> AttachCard:
    """Give the attachment after which most cards of the hand still fit; Sherpas go last."""
    best, worth = AttachCard("", 0), (-1, False, 0.0)
    for place in fits:
        for card in place.cards:
            changed = list(melds)
            changed[place.meld] = attached(melds[place.meld], card, place.end)
            after, rest = tuple(changed), without(hand, (card,))
            follow = {each for spot in places(after, rest, top) for each in spot.cards}
            here = (len(follow - {SHERPA}), card != SHERPA, ties(after, rest))
            if here > worth:
                best, worth = AttachCard(card, place.meld, place.end), here
    return best


def nearness(card: str, hand: Cards, melds: tuple[Meld, ...], top: int) -> float:
    """Give 1 for a card that fits, less the more cards lack in between, 0 for one that is far off.

    `hand` are the other cards, which may close a gap. A card more helps to fill a gap of a run
    only; what equal numbers or a colour do not take now they never will.
    """
    number = NUMBER.get(card, 0)
    if not number:
        return float(card == SHERPA)
    best = 0.0
    for meld in melds:
        if meld.kind == "FOLGE":
            last = high(meld)
            gap = range(number + 1, meld.low) if number < meld.low else range(last + 1, number)
            if meld.low <= number <= last or number > top:
                continue
            there = {NUMBER.get(each) for each in hand}
            lacking = sum([each not in there for each in gap])
            best = max(best, _NEAR[lacking] if lacking < len(_NEAR) else 0.0)
        elif meld.number == number or (meld.colour and meld.colour == COLOUR[card]):
            return 1.0
    return best
