"""What is played for a diver who does not answer: pure, cheap and sensible."""

from __future__ import annotations

from collections.abc import Sequence

from domain.kernel import Cards, Seat
from domain.speeddive.cards import (
    BLEI,
    ENTERHAKEN,
    LECK,
    LEERE_MUSCHEL,
    NUMBER,
    STROEMUNG,
    doubles,
)
from domain.speeddive.moves import ChooseCard, ChooseTarget, Dive, Move, Surface, SwapCards
from domain.speeddive.scoring import round_score, spur_sum
from domain.speeddive.state import Board

_ENOUGH = 21
"""Where one more card costs as much as it brings: about sum/90 of the pile are duplicates."""
_LECK_WORTH = 12
"""About half of what a diver has when he surfaces."""
_MUSCHEL_WORTH = 20


def default_dive(board: Board, seat: Seat) -> Move:
    """Dive until it is enough; the Leere Muschel leaves no choice."""
    diver = board.divers[seat]
    if board.options.edition != "KLASSISCH" and LEERE_MUSCHEL in diver.spur:
        return Dive()
    return Dive() if diver.reserveflasche or spur_sum(diver) < _ENOUGH else Surface()


def default_target(board: Board, seat: Seat, card: str, targets: Sequence[Seat]) -> Move:
    """Hit another diver where it hurts."""
    others = [target for target in targets if target != seat]

    def worth(target: Seat) -> int:
        return round_score(board.divers[target], board.options)

    # A Stroemung hurts who has least to keep, and a bottle helps least there; all that makes a
    # diver draw and all that weighs on him hurts who has most to lose.
    chosen = (min if card in {STROEMUNG, "bottle"} else max)(others, key=worth)
    return ChooseTarget(chosen)


def default_card(board: Board, seat: Seat, card: str, choices: Sequence[ChooseCard]) -> Move:
    """Take the best number that does not take the air; bite what helps others or hurts oneself."""
    spur = board.divers[seat].spur

    def worth(choice: ChooseCard) -> int:
        if card == ENTERHAKEN:
            return -100 if doubles(spur, choice.card) else value(choice.card)
        return -value(choice.card) if choice.target == seat else value(choice.card)

    return max(choices, key=worth)


def default_swap(seat: Seat, cards: Sequence[Cards]) -> Move:
    """Give the worst for the best of another one, or trouble two others where that is impossible."""
    own = cards[seat]
    if own:
        given = min(own, key=value)
        kept = [card for card in own if card != given]
        best = [
            (value(card), -owner, card)
            for owner, theirs in enumerate(cards)
            if owner != seat
            for card in theirs
            if not doubles(tuple(kept), card)
        ]
        if best:
            _, owner, card = max(best)
            return SwapCards(seat, given, -owner, card)
    one, two = [owner for owner, theirs in enumerate(cards) if theirs][:2]
    return SwapCards(one, max(cards[one], key=value), two, min(cards[two], key=value))


def value(card: str) -> int:
    """Give about how many points the card is worth to who has it before him (Deeper Dive)."""
    if card == LEERE_MUSCHEL:
        return -_MUSCHEL_WORTH
    if card in NUMBER:
        return NUMBER[card]
    return -_LECK_WORTH if card == LECK else -BLEI[card]
