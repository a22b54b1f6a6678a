"""Makes `wins.bin`: `python -m services.bot.strategies.speeddive.tables` (some minutes).

For each edition two divers play rounds: one follows a plan, to surface as soon as he has a fixed
number of points (a careful one also whenever normal would), the other is normal. That gives what a
round brings to each of them; the two are taken for independent. Then the chance to win follows
from the nearest totals backwards: before each round the first diver takes the plan that promises
most. So the table holds the chance of who plays to the score against normal.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import fsum
from operator import mul
from typing import Any, NamedTuple

from contracts.views import Question
from domain.games import GAMES
from domain.kernel import Ask, Cards, Over, act, begin
from domain.speeddive.moves import Dive, Surface
from domain.speeddive.state import Options
from domain.speeddive.views import View
from services.bot.strategies.speeddive import klassisch
from services.bot.strategies.speeddive.wins import EDITIONS, FAR, PATH, pack
from services.bot.strategies.strategy import Choose

_GAMES = 300
"""Games to 300 that are played for every plan; each has about 14 rounds."""
_LOW, _HIGH = 30, 90
"""Points of a round are counted from -_LOW (Brutal) to _HIGH; what lies beyond counts as these."""
_CAREFUL = (6, 9, 12, 15, 18, 21, 24)
_BOLD = (15, 18, 21, 24, 27, 30, 33, 36, 40, 45, 50, 55, 60)
_SWEEPS = 3
"""How often the table is gone through where points can be lost (Brutal)."""


class Plan(NamedTuple):
    """How likely a round brings -_LOW to _HIGH points, to who follows the plan and to normal."""

    own: list[float]
    other: list[float]


def _follow(enough: int, *, bold: bool) -> Choose:
    def choose(view: View, question: Question, rng: random.Random) -> Any:
        if question.kind != "dive" or len(question.options.moves) == 1:
            return klassisch.choose(view, question, rng)
        if view.scores[view.seat or 0] >= enough:
            return Surface()
        return Dive() if bold else klassisch.choose(view, question, rng)

    return choose


def _rounds(options: Options, plan: Choose) -> Iterator[tuple[int, int]]:
    """Give the points of both divers, the plan's first, in all rounds of some games."""
    game = GAMES["speeddive"]
    rng = random.Random(1)  # noqa: S311 - to be run again

    def shuffle(cards: Cards) -> Cards:
        return tuple(rng.sample(cards, len(cards)))

    for number in range(_GAMES):
        mine = number % 2
        players = (klassisch.choose, plan) if mine else (plan, klassisch.choose)
        settled = begin(game, options, (0, 1), shuffle)
        while not isinstance(settled.waiting, Over):
            ask = settled.waiting
            assert isinstance(ask, Ask)
            question = Question(1, ask.kind, ask.options, ask.default)
            move = players[ask.seat](game.view(settled.state, ask.seat), question, rng)
            settled = act(game, settled.state, ask, move, shuffle)
        for line in settled.state.board.history:
            yield line.scores[mine], line.scores[1 - mine]


def plans_of(options: Options) -> list[Plan]:
    """Play all plans."""
    chooses: list[Choose] = [_follow(enough, bold=False) for enough in _CAREFUL]
    chooses += [_follow(enough, bold=True) for enough in _BOLD]
    plans = []
    for choose in (klassisch.choose, *chooses):
        own, other = [0] * (_LOW + _HIGH + 1), [0] * (_LOW + _HIGH + 1)
        for mine, theirs in _rounds(options, choose):
            own[_LOW + max(-_LOW, min(_HIGH, mine))] += 1
            other[_LOW + max(-_LOW, min(_HIGH, theirs))] += 1
        rounds = sum(own)
        plans.append(Plan([n / rounds for n in own], [n / rounds for n in other]))
    return plans


def solve(plans: list[Plan], sweeps: int, far: int = FAR) -> list[list[float]]:
    """Give W[own][other] for 1 to far missing points; more sweeps are for points that are lost.

    All lists by missing points are padded by _HIGH in front (nothing or less is missing) and by
    _LOW behind (who loses points at far stays there).
    """
    size = _HIGH + far + _LOW + 1
    first = [own - _HIGH for own in range(size)]
    # after[other][own]: the chance when the round has brought the plan's diver from wherever to
    # `own`, and normal still has to be dealt with; a guess until the row is done.
    afters = [[[_start(own, other) for own in first] for other in range(far + 1)] for _ in plans]
    for plan, after in zip(plans, afters, strict=True):
        for other in range(1, far + 1):
            after[other][: _HIGH + 1] = [_over(plan, own, other) for own in range(-_HIGH, 1)]
    wins = [[_start(own, other) for other in range(-_HIGH, far + _LOW + 1)] for own in range(size)]
    for _ in range(sweeps):
        for own in range(1, far + 1):
            _solve_row(plans, afters, wins[own], own, far)
    return [row[_HIGH : _HIGH + far + 1] for row in wins[: far + 1]]


def _start(own: int, other: int) -> float:
    return max(0, other) / max(1, own + other)


def _over(plan: Plan, own: int, other: int) -> float:
    """Give the chance of who has reached the target, `-own` points beyond it."""
    chances = [
        chance * (0.5 if own == other - y else own < other - y)
        for y, chance in enumerate(plan.other, -_LOW)
    ]
    return fsum(chances)


def _solve_row(
    plans: list[Plan], afters: list[list[list[float]]], row: list[float], own: int, far: int
) -> None:
    width = _LOW + _HIGH + 1
    backwards = [
        (plan.own[::-1], plan.other[::-1], plan.own[_LOW], plan.other[_LOW]) for plan in plans
    ]
    for other in range(1, far + 1):
        # When neither gets a point the same stands again: that is solved for, not looked up.
        row[_HIGH + other] = best = 0.0
        for (xs, ys, x0, y0), after in zip(backwards, afters, strict=True):
            line = after[other]
            line[_HIGH + own] = fsum(map(mul, ys, row[other : other + width]))
            chance = fsum(map(mul, xs, line[own : own + width])) / (1.0 - x0 * y0)
            best = max(best, chance)
        row[_HIGH + other] = best
        for (_, _, _, y0), after in zip(backwards, afters, strict=True):
            after[other][_HIGH + own] += y0 * best
    row[_HIGH + far + 1 :] = [row[_HIGH + far]] * _LOW
    if own == far:
        for after in afters:
            for line in after:
                line[_HIGH + far + 1 :] = [line[_HIGH + far]] * _LOW


def main() -> None:
    """Write the file."""
    squares = [solve(plans_of(each), _SWEEPS if each.brutal else 1) for each in EDITIONS]
    PATH.write_bytes(pack(squares))


if __name__ == "__main__":
    main()
