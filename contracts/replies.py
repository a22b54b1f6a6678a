"""The answers to commands."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from contracts.refusals import TEXTS
from contracts.views import Feed
from domain.refusals import Code, Refused


class Accepted(Struct, frozen=True, tag="accepted", gc=False, omit_defaults=True):
    """The command's facts are stored for good, as numbers `first` to `last`.

    `head` is the hash (hex) of fact `last`: the player's receipt. A command that was fulfilled
    already has stored nothing: then `first` is `last` + 1. Whoever opens a table is told to which
    seed the house has committed itself, before he gives his share of the chance.
    """

    table: str
    first: int
    last: int
    head: str
    commitment: str = ""


class Rejected(Struct, frozen=True, tag="rejected", gc=False, omit_defaults=True):
    """Nothing has changed.

    Programs switch on `code`; `sentence` is for developers, `text` is the German text for
    players. `hint` leads on where there is a way, `retry` says that the same command may succeed
    later as it is. Unless `outcome_known`, the command may have been carried out: repeat it.
    """

    code: Code
    sentence: str
    text: str = ""
    hint: str = ""
    retry: bool = False
    outcome_known: bool = True


RESUME_MAX = 500
"""Whoever missed more facts gets the view alone: it is all that he needs to go on."""


class Resumed(Struct, frozen=True, tag="resumed", gc=False):
    """What the sender missed (none of it, if that is more than RESUME_MAX), and how things are now."""

    feed: Feed


class StoredEvents(Struct, frozen=True, tag="log", gc=False):
    """Events of a finished table exactly as stored; hash them as `envelope.chain_hash` says."""

    stream: str
    events: tuple[tuple[int, str, str], ...]
    """(version, topic, state)"""
    head: int


class Advice(Struct, frozen=True, tag="advice", gc=False):
    """What the strong computer would answer to the question `prompt` (and `part`), and why.

    `reason` is one German sentence to the player. The question may be closed meanwhile: compare.
    """

    prompt: int
    part: str
    move: Any
    reason: str


Reply: TypeAlias = Accepted | Rejected | Resumed | StoredEvents | Advice

_DECODER = msgspec.json.Decoder(Reply)


def decode_reply(data: bytes) -> Reply:
    """Give the answer; raises msgspec.DecodeError when it is none."""
    return _DECODER.decode(data)


RETRY = frozenset({Code.BUSY, Code.NO_ADVICE, Code.TOO_FAST, Code.UNAVAILABLE})


def rejected(refused: Refused, *, outcome_known: bool = True) -> Rejected:
    """Give the answer for a refusal."""
    return Rejected(
        refused.code,
        refused.sentence,
        TEXTS[refused.code],
        refused.hint,
        refused.code in RETRY,
        outcome_known,
    )
