"""Settles what was held: follows the tables' facts and books what the rules say of them.

Place in the log, accounts, holds and facts are one transaction: each of a table's facts is settled
once, whatever is repeated or killed. What was settled once finds its hold closed.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from domain.account import booking
from domain.account.booking import Overdrawn
from domain.account.events import HOUSE, HoldBarred, pot_of
from domain.account.recount import Hold
from domain.account.settlement import settle
from domain.table.events import (
    GameFinished,
    StakesDenied,
    StartCancelled,
    TableCancelled,
    TableVoided,
)
from services.kit.follow import Contradiction, Link, LogFact, Telling
from services.kit.store import within
from services.ledger.bank import held
from services.ledger.page import Page

_STAKED = """
SELECT DISTINCT table_id FROM ledger_holds WHERE state = 'held' AND table_id = ANY ($1)
"""
log = structlog.get_logger(__name__)


class StakesModel:
    """Gives stakes back, pays pots out, and bars holds that come too late."""

    name = "stakes"
    facts: tuple[type, ...] = (
        StartCancelled,
        StakesDenied,
        GameFinished,
        TableCancelled,
        TableVoided,
    )
    tables = ()  # accounts and holds follow from the ledger's own facts: `recounting`

    async def apply(self, link: Link, facts: Sequence[LogFact]) -> Sequence[Telling]:
        """Book what follows from the facts; there is nobody to tell."""
        facts = await _relevant(link, facts)
        if facts:
            await within.prepare(link)
            page = Page(link)
            tables = sorted({fact.table for fact in facts})
            await page.lock_tables(tables, [pot_of(table) for table in tables])
            await _lock_accounts(page, facts)
            for fact in facts:
                try:
                    _follow(page, fact)
                except Overdrawn as error:
                    why = f"{error} holds less than was put into it (table {fact.table})"
                    raise Contradiction(why) from None
            await page.store()
        return ()


async def _relevant(link: Link, facts: Sequence[LogFact]) -> list[LogFact]:
    """Leave out the ends of tables where nothing is held; a hold comes before them for certain."""
    ends = {fact.table for fact in facts if _is_end(fact)}
    staked = {table for (table,) in await link.fetch(_STAKED, list(ends))} if ends else set()
    return [fact for fact in facts if not _is_end(fact) or fact.table in staked]


def _is_end(fact: LogFact) -> bool:
    return isinstance(fact.fact, GameFinished | TableCancelled | TableVoided)


async def _lock_accounts(page: Page, facts: Sequence[LogFact]) -> None:
    players = {
        player
        for table in {fact.table for fact in facts}
        for hold in page.holds(table).values()
        if hold.state == "held"
        for player in hold.players
    }
    forfeits = any(
        isinstance(fact.fact, GameFinished) and not settle(fact.fact).payouts for fact in facts
    )
    await page.lock({*players, HOUSE} if forfeits else players)


def _follow(page: Page, fact: LogFact) -> None:
    """Book what one fact brings, by what has become of the table's holds so far."""
    table, cause, holds = fact.table, fact.version, page.holds(fact.table)
    open_ones = {nr: hold for nr, hold in holds.items() if hold.state == "held"}
    match fact.fact:
        case StartCancelled(attempt) | StakesDenied(attempt) if attempt in open_ones:
            page.book(booking.release(held(table, attempt, open_ones[attempt]), cause))
        case StartCancelled(attempt) | StakesDenied(attempt) if attempt not in holds:
            page.note_hold(pot_of(table), table, attempt, HoldBarred(table, attempt, cause))
        case GameFinished() as finished:
            for attempt, hold in open_ones.items():
                _settle(page, fact, attempt, hold, finished)
        case TableCancelled() | TableVoided():
            for attempt, hold in open_ones.items():
                page.book(booking.release(held(table, attempt, hold), cause))


def _settle(page: Page, fact: LogFact, attempt: int, hold: Hold, finished: GameFinished) -> None:
    people = {each.player for each in finished.seats if each.kind == "person"}
    if finished.stake != hold.stake or people != set(hold.players):
        # Nobody's Taler are moved on a doubt: the pot stays, and `ledger check` names it.
        log.error("stakes_differ", table=fact.table, version=fact.version, attempt=attempt)
        return
    transaction = held(fact.table, attempt, hold)
    page.book(booking.payout(transaction, settle(finished), fact.version))
