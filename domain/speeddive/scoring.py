"""Scores, ranking and the air that is left (RULES.md 2.7 to 2.9), all from the open board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from domain.kernel import Cards
from domain.speeddive.cards import (
    BLEI,
    DECKS,
    LECK,
    LEERE_MUSCHEL,
    NUMBER,
    OKTOPUS,
    PERLE,
    RESERVEFLASCHE,
    SCHATZKARTE,
)
from domain.speeddive.state import Board, Diver, DrawCards, GiveCards, Options, PassBottle

TIE_BREAKS_MAX = 10
_COUNTS = {edition: dict(Counter(deck)) for edition, deck in DECKS.items()}


def spur_sum(diver: Diver) -> int:
    """Give the sum of a diver's number cards."""
    return sum([NUMBER[card] for card in diver.spur])


def round_score(diver: Diver, options: Options) -> int:
    """Give what the round brings to a diver: x2 doubles the numbers only (RULES.md 2.7)."""
    if options.edition == "DEEPER_DIVE":
        return _deeper_score(diver, brutal=options.brutal)
    if diver.status == "OUT":
        return 0
    score = spur_sum(diver)
    if diver.beside:
        if SCHATZKARTE in diver.beside:
            score *= 2
        score += sum([PERLE[card] for card in diver.beside if card != SCHATZKARTE])
    return score + diver.bonus


def _deeper_score(diver: Diver, *, brutal: bool) -> int:
    lead = sum([BLEI[card] for card in diver.beside if card != LECK]) if diver.beside else 0
    if diver.status == "OUT":
        # All Blei counts, whenever it was hung on him; Leck has nothing to halve (DIVE-A17).
        return diver.bonus - lead if brutal else 0
    score = spur_sum(diver)
    if LEERE_MUSCHEL in diver.spur and diver.status != "TREASURE":
        score = 0
    # Order: halve, then subtract the Blei, then the bonus.
    if LECK in diver.beside:
        score //= 2
    score -= lead
    return (score if brutal else max(0, score)) + diver.bonus


def totals_after(divers: tuple[Diver, ...], scores: tuple[int, ...]) -> tuple[int, ...]:
    """Give the totals after a round; none falls below 0 (Brutal)."""
    sums = [diver.total + score for diver, score in zip(divers, scores, strict=True)]
    return tuple([total if total > 0 else 0 for total in sums])  # noqa: FURB136 - hot: no call


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
    left = _COUNTS[board.options.edition].copy()
    for card in board.discard:
        left[card] -= 1
    for diver in board.divers:
        for card in cards_before(diver):
            left[card] -= 1
    for card in cards_pending(board):
        left[card] -= 1
    return left


def luftmesser(diver: Diver, left: Mapping[str, int], options: Options) -> int:
    """Count the cards that would put the diver OUT if he drew one now (RULES.md 2.9).

    None with a bottle (DIVE-A18), and none once he can draw no more: in Deeper Dive a diver who
    has surfaced still can.
    """
    if diver.status != "DOWN" and (options.edition == "KLASSISCH" or diver.status != "SURFACED"):
        return 0
    return 0 if diver.reserveflasche else duplicates(diver, left)


def duplicates(diver: Diver, left: Mapping[str, int]) -> int:
    """Count the cards that would be a number too many in the diver's Spur.

    The Oktopus from the pile never is. Beside 13G alone no 13 is, beside one 13 the 13G is not.
    """
    count = sum([left.get(card, 0) for card in diver.spur])
    return count + left.get("7", 0) if OKTOPUS in diver.spur else count
