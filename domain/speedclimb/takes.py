"""What the seat on turn may take (CLIMB-R06); all of it is open but the own Rucksack."""

from __future__ import annotations

from domain.kernel import Cards
from domain.speedclimb.cards import NUMBER, SCHNEESTURM, SHERPA
from domain.speedclimb.moves import Move, TakeAblage, TakeDepot, TakeMaterial, TakeRucksack
from domain.speedclimb.state import Board

MATERIAL, ABLAGE = TakeMaterial(), TakeAblage()
_DEPOT = tuple(TakeDepot(seat) for seat in range(6))
_RUCKSACK = {card: TakeRucksack(card) for card in (*NUMBER, SHERPA)}


def takeable(board: Board, rucksack: Cards) -> tuple[Move, ...]:
    """Give all takes; none at all ends the round (CLIMB-R17)."""
    takes: list[Move] = [MATERIAL] if board.material_count else []
    if board.mountain.expedition:
        # A Schneesturm on top blocks the pile (CLIMB-A01, CLIMB-A21).
        if board.piles[0].count and board.piles[0].top != SCHNEESTURM:
            takes.append(ABLAGE)
        if rucksack:  # packed in an earlier turn, for packing ends it
            takes += [_RUCKSACK[card] for card in dict.fromkeys(rucksack)]
        return tuple(takes)
    for depot, pile in zip(_DEPOT, board.piles, strict=False):
        if pile.count and pile.top != SCHNEESTURM:
            takes.append(depot)
    return tuple(takes)


def top_of(board: Board, take: Move) -> str:
    """Give the open card of a take, nothing if it is hidden."""
    match take:
        case TakeDepot(owner):
            return board.piles[owner].top
        case TakeAblage():
            return board.piles[0].top
        case TakeRucksack(card):
            return card
        case _:
            return ""
