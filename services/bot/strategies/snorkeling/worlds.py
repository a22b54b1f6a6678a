"""Worlds that the asked seat may be in, dealt from the cards that it has no eyes on.

In a duel the other's hand tells something by its size: who could have hit the asked seat's pile
would mostly have done so. Such cards are passed over in the deal as often as they are missing.
"""

from __future__ import annotations

from random import Random
from typing import Final

from domain.snorkeling.views import View
from services.bot.strategies.snorkeling.bits import FITTING, OF_VALUE
from services.bot.strategies.snorkeling.model import Known, Sea

_HITS_KEPT: Final = (
    (1.00, 0.88, 0.88, 0.79, 0.90),
    (0.92, 0.76, 0.73, 0.63, 0.46),
    (0.92, 0.70, 0.68, 0.58, 0.34),
    (0.86, 0.62, 0.54, 0.44, 0.18),
)
"""How often the other holds a card that hits the pile of whoever is on turn, in proportion to cards
that neither hit nor fit: [size of his hand, 5 to 8 and more][value of the card].

This and the next were counted over the turns of 400 games between greedy players in each variant;
both are between those of the variants, which differ by 0.2 at most.
"""
_FIT_KEPT: Final = 0.80
"""How often he holds a card that fits on the centre as he left it, in the same way."""
_LARGE: Final = 5
"""Smaller hands have hits as often as chance gives them."""
_DUEL: Final = 2


class Worlds:
    """The worlds of one question.

    Where all cards are as likely everywhere, the unseen cards are shuffled once for several worlds:
    each takes its share from where the last one stopped, so that every card comes equally often,
    which needs fewer worlds.
    """

    def __init__(self, view: View, known: Known, draws: int, rng: Random) -> None:
        """Each world has at most `draws` cards to come, fewer if there are no more."""
        board = view.board
        assert view.seat is not None
        self._rng = rng
        self._counts = [each.hand_count for each in board.schnorchler]
        self._counts[view.seat] = 0
        self._pile = min(draws, board.pile_count)
        self._share = sum(self._counts) + self._pile
        # Once the pile is empty the centre is shuffled (SNORK-R10).
        self._again = min(draws - self._pile, len(known.below))
        self._known = known
        self._cards = known.unseen[:]
        self._at = len(self._cards)
        self._kept = _kept(view, known)
        self._sea = Sea(
            variant=board.options.variant,
            hands=[],
            piles=list(known.piles),
            totals=tuple([each.total for each in board.schnorchler]),
            top=known.top,
            draws=[],
            turn=view.seat,
        )

    def imagine(self) -> Sea:
        """Give the next world: hidden hands, and the next cards of the pile."""
        if self._kept or self._at + self._share > len(self._cards):
            self._rng.shuffle(self._cards)
            self._at = 0
        sea = self._sea.copy()
        for count in self._counts:
            mask = 0
            for card in self._hand(count):
                mask |= 1 << card
            sea.hands.append(mask)
        sea.hands[sea.turn] = self._known.hand
        if self._again:
            sea.draws = self._rng.sample(self._known.below, self._again)
        sea.draws += self._cards[self._at : self._at + self._pile]
        self._at += self._pile
        return sea

    def _hand(self, count: int) -> list[int]:
        """Deal so many cards; those that are passed over go back among the cards to come."""
        kept, cards, at = self._kept, self._cards, self._at
        if not kept:
            self._at = at + count
            return cards[at : at + count]
        hand: list[int] = []
        passed: list[int] = []
        while len(hand) < count and at < len(cards):
            card = cards[at]
            at += 1
            if card in kept and self._rng.random() >= kept[card]:
                passed.append(card)
            else:
                hand.append(card)
        while len(hand) < count:
            hand.append(passed.pop())
        self._at = at - len(passed)
        cards[self._at - count : at] = hand + passed
        for place in range(self._at, at):
            other = self._rng.randrange(place, len(cards))
            cards[place], cards[other] = cards[other], cards[place]
        return hand


def _kept(view: View, known: Known) -> dict[int, float]:
    """Give the chance of an unseen card to stay in the hand that it is dealt to; others always do.

    Nothing is known of how hands differ among more than two players.
    """
    board = view.board
    assert view.seat is not None
    if len(board.schnorchler) > _DUEL:
        return {}
    size = board.schnorchler[1 - view.seat].hand_count
    value = view.scores[view.seat] - 1
    hits = OF_VALUE[value]
    # When the seat is asked whether to take a card back, the top of the centre is its own.
    fits = FITTING[known.top] if board.phase == "turn" else 0
    hit_kept = 1.0
    if size >= _LARGE:
        hit_kept = _HITS_KEPT[min(size - _LARGE, len(_HITS_KEPT) - 1)][value]
    chances = {}
    for card in known.unseen:
        chance = (hit_kept if hits >> card & 1 else 1.0) * (_FIT_KEPT if fits >> card & 1 else 1.0)
        if chance < 1:
            chances[card] = chance
    return chances
