"""Which card to attach where, so that as many cards as possible can follow it."""

from __future__ import annotations

from domain.kernel import Cards
from domain.speedclimb.cards import SHERPA, without
from domain.speedclimb.melds import Meld, Place, attached, places
from domain.speedclimb.moves import AttachCard


def best_attach(
    melds: tuple[Meld, ...], hand: Cards, fits: tuple[Place, ...], top: int
) -> AttachCard:
    """Give the attachment after which most cards of the hand still fit; Sherpas go last."""
    best, worth = AttachCard("", 0), (-1, -1)
    for place in fits:
        for card in place.cards:
            after = list(melds)
            after[place.meld] = attached(melds[place.meld], card, place.end)
            rest = without(hand, (card,))
            follow = {each for spot in places(tuple(after), rest, top) for each in spot.cards}
            here = (len(follow - {SHERPA}), card != SHERPA)
            if here > worth:
                best, worth = AttachCard(card, place.meld, place.end), here
    return best
