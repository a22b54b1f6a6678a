"""A seat of Snorkeling that is asked in a position of its own, and what it knows of the cards."""

from __future__ import annotations

import random
from typing import Any

from contracts.views import Question
from domain.kernel import Ask
from domain.options import admits
from domain.snorkeling.cards import DECK, LATERNENFISCH, Variant
from domain.snorkeling.moves import Move
from domain.snorkeling.rules import waiting
from domain.snorkeling.state import Board, Options, Schnorchler, State
from domain.snorkeling.views import view_of
from services.bot.strategies import COMPUTERS
from services.bot.strategies.snorkeling.bits import CARD, numbers
from services.bot.strategies.snorkeling.model import known_of

STRENGTHS = COMPUTERS["snorkeling"].strengths
PILE = (LATERNENFISCH, "y4", "y3", "y2", "y1")


class Asked:
    """A seat that is asked in a position of its own; `depths` and `totals` are all seats'."""

    def __init__(
        self,
        hand: str,
        centre: str,
        depths: tuple[int, ...] = (5, 5),
        *,
        totals: tuple[int, ...] = (0,) * 6,
        variant: Variant = "BASIS",
        phase: Any = "turn",
        others: int = 5,
    ) -> None:
        cards = tuple(sorted(hand.split()))
        seats = [
            Schnorchler(PILE[: 6 - depth], others if seat else len(cards), totals[seat])
            for seat, depth in enumerate(depths)
        ]
        out = len(cards) + others * (len(depths) - 1) + 1 + sum(5 - depth for depth in depths)
        board = Board(
            Options(variant),
            tuple(seats),
            phase,
            1,
            0,
            centre=(centre,),
            pile_count=len(DECK) - out,
        )
        ask = waiting(State(board, (cards,) * len(depths)))
        self.view = view_of(board, 0, cards)
        assert isinstance(ask, Ask)
        self.question = Question(1, ask.kind, ask.options, ask.default)

    def of(self, strength: str, seed: int = 1) -> Move:
        move: Move = STRENGTHS[strength].choose(self.view, self.question, random.Random(seed))
        assert admits(self.question.options, move)
        return move


def test_the_numbers_of_known_cards_are_each_used_once() -> None:
    asked = Asked("b0 b0 r3 y4", "r2", (3, 4))
    known = known_of(asked.view)
    piles = [number for pile in known.piles for number in pile]

    assert [CARD[number] for number in numbers(known.hand)] == ["b0", "b0", "r3", "y4"]
    assert sorted([*numbers(known.hand), *piles, known.top, *known.below, *known.unseen]) == list(
        range(len(DECK))
    )
