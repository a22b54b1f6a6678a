"""One deal, played once for each place that side A can take, always with the same cards."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from contracts.views import Question
from domain.kernel import AnyGame, Cards, Over, Pause, Resumed, Settled, act, asked, begin, settle
from domain.options import admits
from services.bot.strategies.strategy import Strategy


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

    `shares`: for each seat that A took in turn, 1 for winning alone, 1/n for sharing the first
    place with n, else 0. `a_ns`, `b_ns`: processor time of every decision between several moves.
    """

    shares: tuple[float, ...]
    a_ns: list[int]
    b_ns: list[int]


class NotOffered(Exception):
    """A strategy gave a move that it was not offered."""


def play_deal(pairing: Pairing, deal: int) -> Played:
    """Play deal number `deal` (from 0) once for each seat of side A; raises NotOffered."""
    a_ns: list[int] = []
    b_ns: list[int] = []
    shares = []
    for mine in range(pairing.seats):
        players = [(pairing.b, b_ns)] * pairing.seats
        players[mine] = (pairing.a, a_ns)
        ranks = _play(pairing, players, f"{pairing.seed}/{deal}")
        first = ranks.count(1)
        shares.append(1 / first if ranks[mine] == 1 else 0.0)
    return Played(tuple(shares), a_ns, b_ns)


def _play(
    pairing: Pairing, players: list[tuple[Strategy, list[int]]], seed: str
) -> tuple[int, ...]:
    game = pairing.game
    shuffle = stacked(seed)
    prompt = 1
    settled = begin(game, pairing.options, tuple(range(pairing.seats)), shuffle)
    while not isinstance(settled.waiting, Over):
        if isinstance(settled.waiting, Pause):
            resumed = (Resumed(settled.waiting.kind),)
            settled = settle(game, settled.state, resumed, shuffle)
            continue
        ask = asked(settled.waiting)[0]
        question = Question(prompt, ask.kind, ask.options, ask.default, part=ask.part)
        strategy, took = players[ask.seat]
        view = game.view(settled.state, ask.seat)
        rng = random.Random(f"{seed}/{prompt}/{ask.seat}/{ask.part}")  # noqa: S311 - to be run again
        begun = time.thread_time_ns()
        move = strategy.choose(view, question, rng)
        took.append(time.thread_time_ns() - begun)
        if not admits(ask.options, move):
            raise NotOffered(f"{strategy.name}: {ask.kind}")
        settled = _acted(pairing, settled, move, shuffle)
        prompt += 1
    return settled.waiting.ranks


def _acted(
    pairing: Pairing, settled: Settled[Any, Any], move: Any, shuffle: Callable[[Cards], Cards]
) -> Settled[Any, Any]:
    return act(pairing.game, settled.state, asked(settled.waiting)[0], move, shuffle)


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
