"""What the cards and the special numbers of Deeper Dive do to the open board (RULES.md 2.6)."""

from __future__ import annotations

from msgspec.structs import replace

from domain.kernel import Cards
from domain.speeddive.cards import (
    ENTERHAKEN,
    HAIBISS,
    NUMBER,
    SCHATZKAMMER_BONUS,
    STROEMUNGSWECHSEL,
)
from domain.speeddive.events import (
    ActionUnused,
    AtemzugEnded,
    BonusTaken,
    CardBitten,
    CardHooked,
    CardsSwapped,
    DiverCharged,
    SpurCursed,
)
from domain.speeddive.frames import arrived, put, resolved
from domain.speeddive.state import Board, Diver


def action_unused(board: Board, fact: ActionUnused) -> Board:
    """Discard a card that can do nothing."""
    return replace(board, frames=resolved(board.frames), discard=(*board.discard, fact.card))


def card_hooked(board: Board, fact: CardHooked) -> Board:
    """Move a card to the thief; a number may take his air or open the Schatzkammer."""
    thief = board.divers[fact.seat]
    divers = put(board.divers, fact.target, without(board.divers[fact.target], fact.card))
    divers = put(divers, fact.seat, _with(thief, fact.card))
    frames = resolved(board.frames)
    frame = arrived(fact.seat, thief.spur, fact.card)
    return replace(
        board,
        divers=divers,
        frames=(*frames, frame) if frame else frames,
        discard=(*board.discard, ENTERHAKEN),
    )


def card_bitten(board: Board, fact: CardBitten) -> Board:
    """Discard an open card."""
    return replace(
        board,
        divers=put(board.divers, fact.target, without(board.divers[fact.target], fact.card)),
        frames=resolved(board.frames),
        discard=(*board.discard, HAIBISS, fact.card),
    )


def cards_swapped(board: Board, fact: CardsSwapped) -> Board:
    """Move both cards at the same time."""
    first = without(board.divers[fact.first], fact.first_card)
    second = without(board.divers[fact.second], fact.second_card)
    frames = resolved(board.frames)
    # Order: the first chosen diver is checked first, so his frame lies on top (DIVE-A14).
    for frame in (
        arrived(fact.second, second.spur, fact.first_card),
        arrived(fact.first, first.spur, fact.second_card),
    ):
        if frame:
            frames = (*frames, frame)
    divers = put(board.divers, fact.first, _with(first, fact.second_card))
    divers = put(divers, fact.second, _with(second, fact.first_card))
    return replace(board, divers=divers, frames=frames, discard=(*board.discard, STROEMUNGSWECHSEL))


def spur_cursed(board: Board, fact: SpurCursed) -> Board:
    """Leave the diver nothing but the Oktopus that he has just drawn."""
    diver = board.divers[fact.seat]
    cursed = replace(diver, spur=diver.spur[-1:], beside=())
    return replace(
        board,
        divers=put(board.divers, fact.seat, cursed),
        frames=board.frames[:-1],
        discard=(*board.discard, *diver.spur[:-1], *diver.beside),
    )


def atemzug_ended(board: Board, fact: AtemzugEnded) -> Board:
    """Let the diver surface, also with the Leere Muschel; who is OUT or up stays so."""
    diver = board.divers[fact.seat]
    divers = board.divers
    if diver.status == "DOWN":
        divers = put(divers, fact.seat, replace(diver, status="SURFACED"))
    return replace(board, divers=divers, frames=board.frames[:-1])


def bonus_taken(board: Board, fact: BonusTaken) -> Board:
    """Give the opener his 15."""
    diver = replace(board.divers[fact.seat], bonus=SCHATZKAMMER_BONUS)
    return replace(board, divers=put(board.divers, fact.seat, diver), frames=board.frames[:-1])


def diver_charged(board: Board, fact: DiverCharged) -> Board:
    """Take 15 from the round of another diver, whatever his status (DIVE-A16)."""
    diver = replace(board.divers[fact.target], bonus=-SCHATZKAMMER_BONUS)
    return replace(board, divers=put(board.divers, fact.target, diver), frames=board.frames[:-1])


def without(diver: Diver, card: str) -> Diver:
    """Take one open card from a diver."""
    if card in NUMBER:
        return replace(diver, spur=_less(diver.spur, card))
    return replace(diver, beside=_less(diver.beside, card))


def _with(diver: Diver, card: str) -> Diver:
    """Lay a card before a diver that comes from another one: it is no deal card (DIVE-R03)."""
    if card in NUMBER:
        return replace(diver, spur=(*diver.spur, card))
    return replace(diver, beside=(*diver.beside, card))


def _less(cards: Cards, card: str) -> Cards:
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]
