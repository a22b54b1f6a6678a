"""A real PostgreSQL with our schema and a way to play tables into its log."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial

import pytest

from services.kit.follow import Follower
from services.kit.nats_bus import NatsBus
from services.kit.store.database import Database
from services.kit.store.news import News
from services.kit.store.recorder import Recorder
from services.ledger.bank import Bank
from services.ledger.leaderboard import LeaderboardModel
from services.ledger.stakes import StakesModel
from services.ledger.taler import Taler
from tests.entrance import Entrance
from tests.ledger.played import Played
from tests.ledger.staked import Staked

Play = Callable[..., Played]
Stake = Callable[..., Awaitable[Staked]]
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
async def other_news(log_url: str) -> AsyncIterator[News]:
    """A second follower has news of its own."""
    async with News(log_url) as news:
        yield news


@pytest.fixture
def table(recorder: Recorder) -> Play:
    """Make tables whose commands go into the log."""
    return partial(Played, recorder)


@pytest.fixture
async def bus(entrance: Entrance) -> NatsBus:
    """Somebody who asks, and may do everything."""
    return await entrance.master("p_test_1")


@pytest.fixture
def up_to_date(database: Database, news: News, bus: NatsBus) -> UpToDate:
    """Bring the leaderboards up to date as a service does that starts now."""

    async def follow() -> None:
        follower = Follower(database, news, LeaderboardModel(), bus)
        while await follower.step():
            pass

    return follow


@pytest.fixture
def bank(database: Database) -> Bank:
    """A ledger that gives a hundred Taler to everybody who is new, and tops up to forty."""
    return Bank(database, Taler(100, 40))


@pytest.fixture
def settled(database: Database, other_news: News, bus: NatsBus) -> UpToDate:
    """Settle what the log tells of, as a service does that starts now."""

    async def follow() -> None:
        follower = Follower(database, other_news, StakesModel(), bus)
        while await follower.step():
            pass

    return follow


@pytest.fixture
def staked(recorder: Recorder) -> Stake:
    """Open tables whose people want to play for a stake."""

    async def opened(name: str = "t") -> Staked:
        table = Staked(recorder, name)
        await table.open(4)
        return table

    return opened
