"""The open tables as a read model."""

from __future__ import annotations

from collections.abc import Sequence

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
    TableSuspended,
    TableVoided,
)
from domain.table.state import Table, fold
from services.kit.follow import Link, LogFact, Telling, checkpoint

_GET = "SELECT table_id, open FROM lobby_tables WHERE table_id = ANY ($1)"
_PUT = """
INSERT INTO lobby_tables (table_id, game, opened_at_ms, open) VALUES ($1, $2, $3, $4)
ON CONFLICT (table_id) DO UPDATE SET open = excluded.open
"""
_DROP = "DELETE FROM lobby_tables WHERE table_id = ANY ($1)"
_LIST = """
SELECT open FROM lobby_tables WHERE $1::text IS NULL OR game = $1
ORDER BY opened_at_ms DESC, table_id LIMIT $2
"""
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(OpenTable).decode


class LobbyModel:
    """Keeps one row for each open table, and tells of every change."""

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
        TableVoided,
    )
    tables = ("lobby_tables",)

    async def apply(self, link: Link, facts: Sequence[LogFact]) -> Sequence[Telling]:
        """Store how the facts leave the tables, and tell of each table once."""
        touched = {fact.table: fact for fact in facts}
        rows = await link.fetch(_GET, list(touched))
        tables: dict[str, OpenTable | None] = {table: _decode(row) for table, row in rows}
        before = set(tables)
        for fact in facts:
            tables[fact.table] = after(tables.get(fact.table), fact)
        is_open = [each for each in tables.values() if each is not None]
        await link.executemany(
            _PUT, [(each.table, each.game, each.opened_at, _encode(each)) for each in is_open]
        )
        gone = [table for table in before if tables[table] is None]
        await link.execute(_DROP, gone)
        return [
            Telling(LOBBY_CHANGE, _encode(_change(last, tables[table])))
            for table, last in touched.items()
            if tables[table] is not None or table in before
        ]


def after(table: OpenTable | None, fact: LogFact) -> OpenTable | None:
    """Give a table after one more fact, by the table's own rules; None once it is not open."""
    game = GAMES.get(fact.game)
    match fact.fact:
        case _ if game is None:  # of a newer release: nobody could play it from here
            return None
        case TableOpened() if not fact.fact.rules.solo:
            state = Table(fact.table)
        case GameStarted() | TableCancelled() | TableSuspended() | TableVoided():
            return None
        case _ if table is not None:
            state = Table(
                fact.table,
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
        case _:  # it is past that: computers take seats at the start; or one plays there alone
            return None
    folded = fold(game, state, [(fact.at, fact.fact)])
    return OpenTable(
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


def _change(last: LogFact, table: OpenTable | None) -> LobbyChange:
    return LobbyChange(last.table, last.version, last.game, table)


async def open_tables(link: Link, game: str | None, limit: int) -> OpenTables:
    """Give the newest open tables of a game, of every game for None."""
    position = await checkpoint(link, LobbyModel.name)
    rows = await link.fetch(_LIST, game, limit + 1)
    tables = tuple([_decode(row[0]) for row in rows[:limit]])
    return OpenTables(str(position), tables, len(rows) > limit)


async def canonical(link: Link) -> bytes:
    """Give all open tables as JSON text: equal content is equal text."""
    return _encode([_decode(row[0]) for row in await link.fetch(_LIST, None, None)])
