"""Snorkeling "normal": greedy on depths.

It weighs every turn by the attack that it makes now, by what emptying the hand brings back, and by
the cards that it keeps for its next attack; it takes cards back, as a depth is worth more than a
card. It ends a round as soon as nobody is deeper. Replies and the score it does not think about.
"""

from __future__ import annotations

from operator import itemgetter
from random import Random

from contracts.views import Question
from domain.snorkeling.moves import Move, TakeCard
from domain.snorkeling.views import View
from services.bot.strategies.snorkeling.greedy import weighed
from services.bot.strategies.snorkeling.sight import move_of, sight_of

VERSION = 1


def choose(view: View, question: Question, _rng: Random) -> Move:
    """Give the turn that is worth most, or take the card back."""
    if question.kind == "take":
        return TakeCard()
    return move_of(max(weighed(sight_of(view)), key=itemgetter(0))[1])
