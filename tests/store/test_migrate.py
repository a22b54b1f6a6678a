"""The schema is applied once, whoever comes first."""

import asyncio

import asyncpg
import pytest

from services.kit.store.migrate import MigrationChanged, migrate
from services.kit.store.model import StoreUnavailable


async def test_many_processes_may_migrate_at_once(database_url: str) -> None:
    applied = await asyncio.gather(*(migrate(database_url) for _ in range(4)))

    assert sorted(map(len, applied))[:3] == [0, 0, 0]
    names = max(applied, key=len)
    assert names == sorted(names)
    assert names[0] == "0001_stored_events.sql"
    assert await migrate(database_url) == []


async def test_changed_migration_is_told(log_url: str) -> None:
    connection = await asyncpg.connect(log_url)
    await connection.execute("UPDATE schema_migrations SET sha256 = 'x' WHERE name LIKE '0002%'")
    await connection.close()
    with pytest.raises(MigrationChanged, match="0002"):
        await migrate(log_url)


@pytest.mark.parametrize("url", ["postgresql://x@127.0.0.1:1/none", "nonsense"])
async def test_no_database_is_one_clear_line(url: str) -> None:
    with pytest.raises(StoreUnavailable) as refusal:
        await migrate(url)
    assert "\n" not in str(refusal.value)
