"""What is played for a seat that does not answer: it collects for its camp, and lays it."""

from __future__ import annotations

from domain.kernel import Seat
from domain.speedclimb.cards import PENALTY, SCHNEESTURM, SHERPA
from domain.speedclimb.descriptors import LayParts
from domain.speedclimb.fitting import fit, wanted
from domain.speedclimb.melds import Place, places
from domain.speedclimb.moves import AttachCard, Discard, LayLager, Move, PlaySchneesturm
from domain.speedclimb.scoring import camp_number
from domain.speedclimb.state import Board, Own
from domain.speedclimb.takes import top_of


def default_take(board: Board, seat: Seat, own: Own, takes: tuple[Move, ...]) -> Move:
    """Take an open card that helps, else the first that there is: the material.

    As long as the stage may still be changed only a Sherpa is known to help.
    """
    climber = board.climbers[seat]
    mountain = board.mountain
    number = camp_number(board, climber, climber.stage)
    for take in takes:
        card = top_of(board, take)
        if not card:
            continue
        if climber.laid:
            if places(board.melds, (card,), mountain.top):
                return take
        elif card == SHERPA or (
            number and wanted(fit(own.hand, mountain.camps[number - 1], mountain.top), card)
        ):
            return take
    return takes[0]


def default_main(
    board: Board, seat: Seat, own: Own, laying: LayParts | None, fitting: tuple[Place, ...]
) -> Move:
    """Lay, attach, play a Schneesturm at who is nearest to the end, discard what helps least."""
    if laying:
        return LayLager(laying.suggestion)
    if fitting:
        place = fitting[0]
        return AttachCard(place.cards[0], place.meld, place.end)
    hand = own.hand
    if SCHNEESTURM in hand and len(hand) > 1:
        targets = [s for s, c in enumerate(board.climbers) if s != seat and not c.storm]
        if targets:
            return PlaySchneesturm(min(targets, key=lambda s: board.climbers[s].hand_count))
    climber = board.climbers[seat]
    number = camp_number(board, climber, own.stage)
    spare = list(hand)
    if number and not climber.laid:
        found = fit(hand, board.mountain.camps[number - 1], board.mountain.top)
        for target in found.targets:
            for card in target.cards:
                spare.remove(card)
    low = [card for card in spare if card != SHERPA] or spare or list(hand)
    return Discard(max(low, key=PENALTY.__getitem__))
