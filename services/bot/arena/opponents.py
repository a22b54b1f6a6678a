"""Who can play in the arena: the strengths of each game, and some that are no strength."""

from __future__ import annotations

from random import Random
from typing import Any

from contracts.views import Question
from domain.options import sample
from domain.speeddive.moves import Dive, Surface
from domain.speeddive.views import View
from services.bot.strategies import COMPUTERS, DEFAULT
from services.bot.strategies.strategy import Strategy
from services.kit.console.failure import Failure

_PURPOSE = {"speedclimb": 4}
"""Games in which chance alone hardly ever completes anything: defaults are so often as likely."""
_ENOUGH = (10, 30)


def opponents(game: str) -> dict[str, Strategy]:
    """Give everybody who can play a game, by name.

    `default` is what a table plays when no computer answers, `random` samples what is offered.
    `stopper` (Speeddive) surfaces at random: a sensible diver beats it.
    """
    found = {**COMPUTERS[game].strengths, "default": DEFAULT}
    found["random"] = _random(_PURPOSE.get(game, 0))
    if game == "speeddive":
        found["stopper"] = Strategy("stopper", 1, stop_at_random)
    return found


def opponent(game: str, name: str) -> Strategy:
    """Give the player of this name; raises Failure."""
    known = opponents(game)
    if name not in known:
        raise Failure(f"nobody is called {name!r} in {game}: choose from {', '.join(known)}")
    return known[name]


def _random(purpose: int) -> Strategy:
    def choose(_view: Any, question: Question, rng: Random) -> Any:
        if rng.randrange(purpose + 1):
            return question.default
        return sample(question.options, rng.randrange)

    return Strategy("random", 1, choose)


def stop_at_random(view: View, question: Question, rng: Random) -> Any:
    """Surface in each round with a random 10 to 30 points or more, and pick any target.

    A strategy remembers nothing, so the number comes from what stays the same for a round and
    differs from game to game: the totals, who deals, and the own first card.
    """
    if question.kind != "dive":
        return sample(question.options, rng.randrange)
    board, seat = view.board, view.seat
    assert seat is not None
    totals = [diver.total for diver in board.divers]
    named = (seat, board.round, board.dealer, totals, board.divers[seat].spur[:1])
    enough = Random(repr(named)).randint(*_ENOUGH)  # noqa: S311 - to be run again
    stops = view.scores[seat] >= enough and Surface() in question.options.moves
    return Surface() if stops else Dive()
