"""How simulated people behave: quick, slow, silent, clumsy, unfaithful, and away for a while."""

from __future__ import annotations

from random import Random

from msgspec import Struct

HAS = 0.4
"""The chance that somebody has a certain bad habit at all."""


class Habit(Struct, frozen=True):
    """How a person behaves at one table, as chances per question; times in seconds."""

    think_s: float = 1.0
    long_s: float = 0.0
    silent: float = 0.0
    twice: float = 0.0
    reused: float = 0.0
    nonsense: float = 0.0
    leaves: float = 0.0
    away: float = 0.0
    forgets: float = 0.0
    turbo: float = 0.0
    rat: float = 0.0
    vanishes: float = 0.0


def habit(rng: Random, *, clock: bool) -> Habit:
    """Draw a habit; most of them are off at a time."""

    def maybe(top: float) -> float:
        return rng.uniform(0, top) if rng.random() < HAS else 0.0

    return Habit(
        rng.choice((0.0, 0.5, 2.0)),
        maybe(0.05),
        maybe(0.4) if clock else 0.0,
        maybe(0.5),
        maybe(0.2),
        maybe(0.5),
        maybe(0.08),
        maybe(0.08),
        maybe(0.1),
        maybe(0.1),
        maybe(0.5),
        maybe(0.02),
    )
