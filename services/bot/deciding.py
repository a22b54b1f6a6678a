"""From a prompt to a move in any case, wherever it is decided: here or in a thinker's process."""

from __future__ import annotations

import random
import traceback
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Raw, Struct

from contracts.advice import REASON_MAX
from contracts.views import BotPrompt
from domain.options import admits
from services.bot import strategies
from services.bot.strategies import DEFAULT
from services.bot.strategies.strategy import Strategy

NO_REASON: Final = "Das ist hier die naheliegende Wahl."
"""What a player is told when a game has no sentence for a move."""

_Code: TypeAlias = Literal["strategy_failed", "reason_failed"]
_ENCODER = msgspec.json.Encoder()


class Trouble(Struct, frozen=True, gc=False):
    """What went wrong: `reason` is a type or a constant and `where` a place in the source.

    The text of an exception is left out: it may quote a hidden card.
    """

    code: _Code
    reason: str
    where: str = ""


class Thought(Struct, frozen=True, gc=False):
    """An offered move, encoded; which strategy gave it; and why, for a player who asked."""

    move: Raw
    strategy: str
    version: int
    reason: str = ""
    troubles: tuple[Trouble, ...] = ()


def decide(prompt: BotPrompt, strategy: Strategy, *, explain: bool = False) -> Thought:
    """Give an offered move in any case: the question's default when the strategy fails."""
    question = prompt.question
    try:
        rng = random.Random(prompt.rng_seed)  # noqa: S311 - to be run again, not to be secret
        move = strategy.choose(prompt.view, question, rng)
        if admits(question.options, move):
            return _thought(prompt, strategy, move, (), explain=explain)
        trouble = Trouble("strategy_failed", "not offered", strategy.name)
    except Exception as error:  # noqa: BLE001 - a computer that fails still has to move
        trouble = _trouble("strategy_failed", error)
    return _thought(prompt, DEFAULT, question.default, (trouble,), explain=explain)


def cut_off(prompt: BotPrompt) -> Thought:
    """Give what is played when a strategy did not come to an end.

    The game is not asked for a reason: finding one may be what took so long.
    """
    move = Raw(_ENCODER.encode(prompt.question.default))
    return Thought(move, DEFAULT.name, DEFAULT.version, NO_REASON)


def _thought(
    prompt: BotPrompt,
    strategy: Strategy,
    move: Any,
    troubles: tuple[Trouble, ...],
    *,
    explain: bool,
) -> Thought:
    reason = ""
    if explain:
        reason, more = _reason(prompt, move)
        troubles += more
    encoded = Raw(_ENCODER.encode(move))
    return Thought(encoded, strategy.name, strategy.version, reason, troubles)


def _reason(prompt: BotPrompt, move: Any) -> tuple[str, tuple[Trouble, ...]]:
    try:
        said = strategies.COMPUTERS[prompt.game].reason(prompt.view, prompt.question, move)
        if 0 < len(said) <= REASON_MAX:
            return said, ()
        trouble = Trouble("reason_failed", f"a reason of {len(said)} characters")
    except Exception as error:  # noqa: BLE001 - the move is still worth telling
        trouble = _trouble("reason_failed", error)
    return NO_REASON, (trouble,)


def _trouble(code: _Code, error: Exception) -> Trouble:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return Trouble(code, type(error).__name__, f"{frame.filename}:{frame.lineno}")
