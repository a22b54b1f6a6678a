"""Scores, ranking and the air that is left (RULES.md 2.7 to 2.9), all from the open board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from domain.kernel import Cards
from domain.speeddive.cards import (
    DECKS,
    NUMBER,
    PERLE,
    RESERVEFLASCHE,
    SCHATZKAMMER_BONUS,
    SCHATZKARTE,
)
from domain.speeddive.state import Board, Diver, DrawCards, GiveCards, PassBottle

TIE_BREAKS_MAX = 10


def spur_sum(diver: Diver) -> int:
    """Give the sum of a diver's number cards."""
    return sum([NUMBER[card] for card in diver.spur])


def round_score(diver: Diver) -> int:
    """Give what the round brings to a diver: x2 doubles the numbers only (RULES.md 2.7)."""
    if diver.status == "OUT":
        return 0
    score = spur_sum(diver)
    if diver.beside:
        if SCHATZKARTE in diver.beside:
            score *= 2
        score += sum([PERLE[card] for card in diver.beside if card != SCHATZKARTE])
    return score + SCHATZKAMMER_BONUS if diver.status == "TREASURE" else score


def ends_game(totals: tuple[int, ...], target: int, tie_break: int) -> bool:
    """Tell whether the game is over after a round, the `tie_break`-th Stechrunde if above 0."""
    best = max(totals)
    if best < target and not tie_break:
        return False
    # DIVE-R20, R21: one alone ahead ends it; R22: the tenth Stechrunde ends it anyway.
    return totals.count(best) == 1 or tie_break >= TIE_BREAKS_MAX


def next_tie_break(board: Board) -> int:
    """Give the number of the next round among the Stechrunden, 0 if it is a normal one."""
    reached = max(diver.total for diver in board.divers) >= board.options.target
    return board.tie_break + 1 if reached or board.tie_break else 0


def cards_before(diver: Diver) -> Cards:
    """Give all cards that lie before a diver."""
    return (*diver.spur, *diver.beside, *((RESERVEFLASCHE,) if diver.reserveflasche else ()))


def cards_pending(board: Board) -> Cards:
    """Give the cards that wait in frames."""
    cards: list[str] = []
    for frame in board.frames:
        match frame:
            case DrawCards(aside=waiting) | GiveCards(cards=waiting):
                cards += waiting
            case PassBottle():
                cards.append(RESERVEFLASCHE)
            case _:
                pass
    return tuple(cards)


def cards_left(board: Board) -> dict[str, int]:
    """Count each card of the pile, as everybody can: the deck without all that is open."""
    seen = [*board.discard, *cards_pending(board)]
    for diver in board.divers:
        seen += cards_before(diver)
    left = Counter(DECKS[board.options.edition])
    left.subtract(seen)
    return dict(left)


def luftmesser(diver: Diver, left: Mapping[str, int]) -> int:
    """Count the cards that would put the diver OUT if he drew one now (RULES.md 2.9).

    None with a bottle (DIVE-A18), and none once he is no longer DOWN.
    """
    if diver.reserveflasche or diver.status != "DOWN":
        return 0
    return sum([left.get(card, 0) for card in diver.spur])
