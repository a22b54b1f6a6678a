"""Accounts locked for one transaction of the database, and what is booked on them in it.

Locks are taken in one order everywhere: pots, players, the house (each kind by name), then the log.
So nobody waits in a circle, and whoever holds the row of a pot decides about its table's stakes.
What is saved is what the facts fold to: a recount from the log must arrive at the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from contracts import topics
from contracts.subjects import account_stream
from domain.account.booking import Transaction, book
from domain.account.events import HOUSE, is_pot
from domain.account.recount import Account, Hold, Recount
from services.kit.clock import now_ms
from services.kit.follow import Link
from services.kit.store import within
from services.kit.store.chain import Entry, extend
from services.kit.store.model import Append, Conflict, IndexRow, StoreUnavailable, Unit

BY = "ledger"
"""Who stands in the log as the author of all bookings."""

_KNOW = """
INSERT INTO ledger_accounts (account) SELECT unnest($1::text[]) ORDER BY 1
ON CONFLICT (account) DO NOTHING
"""
_LOCK = """
SELECT account, balance, topped_up, at_ms FROM ledger_accounts WHERE account = ANY ($1)
ORDER BY account FOR UPDATE
"""
_HEADS = "SELECT stream, head, head_hash FROM log_index WHERE stream = ANY ($1)"
_HOLDS = """
SELECT table_id, attempt, stake, players, state, short FROM ledger_holds WHERE table_id = ANY ($1)
"""
_SAVE = """
UPDATE ledger_accounts AS a SET balance = n.balance, topped_up = n.topped_up, at_ms = n.at_ms
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])
    AS n (account, balance, topped_up, at_ms)
WHERE a.account = n.account
"""
_SAVE_HOLD = """
INSERT INTO ledger_holds (table_id, attempt, stake, players, state, short)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (table_id, attempt) DO UPDATE SET state = excluded.state
"""


class Page:
    """One transaction's accounts, holds and new facts; `prepare`d by whoever opens it."""

    def __init__(self, link: Link) -> None:
        """Begin with no account."""
        self.now = now_ms()
        self._link = link
        self._books = Recount()
        self._heads: dict[str, tuple[int, bytes]] = {}
        self._facts: dict[str, list[tuple[str, Any]]] = {}
        self._moved: set[tuple[str, int]] = set()

    async def lock(self, accounts: Iterable[str]) -> None:
        """Lock further accounts; one that is new stands at 0, without a fact."""
        wanted = set(accounts) - self._heads.keys()
        pots = sorted(filter(is_pot, wanted))
        house = sorted(wanted & {HOUSE})
        for names in (pots, sorted(wanted - {*pots, *house}), house):
            if names:
                await self._lock(names)

    async def lock_tables(self, tables: Sequence[str], pots: Sequence[str]) -> None:
        """Lock the pots of tables, and read what became of their holds."""
        await self.lock(pots)
        for table, attempt, stake, players, state, short in await self._link.fetch(_HOLDS, tables):
            hold = Hold(stake, tuple(players), state, tuple(short))
            self._books.holds[table, attempt] = hold

    def balance(self, account: str) -> int:
        """Give the balance after what has been booked here."""
        return self._books.accounts[account].balance

    def topped_up(self, account: str) -> int:
        """Give the day of the last top-up (days since 1970)."""
        return self._books.accounts[account].topped_up

    def is_open(self, account: str) -> bool:
        """Tell whether anything has ever been booked on the account."""
        return self._heads[account][0] > 0 or account in self._facts

    def holds(self, table: str) -> dict[int, Hold]:
        """Give what became of a table's attempts to start, after what has been booked here."""
        return {attempt: hold for (of, attempt), hold in self._books.holds.items() if of == table}

    def book(self, transaction: Transaction) -> None:
        """Book on all accounts of a transaction, which are locked; raises Overdrawn."""
        balances = {side.account: self.balance(side.account) for side in transaction.postings}
        for account, booked in book(balances, transaction).items():
            self.note(account, transaction.name, booked)
        if transaction.table:
            self._moved.add((transaction.table, transaction.attempt))

    def note(self, account: str, name: str, fact: Any) -> None:
        """Write a fact into an account; `name` says what it belongs to."""
        facts = self._facts.setdefault(account, [])
        facts.append((name, fact))
        version = self._heads[account][0] + len(facts)
        at = max(self.now, self._books.accounts[account].at)
        self._books.apply(account, version, at, fact)
        assert account not in self._books.wrong, self._books.wrong[account]

    def note_hold(self, pot: str, table: str, attempt: int, fact: Any) -> None:
        """Write into a pot what became of a hold for which no Taler move."""
        self.note(pot, f"hold:{table}:{attempt}", fact)
        self._moved.add((table, attempt))

    async def store(self) -> None:
        """Save the rows and append the facts: the last thing in the transaction."""
        if not self._facts:
            return
        touched = [(name, self._books.accounts[name]) for name in sorted(self._facts)]
        columns = zip(*((name, *_row(account)) for name, account in touched), strict=True)
        await self._link.execute(_SAVE, *map(list, columns))
        holds = [(*key, *_hold_row(self._books.holds[key])) for key in sorted(self._moved)]
        await self._link.executemany(_SAVE_HOLD, holds)
        appends = tuple(self._append(name, account) for name, account in touched)
        try:
            await within.append(self._link, Unit(appends))
        except Conflict as conflict:
            raise StoreUnavailable(f"somebody else wrote into {conflict.stream}") from conflict

    async def _lock(self, names: list[str]) -> None:
        await self._link.execute(_KNOW, names)
        for account, *row in await self._link.fetch(_LOCK, names):
            self._books.accounts[account] = Account(*row)
        # Read after the lock: what the last holder of it appended is visible only now.
        streams = {account_stream(name): name for name in names}
        self._heads |= dict.fromkeys(names, (0, b""))
        for stream, head, head_hash in await self._link.fetch(_HEADS, list(streams)):
            self._heads[streams[stream]] = head, head_hash

    def _append(self, name: str, account: Account) -> Append:
        stream, (head, head_hash) = account_stream(name), self._heads[name]
        entries = [
            Entry(*topics.encode(fact), account.at, BY, command, "")
            for command, fact in self._facts[name]
        ]
        rows, hashes = extend(stream, head, head_hash, entries, topics.check)
        index = IndexRow(stream, "account", 0, "", "open", head + len(rows), hashes[-1], None)
        return Append(stream, head, rows, index)


def _row(account: Account) -> tuple[int, int, int]:
    return account.balance, account.topped_up, account.at


def _hold_row(hold: Hold) -> tuple[int, tuple[str, ...], str, tuple[str, ...]]:
    return hold.stake, hold.players, hold.state, hold.short
