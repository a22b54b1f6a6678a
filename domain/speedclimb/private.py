"""What a fact does to what a seat alone knows; a seat's view folds with it as the state does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from domain.kernel import Seat
from domain.speedclimb.cards import SCHNEESTURM, canonical, without
from domain.speedclimb.events import (
    AnyFact,
    CardAttached,
    CardDiscarded,
    CardPacked,
    CardTaken,
    CarryChosen,
    LagerLaid,
    RoundEnded,
    RoundStarted,
    SchneesturmPlayed,
    StageChosen,
)
from domain.speedclimb.scoring import carried
from domain.speedclimb.state import Board, Own


def evolve_own(own: Own, seat: Seat, fact: AnyFact, board: Board) -> Own:
    """Apply a fact to what `seat` knows; `board` is that before the fact."""
    kind = type(fact)
    if kind is RoundStarted or kind is RoundEnded:
        return _OF_ALL[kind](own, seat, fact, board)
    handler = _OF_ONE.get(kind)
    if handler is None or fact.seat != seat:  # type: ignore[union-attr]  # those have a seat
        return own
    return handler(own, fact)


def affected(fact: AnyFact) -> Seat | None:
    """Give the only seat whose own knowledge the fact changes; None if that is all or nobody."""
    return fact.seat if type(fact) in _OF_ONE else None  # type: ignore[union-attr]  # those have one


def for_all(fact: AnyFact) -> bool:
    """Tell whether the fact changes what every seat alone knows."""
    return type(fact) in _OF_ALL


def _started(own: Own, seat: Seat, fact: RoundStarted, _board: Board) -> Own:
    return Own(fact.hands[seat], own.rucksack, fact.stages[seat] if fact.stages else 0)


def _ended(own: Own, seat: Seat, _fact: RoundEnded, board: Board) -> Own:
    carry = canonical(carried(board, board.climbers[seat], own.hand))
    return Own(own.hand, own.rucksack, own.stage, carry)


def _taken(own: Own, fact: CardTaken) -> Own:
    rucksack = own.rucksack
    if fact.source == "rucksack":
        rucksack = without(rucksack, (fact.card,))
    return Own(canonical((*own.hand, fact.card)), rucksack, own.stage)


def _laid(own: Own, fact: LagerLaid) -> Own:
    cards = [card for meld in fact.melds for card in meld.cards]
    return Own(without(own.hand, cards), own.rucksack, own.stage)


def _gone(own: Own, fact: CardAttached | CardDiscarded) -> Own:
    return Own(without(own.hand, (fact.card,)), own.rucksack, own.stage)


def _played(own: Own, _fact: SchneesturmPlayed) -> Own:
    return Own(without(own.hand, (SCHNEESTURM,)), own.rucksack, own.stage)


def _packed(own: Own, fact: CardPacked) -> Own:
    hand = without(own.hand, (fact.card,))
    return Own(hand, canonical((*own.rucksack, fact.card)), own.stage)


def _stage(own: Own, fact: StageChosen) -> Own:
    return Own(own.hand, own.rucksack, fact.stage)


def _carry(own: Own, fact: CarryChosen) -> Own:
    return Own(own.hand, own.rucksack, own.stage, fact.cards)


_OF_ALL: dict[type, Callable[[Own, Seat, Any, Board], Own]] = {
    RoundStarted: _started,
    RoundEnded: _ended,
}
_OF_ONE: dict[type, Callable[[Own, Any], Own]] = {
    CardTaken: _taken,
    LagerLaid: _laid,
    CardAttached: _gone,
    CardDiscarded: _gone,
    SchneesturmPlayed: _played,
    CardPacked: _packed,
    StageChosen: _stage,
    CarryChosen: _carry,
}
