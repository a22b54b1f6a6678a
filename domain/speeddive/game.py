"""Speeddive as one value that the table hosts."""

from __future__ import annotations

from typing import Any, get_args

from domain.kernel import Ask, RatRule, Seat, Shuffled, Waiting
from domain.speeddive import rules
from domain.speeddive.cards import DECKS
from domain.speeddive.events import AnyFact, FactOfSpeeddive
from domain.speeddive.evolve import evolve
from domain.speeddive.moves import Chosen, Move, SwapAnyTwo
from domain.speeddive.state import Board, Diver, Options, State
from domain.speeddive.views import View, view_of


class Speeddive:
    """The rules of Speeddive (RULES.md 2)."""

    name: str = "speeddive"
    rules_version: int = 1
    seats_min: int = 2
    seats_max: int = 4
    people_max: int = 4
    options_type: type[Options] = Options
    view_type: type[View] = View
    fact_types: tuple[type, ...] = get_args(FactOfSpeeddive)
    chosen_type: type = Chosen
    descriptor_types: tuple[type, ...] = (SwapAnyTwo,)
    rat: RatRule = "no_stake"

    def start(self, options: Options, places: tuple[int, ...]) -> State:
        """Give the table with all cards on the discard pile: the first draw shuffles them."""
        divers = tuple(Diver() for _ in places)
        return State(Board(options, divers, discard=DECKS[options.edition]))

    def waiting(self, state: State) -> Waiting[Move]:
        """Say who is awaited."""
        return rules.waiting(state.board)

    def offers(self, state: State) -> tuple[Ask[Move], ...]:  # noqa: ARG002 - the protocol
        """Speeddive has no standing offers."""
        return ()

    def decide(self, state: State, ask: Ask[Move], move: Move) -> FactOfSpeeddive:
        """Give the fact that follows from a legal answer."""
        return rules.decide(state, ask, move)

    def forced(self, state: State) -> FactOfSpeeddive | None:
        """Give the next consequence that nobody chooses."""
        return rules.forced(state)

    def evolve(self, state: State, fact: AnyFact) -> State:
        """Apply a fact; the order of the pile changes by a shuffle only."""
        board = evolve(state.board, fact)
        if type(fact) is Shuffled and fact.what == "pile":
            return State(board, fact.order)
        return State(board, state.pile)

    def view(self, state: State, seat: Seat | None) -> View:
        """Build up the open board and its counts; nothing of the pile but its size."""
        return view_of(state.board, seat)

    def seen(self, fact: Any, seat: Seat | None) -> Any | None:  # noqa: ARG002 - same for all
        """Hide the order of the pile; everything else is open."""
        if type(fact) is Shuffled and fact.what == "pile":
            return Shuffled(fact.what, ())
        return fact

    def see(self, view: View, fact: Any) -> View:
        """Fold a seen fact into the view."""
        return view_of(evolve(view.board, fact), view.seat)
