"""What a way to play is: a pure function of what the seat sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple, TypeAlias

from contracts.views import Question

Choose: TypeAlias = Callable[[Any, Question, Random], Any]
"""(view of the asked seat, question, generator) -> one of the offered moves.

It knows nothing else: no clock, no files that change, nothing from an earlier call. Budgets count
nodes or playouts, so the same three arguments give the same move on every machine.
"""

Reason: TypeAlias = Callable[[Any, Question, Any], str]
"""(view, question, move) -> one German sentence to the player: why this move is good."""


class Strategy(NamedTuple):
    """A way to play one game. Whoever changes a choice raises `version`: decisions can be re-run.

    `thinks`: it may take milliseconds, so the service runs it beside its event loop.
    """

    name: str
    version: int
    choose: Choose
    thinks: bool = False


class Computers(NamedTuple):
    """The computer players of one game: a strategy for each strength, and how Rat explains one."""

    strengths: Mapping[str, Strategy]
    reason: Reason
