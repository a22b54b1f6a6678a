"""A real log with tables in it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path

import asyncpg
import pytest

from deploy.embedded.supervisor import Stack
from services.kit.settings import Settings
from services.kit.store.database import Connection
from services.kit.store.recorder import Recorder
from tests.ops.tables import Played


@pytest.fixture
def settings(log_url: str, stack: Stack, tmp_path: Path) -> Settings:
    return Settings(tmp_path, log_url, stack.nats_url, secrets=stack.secrets)


Store = Callable[[Iterable[Played]], Awaitable[None]]


@pytest.fixture
def store(log_url: str) -> Store:
    """Append whole tables, as far as they have been played."""

    async def append(tables: Iterable[Played]) -> None:
        async with Recorder(log_url) as recorder:
            for played in tables:
                for unit in played.units:
                    await recorder.append(unit)

    return append


@pytest.fixture
async def link(log_url: str) -> AsyncIterator[Connection]:
    """A connection for looking and meddling."""
    connection = await asyncpg.connect(log_url)
    yield connection
    await connection.close()
