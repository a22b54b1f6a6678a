"""A real PostgreSQL with our schema and a way to play tables into its log."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import pytest

from services.kit import nats_bus
from services.kit.follow import Follower
from services.kit.store.database import Database
from services.kit.store.news import News
from services.kit.store.recorder import Recorder
from services.ledger.leaderboard import LeaderboardModel
from tests.ledger.played import Played

Play = Callable[..., Played]
UpToDate = Callable[[], Awaitable[None]]


@pytest.fixture
async def database(log_url: str) -> AsyncIterator[Database]:
    async with Database(log_url) as database:
        yield database


@pytest.fixture
async def news(log_url: str) -> AsyncIterator[News]:
    async with News(log_url) as news:
        yield news


@pytest.fixture
def table(recorder: Recorder) -> Play:
    """Make tables whose commands go into the log."""
    return partial(Played, recorder)


@pytest.fixture
async def bus(nats_url: str) -> AsyncIterator[nats_bus.NatsBus]:
    bus = await nats_bus.connect(nats_url, "test", "_INBOX_p_test_1", lambda: None)
    yield bus
    await bus.close()


@pytest.fixture
def up_to_date(database: Database, news: News, bus: nats_bus.NatsBus) -> UpToDate:
    """Bring the leaderboards up to date as a service does that starts now."""

    async def follow() -> None:
        follower = Follower(database, news, LeaderboardModel(), bus)
        while await follower.step():
            pass

    return follow
