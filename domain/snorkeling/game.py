"""Snorkeling as one value that the table hosts."""

from __future__ import annotations

from typing import Any, get_args

from domain.kernel import Ask, RatRule, Seat, Shuffled, Waiting
from domain.snorkeling import rules
from domain.snorkeling.cards import DECK
from domain.snorkeling.events import (
    AnyFact,
    CardDrawn,
    CardsPlayed,
    CardTaken,
    FactOfSnorkeling,
    HandsDealt,
    RoundStarted,
)
from domain.snorkeling.evolve import evolve, hand_after
from domain.snorkeling.moves import Chosen, Move
from domain.snorkeling.sequence import Sequence
from domain.snorkeling.state import Board, Options, Schnorchler, State
from domain.snorkeling.views import View, view_of


class Snorkeling:
    """The rules of Snorkeling (RULES.md 4)."""

    name: str = "snorkeling"
    rules_version: int = 1
    seats_min: int = 2
    seats_max: int = 6
    people_max: int = 6
    options_type: type[Options] = Options
    view_type: type[View] = View
    fact_types: tuple[type, ...] = get_args(FactOfSnorkeling)
    chosen_type: type = Chosen
    descriptor_types: tuple[type, ...] = (Sequence,)
    rat: RatRule = "alone"

    def start(self, options: Options, places: tuple[int, ...]) -> State:
        """Give the table with all cards in the pile, before the starter is drawn."""
        return State(Board(options, (Schnorchler(),) * len(places)), ((),) * len(places))

    def waiting(self, state: State) -> Waiting[Move]:
        """Say who is awaited."""
        return rules.waiting(state)

    def offers(self, state: State) -> tuple[Ask[Move], ...]:  # noqa: ARG002 - the protocol
        """Snorkeling has no standing offers."""
        return ()

    def decide(self, state: State, ask: Ask[Move], move: Move) -> FactOfSnorkeling:
        """Give the fact that follows from a legal answer."""
        return rules.decide(state, ask, move)

    def forced(self, state: State) -> FactOfSnorkeling | None:
        """Give the next consequence that nobody chooses."""
        return rules.forced(state)

    def evolve(self, state: State, fact: AnyFact) -> State:
        """Apply a fact to the board, the hands and the pile."""
        board = evolve(state.board, fact)
        match fact:
            case CardDrawn() | CardTaken() | CardsPlayed():
                hands = list(state.hands)
                hands[fact.seat] = hand_after(hands[fact.seat], fact.seat, fact)
                return State(board, tuple(hands), state.pile)
            case Shuffled("pile", order):
                return State(board, state.hands, order)
            case HandsDealt(hands=dealt):
                return State(board, dealt, state.pile)
            case RoundStarted():
                return State(board, ((),) * len(state.hands), DECK)
            case _:
                return State(board, state.hands, state.pile)

    def view(self, state: State, seat: Seat | None) -> View:
        """Build up the open board and the seat's own hand; nothing of other hands or the pile."""
        return view_of(state.board, seat, () if seat is None else state.hands[seat])

    def seen(self, fact: Any, seat: Seat | None) -> Any | None:
        """Hide other hands, what others draw, and the order of the pile."""
        match fact:
            case CardDrawn() if fact.seat != seat:
                return CardDrawn(fact.seat)
            case HandsDealt(hands, centre):
                own = [hand if each == seat else () for each, hand in enumerate(hands)]
                return HandsDealt(tuple(own), centre)
            case Shuffled("pile"):
                return Shuffled("pile", ())
            case _:
                return fact

    def see(self, view: View, fact: Any) -> View:
        """Fold a seen fact into the view."""
        hand = view.hand if view.seat is None else hand_after(view.hand, view.seat, fact)
        return view_of(evolve(view.board, fact), view.seat, hand)
