"""How computers choose: pure functions of the view, the options and a seeded generator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple, TypeAlias

from contracts.views import Question
from services.bot.strategies import speeddive

Choose: TypeAlias = Callable[[Any, Question, Random], Any]
"""(view of the asked seat, question, generator) -> one of the offered moves."""


class Strategy(NamedTuple):
    """A way to play one game. Whoever changes a choice raises `version`: decisions can be re-run."""

    name: str
    version: int
    choose: Choose


STRATEGIES: Mapping[str, Mapping[str, Strategy]] = {
    "speeddive": dict.fromkeys(
        ("leicht", "normal", "stark"), Strategy("normal", speeddive.VERSION, speeddive.choose)
    ),
}
"""Game -> strength -> strategy. All strengths of Speeddive play "normal" for now."""

DEFAULT = Strategy("default", 1, lambda _view, question, _rng: question.default)
"""The question's own default, when a strategy fails or there is none."""


def strategy_of(game: str, strength: str) -> Strategy:
    """Give the strategy for a strength, the default's for one that is not known here."""
    return STRATEGIES.get(game, {}).get(strength, DEFAULT)
