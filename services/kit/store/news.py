"""Waiting for the log to grow."""

import asyncio
from typing import Self

from services.kit.store.database import TROUBLE, Connection, connect
from services.kit.store.model import StoreUnavailable

CHANNEL = "stored_events"  # also that of the library's subscriptions


class News:
    """Tells that something was appended. One waiter; what arrives while he reads is kept.

    The news are only a hint that saves time: without the database's help a wait simply lasts
    `poll_s`, so a lost notification delays a reader and never stops him. Whoever is in no hurry
    waits `gather_s` more after the first news, and then reads many appends at once.
    """

    def __init__(self, database_url: str, *, poll_s: float = 1.0, gather_s: float = 0.0) -> None:
        self._url = database_url
        self._poll_s = poll_s
        self._gather_s = gather_s
        self._heard = asyncio.Event()
        self._connection: Connection | None = None

    async def __aenter__(self) -> Self:
        """Start listening if the database is there."""
        await self._listen()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening."""
        self._drop()

    async def wait(self) -> bool:
        """Return at the next news since the last return, True, or after `poll_s`, False."""
        if self._connection is None or self._connection.is_closed():
            self._drop()
            await self._listen()
        try:
            async with asyncio.timeout(self._poll_s):
                await self._heard.wait()
        except TimeoutError:
            return False
        if self._gather_s:
            await asyncio.sleep(self._gather_s)
        self._heard.clear()
        return True

    async def _listen(self) -> None:
        connection = None
        try:
            connection = await connect(self._url, "news", self._poll_s)
            async with asyncio.timeout(self._poll_s):
                await connection.add_listener(CHANNEL, lambda *_: self._heard.set())
        except (StoreUnavailable, *TROUBLE):
            if connection is not None:
                connection.terminate()
            return
        self._connection = connection
        self._heard.set()  # something may have been appended before we could hear

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
        self._connection = None
