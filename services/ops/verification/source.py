"""Streams of tables, accounts and people with their index rows, each pair as of one moment."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from contracts.subjects import account_stream, seat_stream, stream_of
from services.kit.store.database import Database, Pooled
from services.kit.store.model import IndexRow, StoredEvent

AT_ONCE = 64
"""Tables in one query: about 30,000 events."""
_PREFIX = stream_of("")
_ACCOUNTS = account_stream("")
_SEATS = seat_stream("")


class Snapshot(NamedTuple):
    """A table, an account or where a person sits (under his name), as it stood in one transaction."""

    table: str
    row: IndexRow | None
    events: list[StoredEvent]


async def table_ids(database: Database) -> list[str]:
    """Return the id of every table that is in the log or in its index."""
    async with database.connection() as connection:
        rows = await connection.fetch(
            "SELECT stream FROM log_index WHERE kind = 'table'"
            " UNION SELECT DISTINCT originator_id FROM stored_events"
            " WHERE originator_id LIKE 'table-%' ORDER BY 1"
        )
    return [row[0].removeprefix(_PREFIX) for row in rows]


async def snapshots(database: Database, tables: Sequence[str]) -> AsyncIterator[Snapshot]:
    """Yield the tables in order; one that is nowhere has neither index row nor events.

    The games may go on meanwhile: index row and events come from the same snapshot.
    """
    for at in range(0, len(tables), AT_ONCE):
        async with moment(database) as connection:
            read = await _read(connection, _PREFIX, tables[at : at + AT_ONCE])
        for snapshot in read:
            yield snapshot


@asynccontextmanager
async def moment(database: Database) -> AsyncIterator[Pooled]:
    """Lend a connection that sees everything as it is now, whatever happens meanwhile."""
    async with (
        database.connection() as connection,
        connection.transaction(isolation="repeatable_read", readonly=True),
    ):
        yield connection


async def accounts(connection: Pooled) -> AsyncIterator[Snapshot]:
    """Yield every account by its name, all as of the moment of the connection."""
    async for snapshot in _every(connection, "account", _ACCOUNTS):
        yield snapshot


async def seats(connection: Pooled) -> AsyncIterator[Snapshot]:
    """Yield every person's stream by his name, all as of the moment of the connection."""
    async for snapshot in _every(connection, "seat", _SEATS):
        yield snapshot


async def _every(connection: Pooled, kind: str, prefix: str) -> AsyncIterator[Snapshot]:
    """Yield what is in the log or in its index under this kind or prefix."""
    rows = await connection.fetch(
        "SELECT stream FROM log_index WHERE kind = $1"
        " UNION SELECT DISTINCT originator_id FROM stored_events"
        " WHERE originator_id LIKE $2 || '%' ORDER BY 1",
        kind,
        prefix,
    )
    names = [row[0].removeprefix(prefix) for row in rows]
    for at in range(0, len(names), AT_ONCE):
        for snapshot in await _read(connection, prefix, names[at : at + AT_ONCE]):
            yield snapshot


async def _read(connection: Pooled, prefix: str, names: Sequence[str]) -> list[Snapshot]:
    streams = [prefix + name for name in names]
    rows = await connection.fetch(
        "SELECT stream, kind, partition, game, status, head, head_hash, next_wake_ms"
        " FROM log_index WHERE stream = ANY ($1)",
        streams,
    )
    stored = await connection.fetch(
        "SELECT originator_id, originator_version, topic, state FROM stored_events"
        " WHERE originator_id = ANY ($1) ORDER BY originator_id, originator_version",
        streams,
    )
    index = {row[0]: IndexRow(*row) for row in rows}
    events = {
        stream: [StoredEvent(*row) for row in mine]
        for stream, mine in groupby(stored, itemgetter(0))
    }
    return [
        Snapshot(name, index.get(stream), events.get(stream, []))
        for name, stream in zip(names, streams, strict=True)
    ]
