"""The schema is brought up to date by numbered SQL files, each applied exactly once."""

from hashlib import sha256
from importlib.resources import files

from services.kit.store import locks
from services.kit.store.database import TROUBLE, Connection, connect, unavailable
from services.kit.store.model import StoreError

_APPLIED = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
)
"""


class MigrationChanged(StoreError):
    """A migration that this database has already seen now has another content."""


async def migrate(database_url: str) -> list[str]:
    """Apply what is missing and return its names; many processes may call this at once.

    Raises StoreUnavailable, and MigrationChanged when an applied file was edited afterwards.
    """
    connection = await connect(database_url, "migrate", settings={"lock_timeout": "60s"})
    try:
        # The lock goes before CREATE TABLE IF NOT EXISTS, which is not safe against itself.
        await connection.execute(f"SELECT pg_advisory_lock({locks.MIGRATION}, 0)")
        await connection.execute(_APPLIED)
        return [name for name, text in _migrations() if await _apply(connection, name, text)]
    except TROUBLE as error:
        raise unavailable(error) from error
    finally:
        await connection.close(timeout=2.0)


def _migrations() -> list[tuple[str, str]]:
    folder = files("deploy") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(name, (folder / name).read_text("utf-8")) for name in names]


async def _apply(connection: Connection, name: str, text: str) -> bool:
    digest = sha256(text.encode()).hexdigest()
    known = await connection.fetchval("SELECT sha256 FROM schema_migrations WHERE name = $1", name)
    if known == digest:
        return False
    if known is not None:
        raise MigrationChanged(f"{name} was changed after it had been applied")
    async with connection.transaction():
        await connection.execute(text)
        await connection.execute(
            "INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)", name, digest
        )
    return True
