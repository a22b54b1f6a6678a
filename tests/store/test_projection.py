"""View rows and checkpoint move together, once per batch."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from services.kit.store.database import Connection, Database, Pooled
from services.kit.store.projection import Change, Projection


@pytest.fixture
async def projection(log_url: str, link: Connection) -> AsyncIterator[Projection]:
    await link.execute("CREATE TABLE view (n integer)")
    async with Database(log_url) as database:
        yield Projection(database, "test")


def adding(n: int) -> Change:
    async def apply(connection: Pooled) -> None:
        await connection.execute("INSERT INTO view VALUES ($1)", n)

    return apply


async def view(link: Connection) -> list[int]:
    return [row[0] for row in await link.fetch("SELECT n FROM view ORDER BY n")]


async def test_batch_counts_once(projection: Projection, link: Connection) -> None:
    assert await projection.checkpoint() == (0, 0)
    assert await projection.advance(0, 5, adding(1))
    assert not await projection.advance(0, 5, adding(1))
    assert not await projection.advance(3, 9, adding(2))
    assert not await projection.advance(6, 9, adding(2))
    assert await projection.advance(5, 9, adding(3))

    assert await view(link) == [1, 3]
    assert await projection.checkpoint() == (0, 9)


async def test_racing_projectors_apply_a_batch_once(
    projection: Projection, link: Connection
) -> None:
    done = await asyncio.gather(*(projection.advance(0, 4, adding(1)) for _ in range(4)))

    assert sorted(done) == [False, False, False, True]
    assert await view(link) == [1]


async def test_failing_batch_changes_nothing(projection: Projection, link: Connection) -> None:
    async def fails(connection: Pooled) -> None:
        await adding(1)(connection)
        raise LookupError

    async def wrong(connection: Pooled) -> None:
        await connection.execute("INSERT INTO view VALUES (1), (1 / 0)")

    with pytest.raises(LookupError):
        await projection.advance(0, 5, fails)
    with pytest.raises(asyncpg.DivisionByZeroError):
        await projection.advance(0, 5, wrong)
    assert await projection.checkpoint() == (0, 0)
    assert await view(link) == []


async def test_restart_clears_and_begins_again(projection: Projection, link: Connection) -> None:
    async def clear(connection: Pooled) -> None:
        await connection.execute("DELETE FROM view")

    await projection.advance(0, 5, adding(1))
    await projection.restart(2, clear)

    assert await projection.checkpoint() == (2, 0)
    assert await view(link) == []
    assert await projection.advance(0, 3, adding(7))
