"""Connections to PostgreSQL that never wait without end and fail with StoreUnavailable alone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Self, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from services.kit.store.model import StoreUnavailable

# What asyncpg and the operating system raise when the database is away or says no. A connection
# that is lost between two steps of the protocol comes as InternalClientError.
TROUBLE = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)

if TYPE_CHECKING:  # generic in the stubs, not when it runs
    Pooled: TypeAlias = PoolConnectionProxy[asyncpg.Record]
    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record]
else:
    Pooled, Connection = PoolConnectionProxy, asyncpg.Connection

_WRONG_STATEMENT = {"22", "23", "42", "P0"}  # classes of SQLSTATE


def unavailable(error: BaseException) -> StoreUnavailable:
    """The refusal that tells in one line what is the matter with the database."""
    said = str(error).partition("\n")[0] or type(error).__name__
    return StoreUnavailable(f"the database is not available: {said}")


async def connect(
    url: str, name: str, timeout_s: float = 5.0, settings: dict[str, str] | None = None
) -> Connection:
    """Return a connection of its own, outside any pool; raises StoreUnavailable."""
    try:
        return await asyncpg.connect(
            url,
            timeout=timeout_s,
            server_settings={"application_name": f"logbuch {name}", "jit": "off"}
            | (settings or {}),
        )
    except TROUBLE as error:
        raise unavailable(error) from error
    except ValueError as error:  # a URL that is none
        raise StoreUnavailable(f"the database URL is not valid: {error}") from error


async def _as_it_is(_connection: object) -> None:
    """Lend a connection again as it is: nobody here changes a session, and a reset is a query."""


class Database:
    """A small pool for reading and projecting. Every wait for a connection has an end."""

    def __init__(
        self,
        url: str,
        *,
        name: str = "reader",
        size: int = 4,
        acquire_s: float = 3.0,
        statement_s: float = 30.0,
    ) -> None:
        self._url = url
        self._acquire_s = acquire_s
        self._pool = asyncpg.create_pool(
            url,
            min_size=0,
            max_size=size,
            timeout=acquire_s,
            command_timeout=statement_s,
            reset=_as_it_is,
            server_settings={"application_name": f"logbuch {name}", "jit": "off"},
        )

    @property
    def url(self) -> str:
        """Where the database is."""
        return self._url

    async def __aenter__(self) -> Self:
        """Open the pool; the database need not be there yet."""
        try:
            await self._pool
        except TROUBLE as error:
            raise unavailable(error) from error
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the pool; what still runs after two seconds is broken off."""
        try:
            async with asyncio.timeout(2.0):
                await self._pool.close()
        except TROUBLE:
            self._pool.terminate()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Pooled]:
        """Lend a connection. Trouble with the database inside the block is StoreUnavailable.

        A statement that is wrong by itself (syntax, constraint, value) raises asyncpg's own error.
        Never nest: a holder who waits for a second connection can wait for himself.
        """
        try:
            async with self._pool.acquire(timeout=self._acquire_s) as connection:
                yield connection
        except TROUBLE as error:
            if (getattr(error, "sqlstate", None) or "")[:2] in _WRONG_STATEMENT:
                raise
            raise unavailable(error) from error
