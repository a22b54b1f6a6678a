"""Accounts are locked in one order: pots, players, the house; so nobody waits in a circle."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from services.kit.store import within
from services.kit.store.database import Database
from services.kit.store.model import StoreUnavailable
from services.ledger.page import Page

ORDER = ["pot-1", "pot-2", "p_a", "p_b", "p_c", "p_d", "p_e", "p_f", "house"]


@pytest.fixture
async def known(database: Database) -> None:
    async with database.connection() as link, link.transaction():
        await Page(link).lock(ORDER)


async def is_free(database: Database, account: str) -> bool:
    query = "SELECT 1 FROM ledger_accounts WHERE account = $1 FOR UPDATE NOWAIT"
    async with database.connection() as link:
        try:
            await link.execute(query, account)
        except asyncpg.LockNotAvailableError:
            return False
    return True


async def lock(database: Database, accounts: list[str], done: asyncio.Event) -> None:
    async with database.connection() as link, link.transaction():
        await within.prepare(link)
        await Page(link).lock(accounts)
        await done.wait()


async def until_somebody_waits(database: Database) -> None:
    query = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    async with database.connection() as link:
        while not await link.fetchval(query):  # noqa: ASYNC110 - a lock tells nobody
            await asyncio.sleep(0.01)


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("taken", range(len(ORDER)))
async def test_who_waits_for_an_account_holds_what_stands_before_it_and_nothing_behind(
    database: Database, taken: int
) -> None:
    done = asyncio.Event()
    async with asyncio.timeout(20), database.connection() as link:
        async with link.transaction():
            await link.execute(
                "SELECT 1 FROM ledger_accounts WHERE account = $1 FOR UPDATE", ORDER[taken]
            )
            waiting = asyncio.create_task(lock(database, ORDER[::-1], done))
            await until_somebody_waits(database)
            free = [await is_free(database, each) for each in ORDER]
        done.set()
        await waiting

    assert free == [False] * (taken + 1) + [True] * (len(ORDER) - taken - 1)


@pytest.mark.usefixtures("known")
async def test_nobody_waits_for_an_account_without_end(database: Database) -> None:
    async with database.connection() as link, link.transaction():
        await link.execute("SELECT 1 FROM ledger_accounts WHERE account = 'p_a' FOR UPDATE")
        with pytest.raises(StoreUnavailable):
            await lock(database, ["p_a"], asyncio.Event())
