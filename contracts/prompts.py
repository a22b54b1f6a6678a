"""The computer's side of a prompt: `views.BotPrompt` with everything in it of the game's types."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

from contracts.commands import decode_descriptor, move_type
from contracts.views import BotPrompt, Question
from domain.games import GAMES
from domain.kernel import AnyGame, Seat
from domain.options import Options


class PromptError(Exception):
    """The bytes are no prompt that this program understands; the text quotes none of them."""


class _Options(Struct, frozen=True):
    moves: tuple[Raw, ...]
    descriptors: tuple[Raw, ...] = ()


class _Question(Struct, frozen=True):
    prompt: int
    kind: str
    options: _Options
    default: Raw
    deadline: int | None = None
    takeover: int | None = None
    part: str = ""


class _Prompt(Struct, frozen=True):
    table: str
    game: str
    seat: Seat
    question: _Question
    view: Raw
    strength: str
    deadline: int
    rng_seed: str


class _Types:
    """The decoders for what differs from game to game."""

    def __init__(self, game: AnyGame) -> None:
        self.move = msgspec.json.Decoder[Any](move_type(game))
        self.game = game
        self.view = msgspec.json.Decoder[Any](game.view_type)


_PROMPT = msgspec.json.Decoder(_Prompt)
_TYPES: dict[str, _Types] = {}


def decode_prompt(data: bytes) -> BotPrompt:
    """Give a prompt whose view, moves and default are those of its game; raises PromptError."""
    try:
        wire = _PROMPT.decode(data)
        types = _types(wire.game)
        asked = wire.question
        question = Question(
            asked.prompt,
            asked.kind,
            Options(
                tuple([types.move.decode(move) for move in asked.options.moves]),
                tuple([decode_descriptor(types.game, each) for each in asked.options.descriptors]),
            ),
            types.move.decode(asked.default),
            asked.deadline,
            asked.takeover,
            asked.part,
        )
        view = types.view.decode(wire.view)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        # The decoder's text may quote a value of the view.
        raise PromptError(type(error).__name__) from None
    return BotPrompt(
        wire.table,
        wire.game,
        wire.seat,
        question,
        view,
        wire.strength,
        wire.deadline,
        wire.rng_seed,
    )


def _types(name: str) -> _Types:
    types = _TYPES.get(name)
    if types is None:
        game = GAMES.get(name)
        if game is None:
            raise PromptError("unknown game")
        types = _TYPES[name] = _Types(game)
    return types
