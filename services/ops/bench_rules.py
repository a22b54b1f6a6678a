"""How fast the rules are: random games in one process, without table, bus or database."""

from __future__ import annotations

import random
from time import perf_counter
from typing import Any

import msgspec

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
from services.ops.measure import Measure

VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "speeddive": ({"edition": "KLASSISCH"},),
    "speeddrill": ({"mode": "KLASSISCH"}, {"mode": "ROHSTOFFE"}),
}
"""Options of each game that are measured; a game that is not named is measured with its own."""
REPLAY_S = 0.5


def bench_rules(seconds: float) -> list[Measure]:
    """Play each variant for `seconds`, with any number of seats in turn.

    `decisions` counts answered questions with all that follows from them; `facts` counts facts
    that are decoded from JSON and folded into the state, as a replay does.
    """
    measures = []
    for name, game in GAMES.items():
        for options in VARIANTS.get(name, ({},)):
            label = " ".join([name, *(str(value) for value in options.values())])
            rate, facts = _playouts(game, msgspec.convert(options, game.options_type), seconds)
            measures.append(Measure(f"rules {label} decisions", rate, "decisions/s"))
            measures.append(Measure(f"rules {label} facts", _replays(game, facts), "facts/s"))
    return measures


def _playouts(game: AnyGame, options: Any, seconds: float) -> tuple[float, list[Any]]:
    """Give decisions per second, and the first game's starting state and facts."""
    rng = random.Random(1)  # noqa: S311 - a benchmark
    below = rng.random

    def pick(count: int) -> int:
        return int(below() * count)

    def shuffle(cards: Cards) -> Cards:
        return tuple(rng.sample(cards, len(cards)))

    first: list[Any] = []
    decisions = games = 0
    started = perf_counter()
    while (took := perf_counter() - started) < seconds:
        seats = game.seats_min + games % (game.seats_max - game.seats_min + 1)
        settled = begin(game, options, tuple(range(seats)), shuffle)
        facts = [game.start(options, tuple(range(seats))), *settled.facts]
        while not isinstance(settled.waiting, Over):
            decisions += not isinstance(settled.waiting, Pause)
            settled = _next(game, settled, pick, shuffle)
            facts += settled.facts
        first = first or facts
        games += 1
    return decisions / took, first


def _next(game: AnyGame, settled: Settled[Any, Any], pick: Pick, shuffle: Shuffle) -> Any:
    waiting = settled.waiting
    if isinstance(waiting, Pause):
        return settle(game, settled.state, (Resumed(waiting.kind),), shuffle)
    asks = asked(waiting)
    ask = asks[0] if len(asks) == 1 else asks[pick(len(asks))]
    return act(game, settled.state, ask, sample(ask.options, pick), shuffle)


def _replays(game: AnyGame, facts: list[Any]) -> float:
    """Give facts per second when one game is replayed from JSON again and again."""
    start, own = facts[0], facts[1:]
    decoders: dict[type, msgspec.json.Decoder[Any]] = {
        each: msgspec.json.Decoder(each) for each in (*game.fact_types, Shuffled, Resumed)
    }
    stored = [(decoders[type(fact)], msgspec.json.encode(fact)) for fact in own]
    count = 0
    started = perf_counter()
    while (took := perf_counter() - started) < REPLAY_S:
        state = start
        for decoder, data in stored:
            state = game.evolve(state, decoder.decode(data))
        count += len(stored)
    return count / took
