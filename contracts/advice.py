"""Rat: the table asks on `bot.rat` with a `BotPrompt` for the seat, and gets what stark would do.

The bot services answer the requests of services alone, whose inboxes no player can read. A request
that cannot be read, or whose deadline is past, is left without an answer.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

from contracts.commands import decode_move
from contracts.prompts import PromptError
from domain.games import GAMES
from domain.refusals import Refused

ADVISED_BYTES_MAX = 8_192
REASON_MAX = 400
"""Characters in a reason."""


class Advised(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One of the offered moves, and to the player in one German sentence why it is good.

    Both follow from the seat's view alone.
    """

    move: Any
    reason: Annotated[str, Meta(min_length=1, max_length=REASON_MAX)]


class _Wire(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    move: Raw
    reason: Annotated[str, Meta(min_length=1, max_length=REASON_MAX)]


_WIRE = msgspec.json.Decoder(_Wire)


def decode_advised(game: str, data: bytes) -> Advised:
    """Give advice whose move is one of this game; raises PromptError, whose text quotes nothing."""
    known = GAMES.get(game)
    if known is None or len(data) > ADVISED_BYTES_MAX:
        raise PromptError("unknown game" if known is None else "too large")
    try:
        wire = _WIRE.decode(data)
        move = decode_move(known, wire.move)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, Refused) as error:
        raise PromptError(type(error).__name__) from None
    return Advised(move, wire.reason)
