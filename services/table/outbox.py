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
FAILED_S = 5.0
POSITIONS = 2**63
"""Positions are below this: what PostgreSQL can count to."""
FIRST_EPOCH = 1


class Tail(Index, Protocol):
    """What the relay reads of the log (see services.kit.store.reader)."""

    async def notifications(self, after: int, limit: int = 1000) -> list[Notification]:
        """Give what follows a position."""
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
        self._reached = (0, 0)
        """Sequence and log position of what was acknowledged last."""

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
            except Exception:  # a feed that stands still must not take the tables with it
                log.exception("outbox_failed")
                await asyncio.sleep(FAILED_S)

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
            self._reached = (sequence, position)

    async def _end(self) -> int:
        last = await self._feed.last()
        return 0 if last is None else last[0]

    async def _resume(self) -> tuple[int, int, int]:
        """Give epoch, sequence and log position of the stream's end.

        A stream whose end is not what we publish for that position is made anew under the next
        epoch: the log was restored from a backup since, or somebody else has written to it.
        """
        epoch = await self._feed.epoch()
        if epoch is None:
            return await self._anew(FIRST_EPOCH)
        try:
            last = await self._feed.last()
        except FeedMissing:
            return await self._anew(epoch + 1)
        if last is None:
            return epoch, 0, 0
        sequence, data = last
        position = await self._own(epoch, sequence, data)
        if position is None:
            log.warning("feed_end_is_not_ours", epoch=epoch)
            return await self._anew(epoch + 1)
        return epoch, sequence, position

    async def _anew(self, epoch: int) -> tuple[int, int, int]:
        await self._feed.create(epoch)
        self._reached = (0, 0)
        return epoch, 0, 0

    async def _own(self, epoch: int, sequence: int, data: bytes) -> int | None:
        """Give the log position of an entry of ours, None when it is not one."""
        try:
            fact = events.decode(data)
            position = int(fact.position)
        except ValueError:  # msgspec's errors are such, too
            return None
        if not 0 < position < POSITIONS:
            return None
        found = await self._tail.notifications(position - 1, 1)
        entries = await PublicLog(self._tail, epoch).entries(found)
        if not entries:
            return None
        own = events.decode(entries[0].data)
        repeated = sequence > self._reached[0] and position <= self._reached[1]
        same = (own.position, own.id, own.hash) == (fact.position, fact.id, fact.hash)
        return position if same and not repeated else None
