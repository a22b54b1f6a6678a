"""Snorkeling "stark": looks ahead in imagined worlds.

The turns that greed weighs highest are each played in the same worlds, dealt from the cards that
the seat has no eyes on. In each world a few turns follow by simple rules. In a duel the chance to
win the game from there counts, so the score of the game decides what a round is worth; with more
players the round is played on longer and the totals count that it would bring.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import itemgetter
from random import Random
from typing import Final, TypeAlias

from contracts.views import Question
from domain.snorkeling.moves import DrawCard, Move, TakeCard
from domain.snorkeling.views import View
from services.bot.strategies.snorkeling import crowd, duel
from services.bot.strategies.snorkeling.greedy import weighed
from services.bot.strategies.snorkeling.model import Judge, Known, Sea, Stages, known_of
from services.bot.strategies.snorkeling.sight import Sight, Turn, move_of
from services.bot.strategies.snorkeling.worlds import Worlds

VERSION = 2
_TURNS: Final = 12
"""So many turns of the highest worth are tried at all."""
_CLEAR: Final = 0.15
"""No more worlds are needed when the best leads by so much of a game, over the root of the worlds:
between two candidates the worlds differ by about a third of it."""
_DUEL: Final = 2

Start: TypeAlias = Callable[[Sea], bool]
"""Plays one candidate; tells whether the round is over."""


def choose(view: View, question: Question, rng: Random) -> Move:
    """Give the move with the best outlook."""
    assert view.seat is not None
    known = known_of(view)
    if question.kind == "take":
        return (TakeCard(), DrawCard())[_best(view, known, [_take, _draw], rng)]
    found = weighed(sight_from(view, known))
    found.sort(key=itemgetter(0), reverse=True)
    turns = [turn for _, turn in found[:_TURNS]]
    if len(turns) == 1:
        return move_of(turns[0])
    return move_of(turns[_best(view, known, [_player(turn) for turn in turns], rng)])


def sight_from(view: View, known: Known) -> Sight:
    """Give what the seat sees, with the bit numbers of the worlds."""
    board = view.board
    assert view.seat is not None
    totals = tuple([each.total for each in board.schnorchler])
    return Sight(board.options.variant, view.seat, view.scores, totals, known.top, known.hand)


def _player(turn: Turn) -> Start:
    return lambda sea: sea.play(turn)


def _take(sea: Sea) -> bool:
    seat = sea.turn
    pile = sea.piles[seat]
    sea.hands[seat] |= 1 << pile[-1]
    sea.piles[seat] = pile[:-1]
    sea.depths[seat] += 1
    sea.turn = (seat + 1) % len(sea.hands)
    return False


def _draw(sea: Sea) -> bool:
    seat = sea.turn
    if sea.draws:
        sea.hands[seat] |= 1 << sea.draws.pop()
    sea.turn = (seat + 1) % len(sea.hands)
    return False


def _best(view: View, known: Known, starts: list[Start], rng: Random) -> int:
    """Give the number of the candidate that does best in the same worlds, weeded in stages."""
    assert view.seat is not None
    judge: Judge
    stages: Stages
    seats = len(view.scores)
    if seats == _DUEL:
        judge, ahead, stages = duel.judge(view), duel.AHEAD[view.board.options.variant], duel.STAGES
    else:
        judge, ahead, stages = crowd.judge(view), crowd.AHEAD * seats, crowd.STAGES
    kept = list(range(len(starts)))
    sums = [0.0] * len(starts)
    worlds = Worlds(view, known, 2 * (ahead + 1), rng)
    played = 0
    for count, keep in stages:
        for _ in range(count):
            world = worlds.imagine()
            for number in kept:
                sea = world.copy()
                over = starts[number](sea)
                left = ahead
                while left and not over:
                    over = sea.step()
                    left -= 1
                sums[number] += judge(sea, over)
        played += count
        kept.sort(key=lambda number: -sums[number])
        if sums[kept[0]] - sums[kept[1]] > _CLEAR * math.sqrt(played):
            break
        kept = kept[:keep]
    return kept[0]
