"""Whole games without a table: every law and every comparison is checked on these."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from domain.games import GAMES
from domain.kernel import (
    AnyGame,
    Ask,
    Cards,
    Over,
    Pause,
    Resumed,
    Settled,
    Shuffle,
    act,
    asked,
    begin,
    settle,
)
from domain.options import sample

Pick = Callable[[int], int]
Choose = Callable[[Ask[Any]], Any]
DECISIONS_MAX = 20_000


class Variant(Struct, frozen=True):
    """A game as it can be opened; every registered game has at least one."""

    game: str
    options: dict[str, Any]
    seats: int

    def __str__(self) -> str:
        return "-".join(
            [self.game, *(f"{k}={v}" for k, v in self.options.items()), str(self.seats)]
        )


OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "speeddive": (
        {"target": 100},
        {"target": 200, "bilanz": False},
        {"edition": "DEEPER_DIVE", "target": 100, "bilanz": False},
        {"edition": "DEEPER_DIVE", "brutal": True, "target": 100},
    ),
    "speedclimb": (
        {"route": "GIPFELSTURM"},
        {"route": "NORDWAND"},
        {"route": "GROSSE_EXPEDITION"},
        {"route": "MEISTER_EXPEDITION"},
    ),
    "speeddrill": ({"mode": "KLASSISCH"}, {"mode": "ROHSTOFFE"}),
    "snorkeling": ({"variant": "BASIS"}, {"variant": "EXPERTEN", "bilanz": False}),
}
VARIANTS = [
    Variant(name, options, seats)
    for name, game in GAMES.items()
    for options in OPTIONS[name]
    for seats in range(game.seats_min, game.seats_max + 1)
]


PURPOSE = {"speedclimb": 4}
"""Games in which chance alone hardly ever completes anything: defaults are so often as likely."""


class Step(Struct, frozen=True):
    """One append: the question that was answered (None: begin or pause), and what followed."""

    before: Settled[Any, Any] | None
    ask: Ask[Any] | None
    move: Any
    after: Settled[Any, Any]


def shuffles(seed: int) -> Shuffle:
    """Give shuffles that depend on the seed and their number only."""
    count = 0

    def shuffle(cards: Cards) -> Cards:
        nonlocal count
        count += 1
        rng = random.Random(hashlib.sha256(f"{seed}/{count}".encode()).digest())
        return tuple(rng.sample(cards, len(cards)))

    return shuffle


def at_random(seed: int) -> Choose:
    """Choose among everything that is offered."""
    rng = random.Random(seed)
    return lambda ask: sample(ask.options, rng.randrange)


def rarest_first(seed: int) -> Choose:
    """Choose what has been chosen least often; it drives a game into its corners."""
    rng = random.Random(seed)
    counts: dict[str, int] = {}

    def choose(ask: Ask[Any]) -> Any:
        tries = [sample(ask.options, rng.randrange) for _ in range(4)]
        move = min([*tries, ask.default], key=lambda each: counts.get(repr(each), 0))
        counts[repr(move)] = counts.get(repr(move), 0) + 1
        return move

    return choose


def with_purpose(choose: Choose, seed: int, share: int) -> Choose:
    """Choose the default `share` times as often as anything else."""
    rng = random.Random(seed + 2)
    return lambda ask: ask.default if rng.randrange(share + 1) else choose(ask)


def opened(variant: Variant) -> tuple[AnyGame, Any]:
    game = GAMES[variant.game]
    return game, game.options_type(**variant.options)


def steps(variant: Variant, choose: Choose, shuffle: Shuffle, pick: Pick) -> Iterator[Step]:
    """Play a game to its end; `pick` says which of several awaited seats answers first."""
    game, options = opened(variant)
    settled = begin(game, options, tuple(range(variant.seats)), shuffle)
    yield Step(None, None, None, settled)
    for _ in range(DECISIONS_MAX):
        before = settled
        if isinstance(before.waiting, Over):
            return
        offers = game.offers(before.state)
        if isinstance(before.waiting, Pause):
            asks = offers
        else:
            asks = asked(before.waiting) + offers
            assert asks, "somebody is always awaited until Over"
        if isinstance(before.waiting, Pause) and (not asks or not pick(3)):
            settled = settle(game, before.state, (Resumed(before.waiting.kind),), shuffle)
            yield Step(before, None, None, settled)
            continue
        ask = asks[pick(len(asks))]
        move = choose(ask)
        settled = act(game, before.state, ask, move, shuffle)
        yield Step(before, ask, move, settled)
    raise AssertionError("the game does not end")


def play(variant: Variant, seed: int, *, rare: bool = False) -> list[Step]:
    """Give all steps of one game."""
    choose = rarest_first(seed) if rare else at_random(seed)
    if variant.game in PURPOSE:
        choose = with_purpose(choose, seed, PURPOSE[variant.game])
    return list(steps(variant, choose, shuffles(seed), random.Random(seed + 1).randrange))


def facts_of(game_steps: list[Step]) -> list[Any]:
    return [fact for step in game_steps for fact in step.after.facts]
