"""Small steps on divers and frames that several facts share."""

from __future__ import annotations

from domain.kernel import Cards, Seat
from domain.speeddive.cards import (
    ACTIONS,
    CARD_ACTIONS,
    NUMBER,
    SCHATZKAMMER_NUMBERS,
    doubles,
)
from domain.speeddive.state import (
    Diver,
    DrawCards,
    Frame,
    GiveCards,
    LoseAir,
    OpenSchatzkammer,
)

Frames = tuple[Frame, ...]


def put(divers: tuple[Diver, ...], seat: Seat, diver: Diver) -> tuple[Diver, ...]:
    """Put a changed diver at his seat."""
    changed = list(divers)
    changed[seat] = diver
    return tuple(changed)


def arrived(seat: Seat, before: Cards, card: str) -> Frame | None:
    """Give what must be done first when a card has come to a Spur that was `before`."""
    if card not in NUMBER:
        return None
    if doubles(before, card):
        return LoseAir(seat)
    return OpenSchatzkammer(seat) if len(before) == SCHATZKAMMER_NUMBERS - 1 else None


def counted(below: Frames, top: DrawCards, card: str) -> Frames:
    """Count one forced draw; an action card waits until all are drawn."""
    aside = (*top.aside, card) if card in ACTIONS else top.aside
    if top.left > 1:
        return (*below, DrawCards(top.seat, top.left - 1, aside))
    return (*below, queue(top.seat, aside, (), collected=True)) if aside else below


def queue(
    seat: Seat, cards: Cards, targets: tuple[Seat | None, ...], *, collected: bool
) -> GiveCards:
    """Give the frame up to the next card that needs a diver: card actions choose later."""
    while len(targets) < len(cards) and cards[len(targets)] in CARD_ACTIONS:
        targets = (*targets, None)
    return GiveCards(seat, cards, targets, collected)


def resolved(frames: Frames) -> Frames:
    """Take the first card off the queue on top."""
    match frames[-1]:
        case GiveCards(seat, cards, targets, collected) if len(cards) > 1:
            return (*frames[:-1], GiveCards(seat, cards[1:], targets[1:], collected))
        case _:
            return frames[:-1]
