"""Open tables over the bus: ask on `lobby.<player>.list`, hear of changes on `lobby.change`.

Only those at which somebody else may sit down: a solo table is never listed.
Changes are at most once: ask again after a reconnect, and now and then. Of two messages about a
table the one with the greater `version` holds. The list may lag; the table itself decides.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct

from contracts.replies import Rejected
from domain.table.events import Occupant, TableRules
from domain.table.state import Hold

TABLES_MAX = 100


class LobbyQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which open tables are wanted, the newest first; `{}` asks for those of every game."""

    game: Annotated[str, Meta(max_length=40)] | None = None
    limit: Annotated[int, Meta(ge=1, le=TABLES_MAX)] = 50


class OpenTable(Struct, frozen=True):
    """A table that waits for its start, after fact number `version`.

    `opened_at` is in ms since the epoch; `places` tells who sits where, None is a free chair.
    `holds` are chairs that are kept for a while for those who played together before. While it is
    `starting` the stakes are collected, and nobody sits down.
    """

    table: str
    version: int
    game: str
    options: dict[str, str | int | bool]
    rules: TableRules
    opener: str
    opened_at: int
    places: tuple[Occupant | None, ...]
    starting: bool = False
    holds: tuple[Hold, ...] = ()


class OpenTables(Struct, frozen=True, tag="open_tables"):
    """Open tables as of log position `position`; `more` tells that the limit cut some off."""

    position: str
    tables: tuple[OpenTable, ...]
    more: bool


class LobbyChange(Struct, frozen=True, tag="lobby_change"):
    """A table opened or changed, or with `open` None: it has started, closed or was stopped."""

    table: str
    version: int
    game: str
    open: OpenTable | None


LobbyReply: TypeAlias = OpenTables | Rejected

_REPLY = msgspec.json.Decoder(LobbyReply)
_CHANGE = msgspec.json.Decoder(LobbyChange)


def decode_lobby(data: bytes) -> LobbyReply:
    """Give the answer; raises msgspec.DecodeError when it is none."""
    return _REPLY.decode(data)


def decode_change(data: bytes) -> LobbyChange:
    """Give a change; raises msgspec.DecodeError when it is none."""
    return _CHANGE.decode(data)
