"""Streams of tables with their index rows, each pair as of one moment."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from services.kit.store.database import Database
from services.kit.store.model import IndexRow, StoredEvent

AT_ONCE = 64
"""Tables in one query: about 30,000 events."""
_PREFIX = "table-"


class Snapshot(NamedTuple):
    """A table as it stood in one transaction."""

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
        names = [_PREFIX + table for table in tables[at : at + AT_ONCE]]
        async with (
            database.connection() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            rows = await connection.fetch(
                "SELECT stream, kind, partition, game, status, head, head_hash, next_wake_ms"
                " FROM log_index WHERE stream = ANY ($1)",
                names,
            )
            stored = await connection.fetch(
                "SELECT originator_id, originator_version, topic, state FROM stored_events"
                " WHERE originator_id = ANY ($1) ORDER BY originator_id, originator_version",
                names,
            )
        index = {row[0]: IndexRow(*row) for row in rows}
        events = {
            stream: [StoredEvent(*row) for row in mine]
            for stream, mine in groupby(stored, itemgetter(0))
        }
        for name in names:
            yield Snapshot(name.removeprefix(_PREFIX), index.get(name), events.get(name, []))
