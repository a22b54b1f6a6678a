"""Whether all Taler are still there after games for a stake, by the facts of every account."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, NamedTuple

from contracts import topics
from contracts.subjects import account_stream
from domain.account.events import Booked, pot_of
from services.kit.store.chain import decode
from services.kit.store.database import Database
from services.kit.store.model import StoredEvent
from services.ops.verification.accounts import check_accounts
from services.ops.verification.source import accounts, moment

SETTLED_S: Final = 30.0
"""So long after the last game the ledger may take to settle it."""
_LOOK_S: Final = 0.2
_LAST: Final = """
SELECT e.originator_id, e.originator_version, e.topic, e.state FROM log_index AS i
JOIN stored_events AS e ON e.originator_id = i.stream AND e.originator_version = i.head
WHERE i.stream = ANY ($1)
"""


class TalerCheck(NamedTuple):
    """How many accounts add up to zero, and what is wrong with any, as sentences."""

    accounts: int
    findings: list[str]


async def check_taler(
    database_url: str, tables: Sequence[str], settled_s: float = SETTLED_S
) -> TalerCheck:
    """Check all accounts there are, and that the pots of these finished tables were paid out.

    Raises StoreError.
    """
    async with Database(database_url, name="taler") as database:
        unpaid = await _unpaid(database, tables, settled_s)
        async with moment(database) as connection:
            checked = await check_accounts(accounts(connection))
    wrong = [f"{each.table}, fact {each.version}: {each.detail}" for each in checked.findings]
    return TalerCheck(checked.accounts, wrong + unpaid)


async def _unpaid(database: Database, tables: Sequence[str], settled_s: float) -> list[str]:
    """Wait for the ledger to settle the tables, and tell of pots that are not empty."""
    loop = asyncio.get_running_loop()
    until = loop.time() + settled_s
    while True:
        balances = await _balances(database, tables)
        open_ones = [table for table in tables if balances.get(table) != 0]
        if not open_ones or loop.time() > until:
            return [_told(table, balances.get(table)) for table in open_ones]
        await asyncio.sleep(_LOOK_S)


async def _balances(database: Database, tables: Sequence[str]) -> dict[str, int]:
    """Give what lies in the pot of each table that has one, by its last booking."""
    streams = {account_stream(pot_of(table)): table for table in tables}
    async with database.connection() as connection:
        rows = [StoredEvent(*row) for row in await connection.fetch(_LAST, list(streams))]
    facts = {row.originator_id: topics.decode(row.topic, decode(row).data) for row in rows}
    return {
        streams[stream]: fact.balance for stream, fact in facts.items() if isinstance(fact, Booked)
    }


def _told(table: str, balance: int | None) -> str:
    if balance is None:
        return f"the stakes of table {table} were never held"
    return f"the pot of table {table} still holds {balance} Taler, but its game is over"
