"""Accounts as operators look at them."""

from __future__ import annotations

from msgspec import Struct

from services.kit.follow import Link

# The house, pots that hold something, then players from rich to poor.
_LIST = """
SELECT a.account, a.balance, coalesce(h.held, 0)::bigint, a.at_ms FROM ledger_accounts AS a
LEFT JOIN LATERAL (
    SELECT sum(stake) AS held FROM ledger_holds
    WHERE state = 'held' AND players @> ARRAY[a.account]
) AS h ON true
WHERE a.account NOT LIKE 'pot-%' OR a.balance <> 0
ORDER BY a.account <> 'house', a.account NOT LIKE 'pot-%', a.balance DESC, a.account LIMIT $1
"""
_TOTAL = "SELECT count(*), coalesce(sum(balance), 0)::bigint FROM ledger_accounts"


class Line(Struct, frozen=True):
    """One account: Taler on it, Taler of it in pots, and when it changed (ms since the epoch)."""

    account: str
    balance: int
    held: int
    at: int


class Listing(Struct, frozen=True):
    """The first accounts of `count`, empty pots left out; `total` is the sum over all, zero."""

    accounts: tuple[Line, ...]
    count: int
    total: int
    more: bool


async def accounts(link: Link, limit: int) -> Listing:
    """List the accounts that matter most."""
    rows = [Line(*row) for row in await link.fetch(_LIST, limit + 1)]
    count, total = await link.fetchrow(_TOTAL) or (0, 0)
    return Listing(tuple(rows[:limit]), count, total, len(rows) > limit)
