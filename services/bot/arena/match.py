"""One deal, played once for each place that side A can take, always with the same cards."""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from contracts.views import Question
from domain.kernel import AnyGame, Cards, Over, Pause, Resumed, act, asked, begin, settle
from domain.options import admits
from services.bot.strategies.strategy import Strategy
from services.kit.console.failure import Failure

DECISIONS_MAX: Final = 100_000
"""A game with more of them does not get anywhere."""


class Pairing(NamedTuple):
    """Side A takes one of the seats, side B all others; every deal goes round all the seats.

    `options` are the game's own, already of its type. `seed` names the series of deals.
    """

    game: AnyGame
    options: Any
    seats: int
    a: Strategy
    b: Strategy
    seed: str


class Played(NamedTuple):
    """What side A got out of one deal, and how long the sides thought.

    `outcomes`: for each seat that A took in turn, how many shared the first place with A there (1:
    A won alone), 0 if A did not have it. `a_ns`, `b_ns`: processor time of every decision, also of
    those that leave no choice.
    """

    outcomes: tuple[int, ...]
    a_ns: list[int]
    b_ns: list[int]

    @property
    def shares(self) -> tuple[float, ...]:
        """What A won of each game: 1 alone, 1/n for a first place shared by n."""
        return tuple(1 / n if n else 0.0 for n in self.outcomes)


class StrategyFailed(Failure):
    """A strategy broke or gave a move that it was not offered; the message says which and where."""


class Finished(NamedTuple):
    """The end of a game, and for each seat the processor time of its decisions, in ns."""

    over: Over
    took_ns: tuple[list[int], ...]


def play_deal(pairing: Pairing, deal: int) -> Played:
    """Play deal number `deal` (from 0) once for each seat of side A; raises StrategyFailed."""
    a_ns: list[int] = []
    b_ns: list[int] = []
    outcomes = []
    for mine in range(pairing.seats):
        players = [pairing.b] * pairing.seats
        players[mine] = pairing.a
        try:
            over, took = play_game(pairing.game, pairing.options, players, f"{pairing.seed}/{deal}")
        except StrategyFailed as error:
            where = f"deal {deal} with side A on seat {mine}"
            raise StrategyFailed(f"{where}: {error}; --deal {deal} plays it alone") from error
        for seat, each in enumerate(took):
            (a_ns if seat == mine else b_ns).extend(each)
        outcomes.append(over.ranks.count(1) if over.ranks[mine] == 1 else 0)
    return Played(tuple(outcomes), a_ns, b_ns)


def play_game(game: AnyGame, options: Any, players: Sequence[Strategy], seed: str) -> Finished:
    """Play one game, a strategy on each seat; `seed` gives all chance; raises StrategyFailed.

    Standing offers are left alone, as tables do with computers' seats.
    """
    shuffle = stacked(seed)
    took: tuple[list[int], ...] = tuple([] for _ in players)
    settled = begin(game, options, tuple(range(len(players))), shuffle)
    for prompt in range(1, DECISIONS_MAX):
        while isinstance(settled.waiting, Pause):
            resumed = (Resumed(settled.waiting.kind),)
            settled = settle(game, settled.state, resumed, shuffle)
        if isinstance(settled.waiting, Over):
            return Finished(settled.waiting, took)
        ask = asked(settled.waiting)[0]
        question = Question(prompt, ask.kind, ask.options, ask.default, part=ask.part)
        strategy = players[ask.seat]
        view = game.view(settled.state, ask.seat)
        rng = random.Random(f"{seed}/{prompt}/{ask.seat}/{ask.part}")  # noqa: S311 - to be run again
        begun = time.thread_time_ns()
        try:
            move = strategy.choose(view, question, rng)
        except Exception as error:
            raise _failed(strategy, ask.seat, question, _told(error)) from error
        took[ask.seat].append(time.thread_time_ns() - begun)
        if not admits(ask.options, move):
            raise _failed(strategy, ask.seat, question, f"it was not offered {move}")
        settled = act(game, settled.state, ask, move, shuffle)
    raise StrategyFailed(f"no end after {DECISIONS_MAX:,} decisions")


def _failed(strategy: Strategy, seat: int, question: Question, why: str) -> StrategyFailed:
    asked_for = f"decision {question.prompt}, {question.kind!r}"
    return StrategyFailed(f"{strategy.name} on seat {seat} failed at {asked_for}: {why}")


def _told(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}:{frame.lineno}"
    return f"{type(error).__name__} at {place} {error}".rstrip()


def stacked(seed: str) -> Callable[[Cards], Cards]:
    """Give a house whose shuffle number k has the same outcome in every game with this seed."""
    count = 0

    def shuffle(cards: Cards) -> Cards:
        nonlocal count
        count += 1
        order = list(cards)
        random.Random(f"{seed}/shuffle/{count}").shuffle(order)  # noqa: S311 - to be run again
        return tuple(order)

    return shuffle
