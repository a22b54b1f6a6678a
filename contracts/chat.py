"""Chat at a table: requests on `chat.<player>.<table>.<verb>`, lines on `chatline.<reader>.<table>`.

Whoever sits at the table, or sat there when its game began, may `say` something, or let the server
pick an exclamation of `jubel` or `aerger`; everybody may `read`. After each line its sender must wait for two seconds, at
all tables. Whom a player has muted (`mute`) he neither hears nor reads; the muted is not told.

Readers with a seat hear lines on `chatline.<player>.<table>`, all others on `chatline.watch.<table>`,
at most once each: `read` with the last `number` gives what is missing. A table's chat is no part of
its log; its newest 200 lines are kept for 30 days.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from contracts.commands import Body
from contracts.gateway import PLAYER_ID_MAX
from contracts.replies import Rejected

TEXT_MAX: Final = 200
"""Characters of a line, after normalising (NFC) and trimming."""
LOCK_MS: Final = 2_000
LINES_MAX: Final = 200
MUTES_MAX: Final = 200
Kind: TypeAlias = Literal["text", "jubel", "aerger"]


class SayBody(Body, frozen=True, gc=False):
    """Say something: 1 to 200 characters in one line, without control characters."""

    text: Annotated[str, Meta(max_length=4 * TEXT_MAX)]


class ExclaimBody(Body, frozen=True, gc=False):
    """Let the server pick an exclamation."""


class ReadQuery(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Ask for the lines after number `after`."""

    after: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 0


class MuteQuery(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Mute another player at all tables, or no longer."""

    player: Annotated[str, Meta(max_length=PLAYER_ID_MAX)]
    on: bool = True


class StoredLine(Struct, frozen=True, gc=False):
    """One line as the stream CHAT holds it; `at` in ms since the epoch."""

    at: int
    player: str
    kind: Kind
    text: str


class ChatLine(Struct, frozen=True, gc=False):
    """One line; numbers rise within a table, with holes. `text` is plain: escape it yourself."""

    number: int
    at: int
    player: str
    kind: Kind
    text: str


class Said(Struct, frozen=True, tag="said", gc=False):
    """The line is kept; the next one is taken `wait_ms` from now."""

    line: ChatLine
    wait_ms: int


class ChatLines(Struct, frozen=True, tag="chat_lines", gc=False):
    """What was said after a number, without what muted players said."""

    lines: tuple[ChatLine, ...]
    muted: tuple[str, ...]


class Muted(Struct, frozen=True, tag="muted", gc=False):
    """All players whom the sender has muted."""

    players: tuple[str, ...]


ChatReply: TypeAlias = Said | ChatLines | Muted | Rejected

_REPLY = msgspec.json.Decoder(ChatReply)
_LINE = msgspec.json.Decoder(ChatLine)


def decode_chat(data: bytes) -> ChatReply:
    """Give the answer; raises msgspec.DecodeError when it is none."""
    return _REPLY.decode(data)


def decode_line(data: bytes) -> ChatLine:
    """Give a line; raises msgspec.DecodeError when it is none."""
    return _LINE.decode(data)
