"""All that a hand can play in one turn, as one descriptor (SNORK-R04 to R06)."""

from __future__ import annotations

from msgspec import Struct

from domain.kernel import Cards, Seat
from domain.options import Pick
from domain.snorkeling.cards import COLOUR, FITS, HIGHER, SAME, VALUE, Variant
from domain.snorkeling.moves import Attack, PlayCards


class Target(Struct, frozen=True, gc=False):
    """A pile that may be attacked, and the one value that may be put on it."""

    seat: Seat
    value: int


class Sequence(Struct, frozen=True, tag=True, gc=False):
    """A sequence of hand cards for the centre, and after it at most one attack.

    `hand` is what there is, each card once for each copy; `top` is what the first card lies on.
    BASIS: one card that is one higher than `top` (a 0 on a 4), or any number of the colour of
    `top`. EXPERTEN: every card is one higher than the card below it or of its colour. The attack
    takes one more card of the hand, with the value of its target.
    """

    variant: Variant
    top: str
    hand: Cards
    targets: tuple[Target, ...]

    def admits(self, move: object) -> bool:
        """Tell whether the cards are there, the sequence is right and the attack hits."""
        if type(move) is not PlayCards or not move.centre or not self._follows(move.centre):
            return False
        attack = move.attack
        if attack is None:
            return contains(self.hand, move.centre)
        return self._hits(attack) and contains(self.hand, (*move.centre, attack.card))

    def _follows(self, centre: Cards) -> bool:
        below = self.top
        if self.variant == "EXPERTEN":
            for card in centre:
                if card not in FITS[below]:
                    return False
                below = card
            return True
        # Exactly one of the two kinds (SNORK-A13); one card may be both.
        if len(centre) == 1 and centre[0] in HIGHER[below]:
            return True
        return SAME[below].issuperset(centre)

    def _hits(self, attack: Attack) -> bool:
        for target in self.targets:
            if target.seat == attack.target:
                return VALUE.get(attack.card) == target.value
        return False

    def sample(self, pick: Pick) -> PlayCards:
        """Give one completion; every sequence with every attack can come."""
        hand = list(self.hand)
        centre = self._chain(hand, pick) if self.variant == "EXPERTEN" else self._base(hand, pick)
        # What is left of the hand may attack; no attack is one of the choices.
        attacks = [
            (card, target.seat)
            for card in dict.fromkeys(hand)
            for target in self.targets
            if VALUE[card] == target.value
        ]
        chosen = pick(len(attacks) + 1) if attacks else 0
        return PlayCards(centre, Attack(*attacks[chosen - 1]) if chosen else None)

    def _base(self, hand: list[str], pick: Pick) -> Cards:
        """Take one higher card, or some of the colour in any order, out of the hand."""
        higher = [card for card in hand if card in HIGHER[self.top]]
        same = [card for card in hand if card in SAME[self.top]]
        index = pick(len(higher) + len(same))
        if index < len(higher):
            hand.remove(higher[index])
            return (higher[index],)
        centre = []
        for _ in range(1 + pick(len(same))):
            centre.append(same.pop(pick(len(same))))
            hand.remove(centre[-1])
        return tuple(centre)

    def _chain(self, hand: list[str], pick: Pick) -> Cards:
        """Take a chain out of the hand: after each card it may end or go on with any that fits."""
        centre: list[str] = []
        below = self.top
        while fitting := [card for card in hand if card in FITS[below]]:
            index = pick(len(fitting) + bool(centre))
            if index == len(fitting):
                break
            below = fitting[index]
            centre.append(below)
            hand.remove(below)
        return tuple(centre)


def contains(hand: Cards, cards: Cards) -> bool:
    """Tell whether the hand holds all these cards, each copy once."""
    if len(cards) == 1:
        return cards[0] in hand
    if len(cards) > len(hand):
        return False
    left: dict[str, int] = {}
    for card in hand:
        left[card] = left.get(card, 0) + 1
    for card in cards:
        count = left.get(card, 0)
        if not count:
            return False
        left[card] = count - 1
    return True


def playable(top: str, hand: Cards) -> bool:
    """Tell whether any card of the hand may be played to the centre, in either variant."""
    return not FITS[top].isdisjoint(hand)


def is_card(card: str) -> bool:
    """Tell whether this names one of the 75 play cards."""
    return card in COLOUR
