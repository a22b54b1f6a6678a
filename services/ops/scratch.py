"""A database of its own for a measurement, on the given server."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

from services.kit.store.database import connect
from services.kit.store.migrate import migrate


@asynccontextmanager
async def scratch_database(database_url: str) -> AsyncIterator[str]:
    """Lend the URL of a fresh database with our schema; it is dropped at the end."""
    name = f"logbuch_bench_{secrets.token_hex(4)}"
    server = await connect(database_url, "bench")
    try:
        await server.execute(f"CREATE DATABASE {name}")
        url = urlunsplit(urlsplit(database_url)._replace(path=f"/{name}"))
        try:
            await migrate(url)
            yield url
        finally:
            await server.execute(f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await server.close()
