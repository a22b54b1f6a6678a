"""Speeddive "leicht" (RULES.md 2.10): dives by feeling until the round is good enough for it.

What is enough it feels anew at every card, and it hits whomever it likes, only not itself with
what hurts. It counts nothing.
"""

from __future__ import annotations

from random import Random
from typing import Any

from contracts.views import Question
from domain.options import sample
from domain.speeddive.moves import ChooseTarget, Dive, Move, Surface
from domain.speeddive.views import View

VERSION = 1
_ENOUGH = (12, 34)
"""Points between which a round feels good enough."""


def choose(view: View, question: Question, rng: Random) -> Move:
    """Give the move of a diver who is asked anything."""
    seat = view.seat
    assert seat is not None
    if question.kind == "dive" and len(question.options.moves) > 1:
        enough = rng.randint(*_ENOUGH)
        return Surface() if view.scores[seat] >= enough else Dive()
    others: list[Any] = [
        move
        for move in question.options.moves
        if isinstance(move, ChooseTarget) and move.target != seat
    ]
    return rng.choice(others) if others else sample(question.options, rng.randrange)
