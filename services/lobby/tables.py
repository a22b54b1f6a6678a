"""The open tables as a read model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from contracts.lobby import LobbyChange, OpenTable, OpenTables
from contracts.subjects import LOBBY_CHANGE
from domain.games import GAMES
from domain.table.events import (
    GameStarted,
    HoldEnded,
    SeatFreed,
    SeatHeld,
    SeatTaken,
    StakesDenied,
    StartCancelled,
    StartRequested,
    TableCancelled,
    TableOpened,
    TableResumed,
    TableSuspended,
    TableVoided,
)
from domain.table.state import Table, fold
from services.kit.follow import Link, LogFact, Telling, checkpoint

_GET = "SELECT table_id, open, stopped FROM lobby_tables WHERE table_id = ANY ($1)"
_PUT = """
INSERT INTO lobby_tables (table_id, game, opened_at_ms, open, stopped) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (table_id) DO UPDATE SET open = excluded.open, stopped = excluded.stopped
"""
_DROP = "DELETE FROM lobby_tables WHERE table_id = ANY ($1)"
_LIST = """
SELECT open FROM lobby_tables WHERE NOT stopped AND ($1::text IS NULL OR game = $1)
ORDER BY opened_at_ms DESC, table_id LIMIT $2
"""
_ALL = "SELECT open, stopped FROM lobby_tables ORDER BY opened_at_ms DESC, table_id"
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(OpenTable).decode


class Kept(NamedTuple):
    """A table that has not begun; one that is `stopped` is not listed until it goes on."""

    open: OpenTable
    stopped: bool = False

    @property
    def listed(self) -> OpenTable | None:
        """The table as everybody sees it, None while nobody can sit down there."""
        return None if self.stopped else self.open


class LobbyModel:
    """Keeps one row for each table that has not begun, and tells of every change."""

    name = "lobby"
    facts: tuple[type, ...] = (
        TableOpened,
        SeatTaken,
        SeatFreed,
        SeatHeld,
        HoldEnded,
        StartRequested,
        StakesDenied,
        StartCancelled,
        GameStarted,
        TableCancelled,
        TableSuspended,
        TableResumed,
        TableVoided,
    )
    tables = ("lobby_tables",)

    async def apply(self, link: Link, facts: Sequence[LogFact]) -> Sequence[Telling]:
        """Store how the facts leave the tables, and tell of each table once."""
        touched = {fact.table: fact for fact in facts}
        rows = await link.fetch(_GET, list(touched))
        tables: dict[str, Kept | None] = {
            table: Kept(_decode(row), stopped) for table, row, stopped in rows
        }
        before = set(tables)
        for fact in facts:
            tables[fact.table] = after(tables.get(fact.table), fact)
        await link.executemany(_PUT, [_row(kept) for kept in tables.values() if kept is not None])
        gone = [table for table in before if tables[table] is None]
        await link.execute(_DROP, gone)
        return [
            Telling(LOBBY_CHANGE, _encode(_change(last, tables[table])))
            for table, last in touched.items()
            if tables[table] is not None or table in before
        ]


def after(kept: Kept | None, fact: LogFact) -> Kept | None:
    """Give a table after one more fact, by the table's own rules; None once it has begun or ended.

    One that is stopped stays as it is, because an operator may let it go on.
    """
    game = GAMES.get(fact.game)
    match fact.fact:
        case _ if game is None:  # of a newer release: nobody could play it from here
            return None
        case TableOpened() if not fact.fact.rules.solo:
            state = Table(fact.table)
        case GameStarted() | TableCancelled() | TableVoided():
            return None
        case _ if kept is None:  # computers take seats at the start; or one plays there alone
            return None
        case TableSuspended() | TableResumed():
            still = msgspec.structs.replace(kept.open, version=fact.version)
            return Kept(still, isinstance(fact.fact, TableSuspended))
        case _:
            state = _state(kept.open)
    folded = fold(game, state, [(fact.at, fact.fact)])
    now_open = OpenTable(
        fact.table,
        fact.version,
        folded.game,
        folded.options,
        folded.rules,
        folded.opener,
        folded.opened_at,
        folded.places,
        folded.phase == "starting",
        folded.holds,
    )
    return Kept(now_open, kept is not None and kept.stopped)


def _state(table: OpenTable) -> Table:
    return Table(
        table.table,
        phase="starting" if table.starting else "gathering",
        game=table.game,
        options=table.options,
        rules=table.rules,
        opener=table.opener,
        opened_at=table.opened_at,
        places=table.places,
        place_seeds=("",) * len(table.places),
        holds=table.holds,
    )


def _row(kept: Kept) -> tuple[str, str, int, bytes, bool]:
    table = kept.open
    return table.table, table.game, table.opened_at, _encode(table), kept.stopped


def _change(last: LogFact, kept: Kept | None) -> LobbyChange:
    return LobbyChange(last.table, last.version, last.game, kept.listed if kept else None)


async def open_tables(link: Link, game: str | None, limit: int) -> OpenTables:
    """Give the newest open tables of a game, of every game for None."""
    position = await checkpoint(link, LobbyModel.name)
    rows = await link.fetch(_LIST, game, limit + 1)
    tables = tuple([_decode(row[0]) for row in rows[:limit]])
    return OpenTables(str(position), tables, len(rows) > limit)


async def canonical(link: Link) -> bytes:
    """Give all tables that are kept as JSON text: equal content is equal text."""
    return _encode([(_decode(row), stopped) for row, stopped in await link.fetch(_ALL)])
