"""Reading waits a bounded time, survives cancellation, and hears of news."""

import asyncio
import random
from contextlib import suppress

import pytest

from services.kit.store.database import Database
from services.kit.store.model import StoreUnavailable
from services.kit.store.news import News
from services.kit.store.reader import Reader
from services.kit.store.recorder import Recorder
from tests.store.conftest import unit


async def test_exhausted_pool_refuses_in_time(log_url: str) -> None:
    async with Database(log_url, size=1, acquire_s=0.1) as database:
        async with database.connection():
            with pytest.raises(StoreUnavailable):
                await Reader(database).max_position()
        assert await Reader(database).max_position() == 0


async def test_no_database_is_told() -> None:
    async with Database("postgresql://x@127.0.0.1:1/none") as database:
        with pytest.raises(StoreUnavailable):
            await Reader(database).max_position()


async def test_cancelled_readers_leak_no_connection(log_url: str, recorder: Recorder) -> None:
    rng = random.Random(3)
    await recorder.append(unit("table-a", 50))
    async with Database(log_url, size=2) as database:
        reader = Reader(database)
        for _ in range(60):
            tasks = [asyncio.ensure_future(reader.stream("table-a")) for _ in range(4)]
            await asyncio.sleep(rng.random() * 0.003)
            for task in tasks[:3]:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        both = tuple(await asyncio.gather(reader.max_position(), reader.max_position()))
    assert both == (50, 50)


async def test_tail_hears_of_everything(log_url: str, recorder: Recorder, reader: Reader) -> None:
    seen: list[int] = []

    async def tail() -> None:
        async with News(log_url, poll_s=30) as news:
            while len(seen) < 40:
                fresh = await reader.notifications(seen[-1] if seen else 0, 7)
                seen.extend(each.id for each in fresh)
                if not fresh:
                    assert await news.wait()

    reading = asyncio.ensure_future(tail())
    for number in range(20):
        await recorder.append(unit(f"table-{number}", 2))
    async with asyncio.timeout(20):
        await reading
    assert seen == list(range(1, 41))


async def test_news_come_again_after_a_broken_connection(
    log_url: str, recorder: Recorder, reader: Reader
) -> None:
    async with News(log_url, poll_s=0.2) as news, Database(log_url) as database:
        assert await news.wait()  # what was there before we could hear
        assert not await news.wait()
        async with database.connection() as connection:
            await connection.execute(
                "SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity"
                " WHERE application_name = 'logbuch news' AND datname = current_database()"
            )
        await recorder.append(unit("table-a"))
        async with asyncio.timeout(20):
            while not await news.wait():
                pass
        assert await reader.max_position() == 1


async def test_news_without_a_database_only_wait() -> None:
    async with News("postgresql://x@127.0.0.1:1/none", poll_s=0.01) as news:
        with suppress(StoreUnavailable):
            assert not await news.wait()
