"""The library's synchronous recorder interface over our recorder, on an event loop in a thread.

For the library's own tests and for tools. Streams written through it have no index row: as with
the library's recorders, only the unique key guards them.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from itertools import groupby
from operator import attrgetter
from threading import Thread
from typing import Any, Self, TypeVar

from eventsourcing.persistence import (
    ApplicationRecorder,
    IntegrityError,
    ListenNotifySubscription,
    Notification,
    OperationalError,
    StoredEvent,
)

from services.kit.store import model
from services.kit.store.database import Database
from services.kit.store.news import News
from services.kit.store.recorder import Recorder

T = TypeVar("T")

_NOTIFICATIONS = """
SELECT originator_id, originator_version, topic, state, notification_id FROM stored_events
WHERE ($1::bigint IS NULL OR notification_id >= $1) AND ($2::bigint IS NULL OR notification_id <= $2)
AND (cardinality($3::text[]) = 0 OR topic = ANY ($3)) ORDER BY notification_id LIMIT $4
"""
_EVENTS = """
SELECT originator_id, originator_version, topic, state FROM stored_events
WHERE originator_id = $1 AND ($2::bigint IS NULL OR originator_version > $2)
AND ($3::bigint IS NULL OR originator_version <= $3)
ORDER BY originator_version {} LIMIT $4
"""


class SyncRecorder(ApplicationRecorder):
    """An ApplicationRecorder that any thread may use; `with` starts and ends its own thread."""

    def __init__(self, database_url: str) -> None:
        self._url = database_url
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="recorder", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.call(self._open())
        return self

    def __exit__(self, *_: object) -> None:
        self.call(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self) -> None:
        self._recorder = await Recorder(self._url).__aenter__()
        self._database = await Database(self._url).__aenter__()

    async def _close(self) -> None:
        await self._recorder.__aexit__()
        await self._database.__aexit__()

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work on the event loop; raises the library's errors for those of the store."""
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except model.Conflict as error:
            raise IntegrityError(str(error)) from error
        except model.StoreError as error:
            raise OperationalError(str(error)) from error

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Store the events, all or none, and return their positions.

        The events of one stream stand together, with versions one after the other.
        """
        appends = []
        for stream, events in groupby(stored_events, attrgetter("originator_id")):
            rows = [
                model.StoredEvent(str(stream), each.originator_version, each.topic, each.state)
                for each in events
            ]
            appends.append(model.Append(str(stream), rows[0].originator_version - 1, rows, None))
        if not appends:
            return []
        return list(self.call(self._recorder.append(model.Unit(tuple(appends)))))

    def select_events(
        self,
        originator_id: Any,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Return the events of a stream."""
        query = _EVENTS.format("DESC" if desc else "ASC")
        rows = self.call(self._fetch(query, str(originator_id), gt, lte, limit))
        return [StoredEvent(*row) for row in rows]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Return events of all streams by position."""
        if start is not None and not inclusive_of_start:
            start += 1
        rows = self.call(self._fetch(_NOTIFICATIONS, start, stop, list(topics), limit))
        return [Notification(*row) for row in rows]

    def max_notification_id(self) -> int | None:
        """Return the highest position, None for an empty log."""
        rows = self.call(self._fetch("SELECT max(notification_id) FROM stored_events"))
        highest: int | None = rows[0][0]
        return highest

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> "Listening":
        """Return an endless iterator over what is and will be in the log."""
        return Listening(self, gt, topics)

    async def _fetch(self, query: str, *values: object) -> list[Any]:
        async with self._database.connection() as connection:
            return await connection.fetch(query, *values)

    def listen(self, listening: "Listening") -> None:
        """Pass the news on until the subscription is stopped."""
        self.call(self._listen(listening))

    async def _listen(self, listening: "Listening") -> None:
        async with News(self._url, poll_s=0.1) as news:
            while not listening.stopped:
                await news.wait()
                listening.notify()


class Listening(ListenNotifySubscription[SyncRecorder]):
    """The library's subscription, woken by our news."""

    def __init__(self, recorder: SyncRecorder, gt: int | None, topics: Sequence[str]) -> None:
        super().__init__(recorder, gt, topics)
        self._listener = Thread(target=recorder.listen, args=(self,), daemon=True)
        self._listener.start()

    @property
    def stopped(self) -> bool:
        """Whether nobody iterates any more."""
        return self._has_been_stopped

    def notify(self) -> None:
        """Have the subscription look for new events."""
        self._has_been_notified.set()

    def __exit__(self, *args: object, **kwargs: Any) -> None:
        try:
            super().__exit__(*args, **kwargs)
        finally:
            self._listener.join()
