"""How fast the rules are: random games in one process, without table, bus or database."""

from __future__ import annotations

import random
from itertools import cycle, islice
from time import perf_counter
from typing import Any

import msgspec
from msgspec import Struct

from domain.games import GAMES
from domain.kernel import (
    AnyGame,
    Cards,
    Over,
    Pause,
    Resumed,
    Settled,
    Shuffle,
    Shuffled,
    act,
    asked,
    begin,
    settle,
)
from domain.options import Pick, sample
from domain.variants import label, variants
from services.ops.measure import Measure
from services.ops.simulation.plan import PURPOSE

MEASURE_S = 0.5
"""How long facts and views are measured; decisions take the time that is asked for."""
BETWEEN_LOOKS = 100
"""Views between two looks at the time."""
VIEW_EVERY = 5
"""So many decisions lie between two positions whose views are measured."""


class _Played(Struct):
    """A finished game: its start, its facts, and some of its positions."""

    start: Any
    seats: int
    facts: list[Any]
    positions: list[Any]


def bench_rules(seconds: float) -> list[Measure]:
    """Play each variant for `seconds`, with any number of seats in turn.

    `decisions` counts answered questions with all that follows from them; `facts` counts facts
    that are decoded from JSON and folded into the state, as a replay does; `replay` is the time
    for the longest game of these, `view` that for one seat's view.
    """
    measures = []
    for game in GAMES.values():
        for variant in variants(game):
            name = f"rules {label(game, variant)}"
            options = msgspec.convert(variant, game.options_type)
            rate, played = _playouts(game, options, seconds)
            longest = max(played, key=lambda each: len(each.facts))
            facts_per_s = _replays(game, longest)
            measures += [
                Measure(f"{name} decisions", rate, "decisions/s"),
                Measure(f"{name} facts", facts_per_s, "facts/s"),
                Measure(f"{name} replay", 1_000 * len(longest.facts) / facts_per_s, "ms"),
                Measure(f"{name} view", 1e6 / _views(game, played), "us"),
            ]
    return measures


def _playouts(game: AnyGame, options: Any, seconds: float) -> tuple[float, list[_Played]]:
    """Give decisions per second, and the first finished game for each number of seats."""
    rng = random.Random(1)  # noqa: S311 - a benchmark
    below = rng.random

    def pick(count: int) -> int:
        return int(below() * count)

    def shuffle(cards: Cards) -> Cards:
        return tuple(rng.sample(cards, len(cards)))

    counts = range(game.seats_min, game.seats_max + 1)
    played: list[_Played] = []
    decisions = games = 0
    started = perf_counter()
    while (took := perf_counter() - started) < seconds or not games:
        seats = counts[games % len(counts)]
        places = tuple(range(seats))
        settled = begin(game, options, places, shuffle)
        one = _Played(game.start(options, places), seats, [*settled.facts], [settled.state])
        while not isinstance(settled.waiting, Over):
            decisions += not isinstance(settled.waiting, Pause)
            settled = _next(game, settled, pick, shuffle)
            one.facts += settled.facts
            if decisions % VIEW_EVERY == 0:
                one.positions.append(settled.state)
        if games < len(counts):
            played.append(one)
        games += 1
    return decisions / took, played


def _next(game: AnyGame, settled: Settled[Any, Any], pick: Pick, shuffle: Shuffle) -> Any:
    waiting = settled.waiting
    if isinstance(waiting, Pause):
        return settle(game, settled.state, (Resumed(waiting.kind),), shuffle)
    asks = asked(waiting)
    ask = asks[0] if len(asks) == 1 else asks[pick(len(asks))]
    move = sample(ask.options, pick)
    if game.name in PURPOSE and pick(PURPOSE[game.name] + 1):
        move = ask.default
    return act(game, settled.state, ask, move, shuffle)


def _replays(game: AnyGame, played: _Played) -> float:
    """Give facts per second when one game is replayed from JSON again and again."""
    decoders: dict[type, msgspec.json.Decoder[Any]] = {
        each: msgspec.json.Decoder(each) for each in (*game.fact_types, Shuffled, Resumed)
    }
    stored = [(decoders[type(fact)], msgspec.json.encode(fact)) for fact in played.facts]
    count = 0
    started = perf_counter()
    while (took := perf_counter() - started) < MEASURE_S:
        state = played.start
        for decoder, data in stored:
            state = game.evolve(state, decoder.decode(data))
        count += len(stored)
    return count / took


def _views(game: AnyGame, played: list[_Played]) -> float:
    """Give views per second, of every seat and the spectators in turn."""
    wanted = [
        (position, viewer)
        for each in played
        for position in each.positions
        for viewer in (*range(each.seats), None)
    ]
    views = cycle(wanted)
    count = 0
    started = perf_counter()
    while (took := perf_counter() - started) < MEASURE_S:
        for position, viewer in islice(views, BETWEEN_LOOKS):
            game.view(position, viewer)
        count += BETWEEN_LOOKS
    return count / took
