"""Plays some deals of a stored result again: the same strategies must come to the same outcomes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from services.bot.arena.opponents import opponent
from services.bot.arena.result import Result
from services.bot.arena.series import Deal


class Change(NamedTuple):
    """A deal that comes out otherwise than it is stored (outcomes as in the file)."""

    deal: int
    stored: str
    now: str


def drawn(result: Result, games: int, seed: str) -> list[int]:
    """Draw whole deals of about so many games, all of them if there are no more; ascending."""
    count = min(len(result.deals), -(-games // result.seats))
    rng = random.Random(seed)  # noqa: S311 - to be run again
    return sorted(rng.sample(range(len(result.deals)), count))


def outdated(result: Result) -> str | None:
    """Say which strategy is not what it was, None if the result is by the present ones."""
    for name, version in ((result.a, result.a_version), (result.b, result.b_version)):
        now = opponent(result.game, name).version
        if now != version:
            return f"made with {name} version {version}, now {now}"
    return None


def changes(result: Result, deals: Sequence[int], played: Iterable[Deal]) -> list[Change]:
    """Compare deals, in their order, with what is stored."""
    stored = result.deals
    found = []
    for deal, again in zip(deals, played, strict=True):
        now = "".join(map(str, again.outcomes))
        if now != stored[deal]:
            found.append(Change(deal, stored[deal], now))
    return found
