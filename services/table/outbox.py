"""The relay from the log to the stream LOGBUCH: public facts only, in order, none left out.

The stream itself says how far it has come. So a relay that starts, or takes over, or has lost an
acknowledgement looks at its last entry and goes on behind it.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

import structlog

from contracts import events
from services.kit.feed import (
    BATCH_MAX,
    FeedConflict,
    FeedMissing,
    FeedUnavailable,
    FeedWriter,
)
from services.kit.publish import Index, PublicLog
from services.kit.store.model import Notification, StoreUnavailable

log = structlog.get_logger()

RETRY_S = 0.5
FIRST_EPOCH = 1


class Tail(Index, Protocol):
    """What the relay reads of the log (see services.kit.store.reader)."""

    async def notifications(self, after: int, limit: int = 1000) -> list[Notification]:
        """Give what follows a position."""
        ...

    async def max_position(self) -> int:
        """Give the last position."""
        ...


class News(Protocol):
    """Waits for the log to grow (see services.kit.store.news)."""

    async def wait(self) -> bool:
        """Return at the next news, or after a while."""
        ...


class Outbox:
    """The one relay; `run` until it is cancelled."""

    def __init__(self, tail: Tail, feed: FeedWriter, news: News) -> None:
        """Take the ends to join."""
        self._tail = tail
        self._feed = feed
        self._news = news

    async def run(self) -> None:
        """Publish whatever the log holds beyond the stream's end, and then what is appended."""
        while True:
            try:
                await self._relay()
            except (FeedUnavailable, StoreUnavailable) as error:
                log.warning("outbox_waits", error=type(error).__name__)
                await asyncio.sleep(RETRY_S)
            except (FeedConflict, FeedMissing) as error:
                log.warning("outbox_starts_again", error=type(error).__name__)
                await asyncio.sleep(RETRY_S)

    async def _relay(self) -> None:
        epoch, sequence, position = await self._resume()
        public = PublicLog(self._tail, epoch)
        while True:
            found = await self._tail.notifications(position, BATCH_MAX)
            if not found:
                # In a quiet hour nothing else would show that a server has lost the stream's end.
                if not await self._news.wait() and await self._end() != sequence:
                    return
                continue
            entries = await public.entries(found)
            if entries:
                sequence = await self._feed.append(entries, sequence)
            position = found[-1].id

    async def _end(self) -> int:
        last = await self._feed.last()
        return 0 if last is None else last[0]

    async def _resume(self) -> tuple[int, int, int]:
        """Give epoch, sequence and log position of the stream's end.

        A stream that is ahead of the log belongs to a log that was restored from a backup since:
        it is made anew under the next epoch.
        """
        epoch = await self._feed.epoch()
        if epoch is None:
            epoch = FIRST_EPOCH
            await self._feed.create(epoch)
        try:
            last = await self._feed.last()
        except FeedMissing:
            epoch += 1
            await self._feed.create(epoch)
            last = None
        if last is None:
            return epoch, 0, 0
        sequence, data = last
        position = int(events.decode(data).position)
        if position > await self._tail.max_position():
            epoch += 1
            log.warning("feed_ahead_of_log", epoch=epoch, position=position)
            await self._feed.create(epoch)
            return epoch, 0, 0
        return epoch, sequence, position
