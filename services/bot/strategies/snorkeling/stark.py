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
from domain.snorkeling.scoring import GOAL
from domain.snorkeling.views import View
from services.bot.strategies.snorkeling import crowd
from services.bot.strategies.snorkeling.greedy import weighed
from services.bot.strategies.snorkeling.model import Known, Sea, Worlds, known_of
from services.bot.strategies.snorkeling.sight import Sight, Turn, move_of
from services.bot.strategies.snorkeling.standing import DUELS, ENDS, FITS, chance

VERSION = 1
_TURNS: Final = 12
"""So many turns of the highest worth are tried at all,"""
_STAGES: Final = ((12, 5), (24, 3), (48, 2), (96, 1))
"""in so many worlds, after which so many candidates are kept for the next."""
_CLEAR: Final = 0.15
"""No more worlds are needed when the best leads by so much of a game, over the root of the worlds:
between two candidates the worlds differ by about a third of it."""
_DUEL: Final = 2
_AHEAD_IN_DUEL: Final = 2
"""Turns that are played before a standing is judged."""

Judge: TypeAlias = Callable[[Sea, bool], float]
"""(world, the round is over) -> what it is worth to the asked seat, 0 to 1."""
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
    """Give the number of the candidate that does best in the same worlds, weeded once."""
    assert view.seat is not None
    seats = len(view.scores)
    if seats == _DUEL:
        judge, ahead = duel_judge(view), _AHEAD_IN_DUEL
    else:
        judge, ahead = crowd.judge(view), crowd.AHEAD * seats
    kept = list(range(len(starts)))
    sums = [0.0] * len(starts)
    worlds = Worlds(view, known, 2 * (ahead + 1), rng)
    played = 0
    for count, keep in _STAGES:
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


def duel_judge(view: View) -> Judge:
    """Judge by the chance to win the game of two."""
    seat = view.seat
    assert seat is not None
    board = view.board
    variant = board.options.variant
    mine, theirs = board.schnorchler[seat].total, board.schnorchler[1 - seat].total
    excess = max(0, mine - GOAL + 1, theirs - GOAL + 1)  # a shared lead: only the difference counts
    mine, theirs = mine - excess, theirs - excess
    fit, table, other = FITS[variant], DUELS[variant], 1 - seat
    won = [[0.0] * 6 for _ in range(6)]
    lost = [[0.0] * 6 for _ in range(6)]
    for high in range(5):
        for low in range(5):
            for score, percent in enumerate(ENDS[variant][high][low], 1):
                won[high + 1][low + 1] += percent * table[mine + score][theirs] / 100
                lost[low + 1][high + 1] += percent * table[mine][theirs + score] / 100

    def judge(sea: Sea, over: bool) -> float:  # noqa: FBT001 - by position for speed
        me, you = sea.depths[seat], sea.depths[other]
        if over:
            return table[mine + me][theirs + you]
        hands = sea.hands
        if sea.turn == seat:
            win = chance(fit, (me, you), (hands[seat], hands[other]), sea.top)
        else:
            win = 1 - chance(fit, (you, me), (hands[other], hands[seat]), sea.top)
        return win * won[me][you] + (1 - win) * lost[me][you]

    return judge
