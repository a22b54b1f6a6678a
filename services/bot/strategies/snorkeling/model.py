"""A round of Snorkeling on plain ints, and a quick and simple way to play it on.

A `Sea` is one imagined world: the hidden hands and the next cards are dealt from what the asked
seat has no eyes on. It plays turns in place; a copy for each candidate keeps the same cards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from domain.kernel import Seat
from domain.snorkeling.cards import LATERNENFISCH, LATERNENFISCH_VALUE, Variant
from domain.snorkeling.views import View
from services.bot.strategies.snorkeling.bits import (
    FIRST,
    FITTING,
    HIGHER_THAN,
    OF_VALUE,
    SAME_COLOUR,
)
from services.bot.strategies.snorkeling.sight import Turn

_WANTED: Final = (0, *OF_VALUE)
"""Value that a pile shows -> the cards that may be put on it."""
_PAIR: Final = 2
_SMALL: Final = 5
"""A hand of so many cards may be emptied in one turn; larger ones are not looked at."""


class Known(NamedTuple):
    """What the asked seat knows, each card by its own bit number: no two places share a copy."""

    hand: int
    piles: tuple[tuple[int, ...], ...]
    top: int
    below: list[int]
    """The centre without its top: the next pile, once the pile is empty (SNORK-R10)."""
    unseen: list[int]


def known_of(view: View) -> Known:
    """Give every card that the view tells of a bit number."""
    free = dict(FIRST)

    def number(card: str) -> int:
        free[card] += 1
        return free[card] - 1

    hand = 0
    for card in view.hand:
        hand |= 1 << number(card)
    board = view.board
    piles = [
        tuple([number(card) for card in each.own if card != LATERNENFISCH])
        for each in board.schnorchler
    ]
    centre = [number(card) for card in board.centre]
    unseen = [number(card) for card in FIRST for _ in range(view.left[card])]
    return Known(hand, tuple(piles), centre[-1], centre[:-1], unseen)


class Sea:
    """One world in which a round is played on."""

    __slots__ = ("depths", "draws", "expert", "hands", "piles", "top", "totals", "turn")

    def __init__(
        self,
        *,
        variant: Variant,
        hands: list[int],
        piles: list[tuple[int, ...]],
        totals: tuple[int, ...],
        top: int,
        draws: list[int],
        turn: Seat,
    ) -> None:
        """`draws` are the cards to come, the next one last."""
        self.expert = variant == "EXPERTEN"
        self.hands = hands
        self.piles = piles
        self.depths = [LATERNENFISCH_VALUE - len(pile) for pile in piles]
        self.totals = totals
        self.top = top
        self.draws = draws
        self.turn = turn

    def copy(self) -> Sea:
        """Give the same world once more."""
        other: Sea = object.__new__(Sea)
        other.expert = self.expert
        other.hands = self.hands[:]
        other.piles = self.piles[:]
        other.depths = self.depths[:]
        other.totals = self.totals
        other.top = self.top
        other.draws = self.draws[:]
        other.turn = self.turn
        return other

    def act(self, used: int, last: int, card: int, target: Seat) -> bool:
        """Play a whole turn, its end included; tell whether a Strand has ended the round."""
        seat = self.turn
        hand = self.hands[seat]
        if used:
            hand &= ~used
            self.top = last
            if card >= 0:
                hand &= ~(1 << card)
                self.piles[target] += (card,)
                self.depths[target] -= 1
                if not self.depths[target]:
                    return True
        draws = self.draws
        emptied = not hand
        if draws:
            hand |= 1 << draws.pop()
        if emptied:
            pile = self.piles[seat]
            if pile:
                hand |= 1 << pile[-1]
                self.piles[seat] = pile[:-1]
                self.depths[seat] += 1
            elif draws:
                hand |= 1 << draws.pop()
        self.hands[seat] = hand
        self.turn = (seat + 1) % len(self.hands)
        return False

    def play(self, turn: Turn) -> bool:
        """Play a turn that was weighed."""
        order, used = turn.play
        return self.act(used, order[-1] if used else 0, turn.card, turn.target)

    def step(self) -> bool:
        """Play the turn of whoever is on turn by simple rules.

        Empty a small hand if that brings a card back, with an attack if possible; else attack with
        one card before it; else pass, which keeps the cards.
        """
        hand = self.hands[self.turn]
        fitting = hand & FITTING[self.top]
        if not fitting:
            return self.act(0, 0, -1, -1)
        target = self._target(hand)
        wanted = hand & _WANTED[self.depths[target]] if target >= 0 else 0
        count = hand.bit_count()
        if count <= _SMALL and (self.depths[self.turn] < LATERNENFISCH_VALUE or count == _PAIR):
            attacks = wanted
            while attacks:
                low = attacks & -attacks
                attacks ^= low
                rest = hand ^ low
                if rest:
                    last = self._all(rest)
                    if last >= 0:
                        return self.act(rest, last, low.bit_length() - 1, target)
            last = self._all(hand)
            if last >= 0 and self.piles[self.turn]:
                return self.act(hand, last, -1, -1)
        if not wanted:
            return self.act(0, 0, -1, -1)
        return self._attack(fitting, wanted, target)

    def _attack(self, fitting: int, wanted: int, target: Seat) -> bool:
        """Lay the card that is wanted least, and attack; pass if the hand has just one of both."""
        spare = fitting & ~wanted or fitting
        first = spare & ~_WANTED[self.depths[target] - 1] or spare
        low = first & -first
        wanted &= ~low
        if not wanted:
            return self.act(0, 0, -1, -1)
        return self.act(low, low.bit_length() - 1, (wanted & -wanted).bit_length() - 1, target)

    def _target(self, hand: int) -> Seat:
        """Give the richest seat that the hand can hit; the Strand only from the deepest."""
        depths, seat = self.depths, self.turn
        if len(depths) == _PAIR:
            return 1 - seat
        best, found = -1, -1
        for other, depth in enumerate(depths):
            if other != seat and hand & _WANTED[depth]:
                if depth > 1:
                    worth = depth + self.totals[other]
                elif depths[seat] == max(depths):
                    return other
                else:
                    continue
                if worth > best:
                    best, found = worth, other
        return found

    def _all(self, cards: int) -> int:
        """Give a last card with which all of these can be laid, -1 if they cannot."""
        if self.expert:
            return chain(self.top, cards)
        if not cards & ~SAME_COLOUR[self.top]:
            return cards.bit_length() - 1
        if not cards & (cards - 1) and cards & HIGHER_THAN[self.top]:
            return cards.bit_length() - 1
        return -1


def chain(top: int, cards: int) -> int:
    """Give the last card of a chain on `top` that uses all these cards, -1 if there is none."""
    fitting = cards & FITTING[top]
    while fitting:
        low = fitting & -fitting
        fitting ^= low
        card = low.bit_length() - 1
        if cards == low:
            return card
        last = chain(card, cards ^ low)
        if last >= 0:
            return last
    return -1


Stages: TypeAlias = tuple[tuple[int, int], ...]
"""(worlds, candidates that are kept after them) for each stage of a comparison."""
Judge: TypeAlias = Callable[[Sea, bool], float]
"""(world, the round is over) -> what it is worth to the asked seat, 0 to 1."""
