"""What the ledger's rows and the log say, for tests to look at; and whether the two agree."""

from __future__ import annotations

from services.kit.store.database import Database
from services.ledger.recounting import recount


async def balances(database: Database) -> dict[str, int]:
    async with database.connection() as link:
        rows = await link.fetch("SELECT account, balance FROM ledger_accounts")
    return {row[0]: row[1] for row in rows}


async def states(database: Database) -> dict[int, str]:
    async with database.connection() as link:
        rows = await link.fetch("SELECT attempt, state FROM ledger_holds")
    return {row[0]: row[1] for row in rows}


async def facts(database: Database, kind: str = "") -> int:
    """How many facts of accounts there are, or bookings of one kind."""
    async with database.connection() as link:
        return int(
            await link.fetchval(
                "SELECT count(*) FROM log_readable WHERE stream LIKE 'account-%'"
                " AND ($1 = '' OR data ->> 'kind' = $1)",
                kind,
            )
        )


async def sound(database: Database) -> None:
    """The books balance, and the rows are what the facts add up to."""
    books, differences = await recount(database.url, swap=False)
    assert differences == []
    assert books.wrong == {}
    assert books.unfinished() == {}
    assert books.total == 0
