"""Accounts and holds computed anew from the facts, beside the living rows, and put in their place.

Decisions are not decided again: the facts of accounts are added up.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from contracts import topics
from contracts.subjects import account_stream
from domain.account.recount import Account, Hold, Recount
from services.kit.follow import Link
from services.kit.store.chain import Undecodable, decode
from services.kit.store.database import TROUBLE, connect, unavailable
from services.kit.store.model import StoredEvent

_AT_ONCE: Final = 5_000
_STREAM: Final = account_stream("")
# In the order of the log, so that going on after a position misses nothing.
_FACTS = """
SELECT e.originator_id, e.originator_version, e.topic, e.state, e.notification_id
FROM log_index AS i JOIN stored_events AS e ON e.originator_id = i.stream
WHERE i.kind = 'account' AND e.notification_id > $1 ORDER BY e.notification_id
"""
_ACCOUNTS = "SELECT account, balance, topped_up, at_ms FROM ledger_accounts"
_HOLDS = "SELECT table_id, attempt, stake, players, state, short FROM ledger_holds"
_LOCK = "LOCK TABLE ledger_accounts, ledger_holds IN EXCLUSIVE MODE"


class Difference(NamedTuple):
    """A row that is not what the facts add up to; None where there is no such row."""

    what: str
    living: tuple[object, ...] | None
    computed: tuple[object, ...] | None


class Recounted(NamedTuple):
    """What the facts say, and where the living rows say something else."""

    books: Recount
    differences: list[Difference]


async def recount(database_url: str, *, swap: bool) -> Recounted:
    """Add up all facts of accounts; with `swap` the living rows become what they say.

    Services may run meanwhile: bookings wait for the last facts and the swap, and a mere look at
    both disturbs nobody. Raises StoreUnavailable and Undecodable; then nothing has changed.
    """
    link = await connect(database_url, "recount")
    books = Recount()
    try:
        if swap:
            async with link.transaction():
                position = await _add_up(link, books, 0)
            async with link.transaction():
                await link.execute(_LOCK)
                await _add_up(link, books, position)
                differences = await _compare(link, books)
                await _swap(link, books)
        else:
            async with link.transaction(isolation="repeatable_read", readonly=True):
                await _add_up(link, books, 0)
                differences = await _compare(link, books)
    except TROUBLE as error:
        raise unavailable(error) from error
    finally:
        link.terminate()
    return Recounted(books, differences)


async def _add_up(link: Link, books: Recount, after: int) -> int:
    async for row in link.cursor(_FACTS, after, prefetch=_AT_ONCE):
        event = StoredEvent(*row[:4])
        stored = decode(event)
        try:
            fact = topics.decode(event.topic, stored.data)
        except (msgspec.MsgspecError, topics.UnknownTopicError) as error:
            raise Undecodable(*event[:3], type(error).__name__) from None
        name = event.originator_id.removeprefix(_STREAM)
        books.apply(name, event.originator_version, stored.at, fact)
        after = row[4]
    return after


async def _compare(link: Link, books: Recount) -> list[Difference]:
    living = {f"account {row[0]}": tuple(row)[1:] for row in await link.fetch(_ACCOUNTS)}
    living |= {
        f"hold {table} {attempt}": _hold(Hold(stake, tuple(players), state, tuple(short)))
        for table, attempt, stake, players, state, short in await link.fetch(_HOLDS)
    }
    computed: dict[str, tuple[object, ...]] = {
        f"account {name}": _account(account) for name, account in books.accounts.items()
    }
    computed |= {
        f"hold {table} {attempt}": _hold(hold) for (table, attempt), hold in books.holds.items()
    }
    return [
        Difference(what, living.get(what), computed.get(what))
        for what in sorted(living.keys() | computed.keys())
        if living.get(what) != computed.get(what)
    ]


async def _swap(link: Link, books: Recount) -> None:
    await link.execute("DELETE FROM ledger_accounts")
    await link.execute("DELETE FROM ledger_holds")
    await link.copy_records_to_table(
        "ledger_accounts",
        records=[(name, *_account(account)) for name, account in books.accounts.items()],
        columns=("account", "balance", "topped_up", "at_ms"),
    )
    await link.copy_records_to_table(
        "ledger_holds",
        records=[(*key, *_hold(hold)) for key, hold in books.holds.items()],
        columns=("table_id", "attempt", "stake", "players", "state", "short"),
    )


def _account(account: Account) -> tuple[int, int, int]:
    return account.balance, account.topped_up, account.at


def _hold(hold: Hold) -> tuple[object, ...]:
    return hold.stake, hold.players, hold.state, hold.short
