"""Everything that is read from the log and its index.

Every call waits a bounded time for a connection and raises StoreUnavailable when the database is
away. Positions follow commit order, so a reader who goes on after the last position that he has
seen misses nothing.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from services.kit.store.database import Database
from services.kit.store.model import IndexRow, Notification, StoredEvent

_EVENT = "SELECT originator_id, originator_version, topic, state FROM stored_events WHERE "
# Stream after stream, each sorted by itself: a third quicker than one great sort.
_HISTORIES = (
    "SELECT e.* FROM unnest($1::text[]) AS s (stream) CROSS JOIN LATERAL ("
    " SELECT originator_id, originator_version, topic, state FROM stored_events"
    " WHERE originator_id = s.stream ORDER BY originator_version) AS e"
)
_LOG = (
    "SELECT notification_id, originator_id, originator_version, topic, state FROM stored_events"
    " WHERE notification_id > $1 ORDER BY notification_id LIMIT $2"
)
_INDEX = (
    "SELECT stream, kind, partition, game, status, head, head_hash, next_wake_ms"
    " FROM log_index WHERE "
)
_STREAMS_AT_ONCE = 16  # more rows at once cost more: the garbage collector looks at each


class Reader:
    """Reads streams, the whole log in order, and index rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def stream(self, stream: str, after: int = 0) -> list[StoredEvent]:
        """Return the events of a stream with versions above `after`, in order."""
        rows = await self._fetch(
            _EVENT + "originator_id = $1 AND originator_version > $2 ORDER BY originator_version",
            stream,
            after,
        )
        return [StoredEvent(*row) for row in rows]

    async def streams(self, streams: Sequence[str]) -> AsyncIterator[tuple[str, list[StoredEvent]]]:
        """Yield (stream, its whole history) for many streams in few queries, in any order.

        A stream without events is left out. The next query runs while its caller works on what
        the last one brought; between two streams other tasks get a turn.
        """
        parts = [
            streams[at : at + _STREAMS_AT_ONCE] for at in range(0, len(streams), _STREAMS_AT_ONCE)
        ]
        ahead: asyncio.Task[list[Any]] | None = None
        try:
            for nr, part in enumerate(parts):
                rows = await (ahead or self._histories(part))
                following = parts[nr + 1 : nr + 2]
                ahead = asyncio.create_task(self._histories(*following)) if following else None
                for stream, events in groupby(rows, itemgetter(0)):
                    await asyncio.sleep(0)
                    yield stream, list(map(StoredEvent._make, events))
        finally:
            if ahead is not None:
                ahead.cancel()

    async def _histories(self, streams: Sequence[str]) -> list[Any]:
        return await self._fetch(_HISTORIES, streams)

    async def notifications(self, after: int, limit: int = 1000) -> list[Notification]:
        """Return up to `limit` events with positions above `after`, in commit order."""
        rows = await self._fetch(_LOG, after, limit)
        return [Notification(*row) for row in rows]

    async def max_position(self) -> int:
        """Return the position of the last event, 0 for an empty log."""
        rows = await self._fetch("SELECT coalesce(max(notification_id), 0) FROM stored_events")
        return int(rows[0][0])

    async def index_row(self, stream: str) -> IndexRow | None:
        """Return where the stream stands, None when nothing was ever appended to it."""
        rows = await self._index("stream = $1", stream)
        return rows[0] if rows else None

    async def index_rows(
        self,
        kind: str = "table",
        *,
        status: Sequence[str] | None = None,
        partition: int | None = None,
        after: str = "",
        limit: int = 1000,
    ) -> list[IndexRow]:
        """Return up to `limit` streams of a kind by name, those after `after`.

        `status` and `partition` narrow them down. For all, go on after the last name returned.
        """
        return await self._index(
            "kind = $1 AND ($2::text[] IS NULL OR status = ANY ($2))"
            " AND ($3::integer IS NULL OR partition = $3) AND stream > $4"
            " ORDER BY stream LIMIT $5",
            kind,
            status,
            partition,
            after,
            limit,
        )

    async def awake(self, partition: int, until_ms: int | None = None) -> list[IndexRow]:
        """Return the streams of a partition that will want attention, the most urgent first.

        With `until_ms` only those that want it up to that moment (milliseconds since 1970 UTC).
        """
        return await self._index(
            "awake AND partition = $1 AND ($2::bigint IS NULL OR next_wake_ms <= $2)"
            " ORDER BY next_wake_ms, stream",
            partition,
            until_ms,
        )

    async def downtimes(self, partition: int, since_ms: int) -> list[tuple[int, int]]:
        """Return the spans (from, to) in ms without a living owner that ended after `since_ms`."""
        rows = await self._fetch(
            "SELECT (extract(epoch FROM from_at) * 1000)::bigint,"
            " (extract(epoch FROM to_at) * 1000)::bigint FROM partition_gaps"
            " WHERE partition = $1 AND to_at > to_timestamp($2::bigint / 1000.0) ORDER BY epoch",
            partition,
            since_ms,
        )
        return [(row[0], row[1]) for row in rows]

    async def _index(self, where: str, *values: object) -> list[IndexRow]:
        rows = await self._fetch(_INDEX + where, *values)
        return [IndexRow(*row) for row in rows]

    async def _fetch(self, query: str, *values: object) -> list[Any]:
        async with self._database.connection() as connection:
            return await connection.fetch(query, *values)
