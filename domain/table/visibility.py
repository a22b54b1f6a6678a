"""Who may see which fact; a table fact is public unless it stands here."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain.kernel import AnyGame, Chosen, Seat
from domain.table.events import SeedDrawn, TableFact


def seen(game: AnyGame, fact: Any, seat: Seat | None) -> Any | None:
    """Give the form of a fact that a seat (None: everybody) may see; None is a numbered blank.

    It depends on the fact alone, so the feed can be rebuilt from the log without state.
    """
    if isinstance(fact, SeedDrawn):
        return SeedDrawn(fact.commitment)
    if isinstance(fact, TableFact):
        return fact
    if isinstance(fact, Chosen) and fact.rng_seed:
        # Who can run a strategy again learns from its choice which cards it held.
        fact = replace(fact, rng_seed="")
    return game.seen(fact, seat)
