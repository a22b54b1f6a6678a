"""Snorkeling "leicht": plays by feeling.

Every turn feels up to one and a half depths better than it is, each by another dice roll: so it
hits when it sees a pile to hit, but often gives away the wrong cards or passes without need, and it
does not always want its card back.
"""

from __future__ import annotations

from random import Random
from typing import Final

from contracts.views import Question
from domain.snorkeling.moves import DrawCard, Move, TakeCard
from domain.snorkeling.views import View
from services.bot.strategies.snorkeling.greedy import weighed
from services.bot.strategies.snorkeling.sight import PASSING, move_of, sight_of

VERSION = 1
_FEELING: Final = 1.5
"""Depths that a turn may seem better than it is."""
_TAKES: Final = 3
"""Of so many cards that could be taken back it leaves one."""


def choose(view: View, question: Question, rng: Random) -> Move:
    """Give the turn that feels best."""
    if question.kind == "take":
        return TakeCard() if rng.randrange(_TAKES) else DrawCard()
    best, best_worth = PASSING, float("-inf")
    for worth, turn in weighed(sight_of(view)):
        felt = worth + _FEELING * rng.random()
        if felt > best_worth:
            best, best_worth = turn, felt
    return move_of(best)
