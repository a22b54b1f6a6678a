"""How a read model follows the log: exactly once, past what is new, never past what is broken."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import asyncpg
import pytest

from domain.table.events import SeatTaken, TableOpened
from services.kit import follow
from services.kit.follow import Ahead, Follower, Link, LogFact, Telling
from services.kit.nats_bus import NatsBus
from services.kit.store.chain import Entry, Undecodable
from services.kit.store.database import Database
from services.kit.store.news import News
from tests.ledger.conftest import Play

CREATE = "CREATE TABLE seen (position bigint PRIMARY KEY, what text NOT NULL)"


class Seen:
    """A read model that writes down what it got; a fact applied twice breaks its key."""

    name = "seen"
    facts: tuple[type, ...] = (TableOpened, SeatTaken)
    tables = ("seen",)

    async def apply(self, link: Link, facts: Sequence[LogFact]) -> Sequence[Telling]:
        rows = [(fact.position, type(fact.fact).__name__) for fact in facts]
        await link.executemany("INSERT INTO seen VALUES ($1, $2)", rows)
        return [Telling("test.seen", b"%d" % len(rows))]


@pytest.fixture
async def follower(database: Database, news: News, bus: NatsBus) -> Follower:
    async with database.connection() as link:
        await link.execute(CREATE)
    return Follower(database, news, Seen(), bus)


async def catch_up(follower: Follower) -> None:
    while await follower.step():
        pass


async def fetch(database: Database, query: str) -> list[object]:
    async with database.connection() as link:
        return [row[0] for row in await link.fetch(query)]


async def seen(database: Database) -> list[object]:
    return await fetch(database, "SELECT what FROM seen ORDER BY position")


async def test_wanted_facts_arrive_once_and_in_order(
    table: Play, follower: Follower, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "WINDOW", 2)
    played = table()
    await played.begin(2)

    await catch_up(follower)
    await catch_up(follower)

    assert await seen(database) == ["TableOpened", "SeatTaken", "SeatTaken"]


async def test_topics_of_a_newer_release_are_passed(
    table: Play, follower: Follower, database: Database
) -> None:
    played = table("a")
    await played.open()
    entry = Entry("table.SomethingNew.v9", b'{"x":1}', 5, "test", "", "")
    await played.store_raw([entry], played.table)
    await table("b").open()

    await catch_up(follower)

    assert await seen(database) == ["TableOpened", "SeatTaken"] * 2
    assert follower.position == 7


async def test_a_broken_fact_stops_the_model_until_it_is_mended(
    table: Play, follower: Follower, database: Database
) -> None:
    await table("a").open()
    await catch_up(follower)
    await table("b").open()
    async with database.connection() as link:
        broken = "UPDATE stored_events SET state = overlay(state PLACING '\\x7f' FROM 20 FOR 1)"
        whole = await link.fetchval("SELECT state FROM stored_events WHERE notification_id = 4")
        await link.execute(f"{broken} WHERE notification_id = 4")

    for _ in range(2):
        with pytest.raises(Undecodable):
            await follower.step()
    assert len(await seen(database)) == 2

    async with database.connection() as link:
        await link.execute("UPDATE stored_events SET state = $1 WHERE notification_id = 4", whole)
    await catch_up(follower)
    assert len(await seen(database)) == 4


async def test_two_followers_share_the_work_without_doing_it_twice(
    table: Play, follower: Follower, database: Database, news: News, bus: NatsBus
) -> None:
    other = Follower(database, news, Seen(), bus)
    await catch_up(follower)
    await catch_up(other)
    for name in "abcd":
        await table(name).open()

    await asyncio.gather(catch_up(follower), catch_up(other))

    assert await seen(database) == ["TableOpened", "SeatTaken"] * 4


async def test_nothing_is_half_done_when_the_model_fails(
    table: Play, follower: Follower, database: Database
) -> None:
    await table().open()
    async with database.connection() as link:
        await link.execute("ALTER TABLE seen ADD CHECK (what <> 'SeatTaken')")

    with pytest.raises(asyncpg.CheckViolationError):
        await follower.step()

    assert await seen(database) == []
    assert await fetch(database, "SELECT position FROM projections WHERE name = 'seen'") == []


async def test_the_place_is_stored_now_and_then_without_a_wanted_fact(
    table: Play, follower: Follower, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow, "SAVE_EVERY", 10)
    played = table()
    await played.begin(2)
    await catch_up(follower)
    await played.finish()

    await catch_up(follower)

    places = await fetch(database, "SELECT position FROM projections WHERE name = 'seen'")
    assert places == await fetch(database, "SELECT max(notification_id) FROM stored_events")


async def test_a_log_that_was_cut_is_noticed(
    table: Play, follower: Follower, database: Database
) -> None:
    await table().open()
    await catch_up(follower)
    async with database.connection() as link:
        await link.execute("DELETE FROM stored_events WHERE notification_id > 1")

    with pytest.raises(Ahead):
        await follower.step()


async def test_what_is_committed_is_told_on_the_bus(
    table: Play, follower: Follower, bus: NatsBus
) -> None:
    told: asyncio.Queue[bytes] = asyncio.Queue()
    await bus.subscribe("test.seen", lambda message: told.put_nowait(message.data))
    running = asyncio.create_task(follower.run())

    async with asyncio.timeout(20):
        await follower.caught_up.wait()
        await table().open()
        assert await told.get() == b"2"
    running.cancel()
