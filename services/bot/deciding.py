"""From a prompt to a move in any case, wherever it is decided: here or in a thinker's process."""

from __future__ import annotations

import random
import traceback
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from contracts.advice import REASON_MAX
from contracts.commands import decode_move
from contracts.views import BotPrompt
from domain.games import GAMES
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


def decide(prompt: BotPrompt, strategy: Strategy) -> Thought:
    """Give an offered move in any case: the question's default when the strategy fails."""
    question = prompt.question
    try:
        rng = random.Random(prompt.rng_seed)  # noqa: S311 - to be run again, not to be secret
        move = strategy.choose(prompt.view, question, rng)
        if admits(question.options, move):
            return _thought(strategy, move)
        trouble = Trouble("strategy_failed", "not offered", strategy.name)
    except Exception as error:  # noqa: BLE001 - a computer that fails still has to move
        trouble = _trouble("strategy_failed", error)
    return _thought(DEFAULT, question.default, trouble)


def cut_off(prompt: BotPrompt) -> Thought:
    """Give what is played when a strategy did not come to an end."""
    return _thought(DEFAULT, prompt.question.default)


def explained(prompt: BotPrompt, thought: Thought) -> Thought:
    """Give the thought with a reason for its move in any case.

    This may take as long as the decision did.
    """
    try:
        move = decode_move(GAMES[prompt.game], thought.move)
        said = strategies.COMPUTERS[prompt.game].reason(prompt.view, prompt.question, move)
        if 0 < len(said) <= REASON_MAX:
            return replace(thought, reason=said)
        trouble = Trouble("reason_failed", f"a reason of {len(said)} characters")
    except Exception as error:  # noqa: BLE001 - the move is still worth telling
        trouble = _trouble("reason_failed", error)
    return unexplained(thought, trouble)


def unexplained(thought: Thought, trouble: Trouble) -> Thought:
    """Give the thought with the constant sentence: the move is worth telling without a reason."""
    return replace(thought, reason=NO_REASON, troubles=(*thought.troubles, trouble))


def _thought(strategy: Strategy, move: Any, *troubles: Trouble) -> Thought:
    encoded = Raw(_ENCODER.encode(move))
    return Thought(encoded, strategy.name, strategy.version, troubles=troubles)


def _trouble(code: _Code, error: Exception) -> Trouble:
    return Trouble(code, type(error).__name__, place_of(error))


def place_of(error: BaseException) -> str:
    """Tell where it happened; the text of the exception may quote a hidden card."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{frame.filename}:{frame.lineno}"
