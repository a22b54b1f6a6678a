"""Speedclimb as one value that the table hosts."""

from __future__ import annotations

from typing import Any, get_args

from msgspec.structs import replace

from domain.kernel import Ask, Cards, RatRule, Seat, Shuffled, Waiting
from domain.speedclimb import rules
from domain.speedclimb.cards import SCHNEESTURM
from domain.speedclimb.descriptors import DESCRIPTORS
from domain.speedclimb.events import (
    AnyFact,
    CardDiscarded,
    CardPacked,
    CardTaken,
    CarryChosen,
    FactOfSpeedclimb,
    RoundStarted,
    StageChosen,
)
from domain.speedclimb.evolve import evolve_board, pile_of
from domain.speedclimb.moves import SECRET, Chosen, Move
from domain.speedclimb.private import affected, evolve_own, for_all
from domain.speedclimb.state import Board, Climber, Options, Own, State
from domain.speedclimb.views import View, seen_by, view_of


class Speedclimb:
    """The rules of Speedclimb (RULES.md 3)."""

    name: str = "speedclimb"
    rules_version: int = 1
    seats_min: int = 2
    seats_max: int = 6
    people_max: int = 4
    options_type: type[Options] = Options
    view_type: type[View] = View
    fact_types: tuple[type, ...] = get_args(FactOfSpeedclimb)
    chosen_type: type = Chosen
    descriptor_types: tuple[type, ...] = DESCRIPTORS
    rat: RatRule = "no_stake"

    def start(self, options: Options, places: tuple[int, ...]) -> State:
        """Give the foot of the mountain: nothing is shuffled or dealt."""
        seats = len(places)
        return State(Board(options, (Climber(),) * seats), (Own(),) * seats)

    def waiting(self, state: State) -> Waiting[Move]:
        """Say who is awaited."""
        return rules.waiting(state)

    def offers(self, state: State) -> tuple[Ask[Move], ...]:
        """Give the stage choice and the carry-over, which stand beside play."""
        return rules.offers(state)

    def decide(self, state: State, ask: Ask[Move], move: Move) -> FactOfSpeedclimb:
        """Give the fact that follows from a legal answer."""
        return rules.decide(state, ask, move)

    def forced(self, state: State) -> FactOfSpeedclimb | None:
        """Give the next consequence that nobody chooses."""
        return rules.forced(state)

    def evolve(self, state: State, fact: AnyFact) -> State:
        """Apply a fact to the board, to what seats alone know, and to the covered cards."""
        board = state.board
        owns = state.owns
        seat = affected(fact)
        if seat is not None:
            changed = list(owns)
            changed[seat] = evolve_own(owns[seat], seat, fact, board)
            owns = tuple(changed)
        elif for_all(fact):
            owns = tuple([evolve_own(own, s, fact, board) for s, own in enumerate(owns)])
        after = evolve_board(board, fact)
        material = state.material
        if type(fact) is Shuffled and fact.what != "dealer":
            material = fact.order
        elif type(fact) is RoundStarted:
            material = material[len(material) - after.material_count :]
        return State(after, owns, material, _piles(state.piles, board, after, fact))

    def view(self, state: State, seat: Seat | None) -> View:
        """Build up the open board, the seat's own cards and its aids."""
        return view_of(state, seat)

    def seen(self, fact: Any, seat: Seat | None) -> Any | None:
        """Hide the order of the material, hands, what is packed, and stages before the lock."""
        hide = _SEEN.get(type(fact))
        return fact if hide is None else hide(fact, seat)

    def see(self, view: View, fact: Any) -> View:
        """Fold a seen fact into the view."""
        own = view.own
        if own is not None and view.seat is not None:
            own = evolve_own(own, view.seat, fact, view.board)
        return seen_by(evolve_board(view.board, fact), view.seat, own)


def _piles(
    piles: tuple[Cards, ...], before: Board, after: Board, fact: AnyFact
) -> tuple[Cards, ...]:
    """Follow the covered cards of the depots or the Ablage."""
    if before.piles is after.piles:
        return piles
    kind = type(fact)
    if kind is RoundStarted:
        return tuple([(pile.top,) if pile.count else () for pile in after.piles])
    if kind is Shuffled:
        return tuple([pile[-1:] for pile in piles])
    changed = list(piles)
    if isinstance(fact, CardTaken):
        index = pile_of(before, fact.owner)
        changed[index] = piles[index][:-1]
    elif isinstance(fact, CardDiscarded):
        index = pile_of(before, fact.seat)
        changed[index] = (*piles[index], fact.card)
    else:
        changed[0] = (*piles[0], SCHNEESTURM)
    return tuple(changed)


def _shuffled(fact: Shuffled, _seat: Seat | None) -> Shuffled:
    return fact if fact.what == "dealer" else Shuffled(fact.what, ())


def _round_started(fact: RoundStarted, seat: Seat | None) -> RoundStarted:
    hands = tuple([hand if s == seat else () for s, hand in enumerate(fact.hands)])
    stages = tuple([stage if s == seat else 0 for s, stage in enumerate(fact.stages)])
    return replace(fact, hands=hands, stages=stages)


def _taken(fact: CardTaken, seat: Seat | None) -> CardTaken:
    hidden = fact.source in {"material", "rucksack"} and fact.seat != seat
    return replace(fact, card="") if hidden else fact


def _packed(fact: CardPacked, seat: Seat | None) -> CardPacked:
    return fact if fact.seat == seat else CardPacked(fact.seat)


def _own_alone(fact: StageChosen | CarryChosen, seat: Seat | None) -> Any | None:
    return fact if fact.seat == seat else None


def _chosen(fact: Chosen, seat: Seat | None) -> Chosen | None:
    return None if isinstance(fact.move, SECRET) and fact.seat != seat else fact


_SEEN: dict[type, Any] = {
    Shuffled: _shuffled,
    RoundStarted: _round_started,
    CardTaken: _taken,
    CardPacked: _packed,
    StageChosen: _own_alone,
    CarryChosen: _own_alone,
    Chosen: _chosen,
}
