"""Speeddrill as one value that the table hosts."""

from __future__ import annotations

from typing import Any, get_args

from msgspec.structs import replace

from domain.kernel import Ask, Chosen, RatRule, Seat, Shuffled, Waiting
from domain.speeddrill import moves, rules
from domain.speeddrill.events import (
    AnyFact,
    CardDrawn,
    FactOfSpeeddrill,
    HandDealt,
    RodsSealed,
)
from domain.speeddrill.evolve import evolve, hold
from domain.speeddrill.moves import ChooseRods, Move, PickRods
from domain.speeddrill.seating import konzerne_of
from domain.speeddrill.state import Board, Held, Options, State
from domain.speeddrill.views import View, held_by, view_of


class Speeddrill:
    """The rules of Speeddrill (RULES.md 5)."""

    name: str = "speeddrill"
    rules_version: int = 1
    seats_min: int = 2
    seats_max: int = 4
    people_max: int = 4
    options_type: type[Options] = Options
    view_type: type[View] = View
    fact_types: tuple[type, ...] = get_args(FactOfSpeeddrill)
    chosen_type: type = moves.Chosen
    descriptor_types: tuple[type, ...] = (PickRods,)
    rat: RatRule = "alone"

    def start(self, options: Options, places: tuple[int, ...]) -> State:
        """Give the empty board; the colours follow from where the seats sit (DRILL-R01, R02)."""
        konzerne = konzerne_of(places)
        nothing = ((),) * len(konzerne)
        return State(Board(options, konzerne), Held(nothing, nothing))

    def waiting(self, state: State) -> Waiting[Move]:
        """Say who is awaited."""
        return rules.waiting(state)

    def offers(self, state: State) -> tuple[Ask[Move], ...]:  # noqa: ARG002 - the protocol
        """Speeddrill has no standing offers."""
        return ()

    def decide(self, state: State, ask: Ask[Move], move: Move) -> FactOfSpeeddrill:
        """Give the fact that follows from a legal answer."""
        return rules.decide(state, ask, move)

    def forced(self, state: State) -> FactOfSpeeddrill | None:
        """Give the next consequence that nobody chooses."""
        return rules.forced(state)

    def evolve(self, state: State, fact: AnyFact) -> State:
        """Apply a fact; the order of the pile changes by a shuffle only."""
        board = evolve(state.board, fact)
        pile = fact.order if type(fact) is Shuffled and fact.what == "pile" else state.pile
        return State(board, hold(state.held, board, fact), pile)

    def view(self, state: State, seat: Seat | None) -> View:
        """Build up the open board and what the seat itself holds."""
        return view_of(state.board, held_by(state.board, state.held, seat), seat)

    def seen(self, fact: Any, seat: Seat | None) -> Any | None:
        """Hide the order of the pile, others' cards, and others' rods until all have chosen."""
        match fact:
            case Shuffled(what="pile"):
                return Shuffled("pile", ())
            case Chosen(move=ChooseRods(konzern)) if fact.seat != seat:
                # Who can run a strategy again learns from its name what it has chosen.
                return replace(
                    fact, move=ChooseRods(konzern, ()), strategy="", strategy_version=0, rng_seed=""
                )
            case RodsSealed() if fact.seat != seat:
                return RodsSealed(fact.seat, fact.konzern)
            case HandDealt() if fact.seat != seat:
                return HandDealt(fact.seat, fact.konzern)
            case CardDrawn() if fact.seat != seat:
                return CardDrawn(fact.seat, fact.konzern)
            case _:
                return fact

    def see(self, view: View, fact: Any) -> View:
        """Fold a seen fact into the view."""
        board = evolve(view.board, fact)
        return view_of(board, hold(view.held, board, fact), view.seat)
