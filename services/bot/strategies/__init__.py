"""How computers choose, one package for each game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from services.bot.strategies import snorkeling, speedclimb, speeddive, speeddrill
from services.bot.strategies.strategy import Computers, Strategy

COMPUTERS: Final[Mapping[str, Computers]] = {
    "speeddive": speeddive.COMPUTERS,
    "speedclimb": speedclimb.COMPUTERS,
    "snorkeling": snorkeling.COMPUTERS,
    "speeddrill": speeddrill.COMPUTERS,
}

DEFAULT: Final = Strategy("default", 1, lambda _view, question, _rng: question.default)
"""The question's own default. In the log it says: the decision was cut off, or its strategy failed.

A line in the log of the service tells which; a table says the same when it waited in vain for one.
"""


def strategy_of(game: str, strength: str) -> Strategy:
    """Give the strategy for a strength, the default's for one that is not known here."""
    computers = COMPUTERS.get(game)
    return DEFAULT if computers is None else computers.strengths.get(strength, DEFAULT)
