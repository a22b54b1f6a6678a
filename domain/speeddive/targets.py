"""Whom and what a card may hit (RULES.md 2.6)."""

from __future__ import annotations

from domain.kernel import Cards, Seat
from domain.speeddive.cards import ENTERHAKEN, HITS_SURFACED, WEIGHTS
from domain.speeddive.moves import ChooseCard
from domain.speeddive.state import Board

_IN_PLAY = ("DOWN", "SURFACED")


def down(board: Board) -> tuple[Seat, ...]:
    """Give the divers that an action card may hit in Klassisch (DIVE-A09)."""
    return tuple([seat for seat, diver in enumerate(board.divers) if diver.status == "DOWN"])


def takers(board: Board) -> tuple[Seat, ...]:
    """Give the divers that a surplus Reserveflasche may go to; its giver has one himself."""
    return tuple(
        [
            seat
            for seat, diver in enumerate(board.divers)
            if diver.status == "DOWN" and not diver.reserveflasche
        ]
    )


def divers_for(board: Board, card: str) -> tuple[Seat, ...]:
    """Give the divers that the card may be given to."""
    if card not in HITS_SURFACED:
        return down(board)
    if card in WEIGHTS and board.options.brutal:
        return tuple(range(len(board.divers)))
    return tuple([seat for seat, diver in enumerate(board.divers) if diver.status in _IN_PLAY])


def still_hits(board: Board, card: str, target: Seat) -> bool:
    """Tell whether the card may still hit the diver it was given to, now that it takes effect."""
    status = board.divers[target].status
    if status == "DOWN":
        return True
    if card in WEIGHTS and board.options.brutal:
        return True
    return status == "SURFACED" and card in HITS_SURFACED


def open_cards(board: Board) -> tuple[Cards, ...]:
    """Give per seat the cards that may be taken; who is OUT is safe."""
    return tuple(
        [diver.spur + diver.beside if diver.status in _IN_PLAY else () for diver in board.divers]
    )


def card_choices(board: Board, seat: Seat, card: str) -> tuple[ChooseCard, ...]:
    """Give what the diver may take with Enterhaken (of others) or Haibiss (of anybody)."""
    return tuple(
        [
            ChooseCard(owner, each)
            for owner, cards in enumerate(open_cards(board))
            if cards and (owner != seat or card != ENTERHAKEN)
            for each in cards
        ]
    )
