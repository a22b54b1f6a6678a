"""What a hand can do: lay its camp, attach, complete a stage; from the own knowledge alone."""

from __future__ import annotations

from domain.kernel import Cards
from domain.speedclimb.cards import PARTS, SIZE, Part
from domain.speedclimb.descriptors import LayParts, fillable
from domain.speedclimb.fitting import fit, suggestion
from domain.speedclimb.melds import Place, places
from domain.speedclimb.scoring import camp_number
from domain.speedclimb.state import Board, Climber, Own


def parts_of(board: Board, climber: Climber, stage: int) -> tuple[Part, ...]:
    """Give the parts of the camp that a seat plays for."""
    return PARTS[board.mountain.camps[camp_number(board, climber, stage) - 1]]


def lay_parts(board: Board, climber: Climber, own: Own) -> LayParts | None:
    """Give how the hand may lay its camp; None if it may not, or lacks a card (CLIMB-R07)."""
    number = camp_number(board, climber, own.stage)
    if climber.laid or not number:
        return None
    mountain = board.mountain
    camp = mountain.camps[number - 1]
    found = fit(own.hand, camp, mountain.top)
    if found.missing:
        return None
    # A card must remain for the discard, except that the Gipfellager wins anyway.
    if not mountain.expedition and number < len(mountain.camps) and len(own.hand) == SIZE[camp]:
        return None
    parts = fillable(own.hand, camp, mountain.top)
    return LayParts(own.hand, parts, mountain.top, suggestion(found))


def attachable(board: Board, climber: Climber, hand: Cards) -> tuple[Place, ...]:
    """Give where cards of the hand may be attached (CLIMB-R08): nowhere before the own camp stands.

    Gipfelsturm and Nordwand: the last card may only be discarded.
    """
    mountain = board.mountain
    if not climber.laid or (len(hand) == 1 and not mountain.expedition):
        return ()
    return places(board.melds, hand, mountain.top)


def completed_stages(board: Board, climber: Climber, hand: Cards) -> tuple[int, ...]:
    """Give the open stages that the hand has everything for: the green dots (RULES.md 3.12)."""
    mountain = board.mountain
    return tuple(
        [
            number
            for number, camp in enumerate(mountain.camps, 1)
            if number not in climber.done and not fit(hand, camp, mountain.top).missing
        ]
    )
