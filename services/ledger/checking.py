"""Whether accounts, pots and leaderboards are what the log says, and the log what the rules say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from contracts import topics
from contracts.subjects import stream_of
from domain.account.booking import payout
from domain.account.events import Booked
from domain.account.recount import Recount
from domain.account.settlement import settle
from domain.table.events import GameFinished
from services.kit.follow import Link
from services.kit.rebuild import Outcome, rebuild
from services.kit.store.chain import Undecodable, decode
from services.kit.store.database import Database
from services.kit.store.model import StoredEvent
from services.ledger.bank import held
from services.ledger.leaderboard import LeaderboardModel, canonical
from services.ledger.recounting import Recounted, recount

_AT_ONCE: Final = 1_000
# A pot that the ledger has not come to yet is no finding.
_FULL = """
SELECT a.account, a.balance, i.status FROM ledger_accounts AS a
JOIN log_index AS i ON a.account = 'pot-' || substr(i.stream, 7)
JOIN stored_events AS e ON e.originator_id = i.stream AND e.originator_version = i.head
WHERE a.balance <> 0 AND i.kind = 'table' AND i.status IN ('finished', 'cancelled')
AND e.notification_id <= (SELECT position FROM projections WHERE name = 'stakes')
ORDER BY a.account
"""
_RESULTS = """
SELECT e.originator_id, e.originator_version, e.topic, e.state
FROM unnest($1::text[], $2::bigint[]) AS r (stream, version)
JOIN stored_events AS e ON e.originator_id = r.stream AND e.originator_version = r.version
"""


class Check(NamedTuple):
    """What was looked at; `of_taler` are the findings about accounts and pots, as sentences."""

    boards: Outcome
    recounted: Recounted
    of_taler: list[str]

    @property
    def findings(self) -> list[str]:
        """Every finding as a sentence."""
        wrong = [] if self.boards.equal else ["the leaderboards are not what the log gives"]
        return self.of_taler + wrong


async def check(database_url: str, *, swap: bool) -> Check:
    """Compare everything; with `swap` leaderboards, accounts and holds become what the log says."""
    recounted = await recount(database_url, swap=swap)
    boards = await rebuild(database_url, LeaderboardModel(), canonical, swap=swap)
    findings = list(_of_books(recounted))
    async with Database(database_url, name="check") as database, database.connection() as link:
        findings += [
            f"{pot} still holds {balance} Taler, but the table is {status}"
            for pot, balance, status in await link.fetch(_FULL)
        ]
        findings += await _of_settlements(link, recounted.books)
    return Check(boards, recounted, findings)


def _of_books(recounted: Recounted) -> Iterator[str]:
    books = recounted.books
    for account, (version, why) in sorted(books.wrong.items()):
        yield f"account {account}, fact {version}: {why}"
    for account, transaction in sorted(books.unfinished().items()):
        yield f"account {account} has no booking of {transaction}, which others have"
    if books.total:
        yield f"all accounts together hold {books.total} Taler, not 0"
    for what, living, computed in recounted.differences:
        yield f"{what} is {_shown(living)}, but the log says {_shown(computed)}"


def _shown(row: tuple[object, ...] | None) -> str:
    if row is None:
        return "missing"
    return "/".join(" ".join(cell) if isinstance(cell, tuple) else str(cell) for cell in row)


async def _of_settlements(link: Link, books: Recount) -> list[str]:
    """Settle every finished game again, and hold it against what was booked."""
    findings = []
    payouts = iter(sorted(books.payouts.items()))
    while part := dict(islice(payouts, _AT_ONCE)):
        streams = [stream_of(booked.table) for booked in part.values()]
        causes = [booked.cause for booked in part.values()]
        rows = [StoredEvent(*row) for row in await link.fetch(_RESULTS, streams, causes)]
        results = {row.originator_id: _result(row) for row in rows}
        findings += [
            f"{pot} was not paid out as the rules say"
            for pot, booked in part.items()
            if not _is_right(books, booked, results.get(stream_of(booked.table)))
        ]
    return findings


def _result(event: StoredEvent) -> object:
    try:
        return topics.decode(event.topic, decode(event).data)
    except (msgspec.MsgspecError, topics.UnknownTopicError) as error:
        raise Undecodable(*event[:3], type(error).__name__) from None


def _is_right(books: Recount, booked: Booked, result: object) -> bool:
    if not isinstance(result, GameFinished):
        return False
    table, attempt = booked.table, booked.attempt
    hold = books.holds[table, attempt]
    due = payout(held(table, attempt, hold), settle(result), booked.cause)
    return (due.name, due.kind, due.postings) == (booked.transaction, booked.kind, booked.postings)
