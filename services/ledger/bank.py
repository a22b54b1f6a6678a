"""Opens accounts, tops them up, and holds stakes: each decision in one transaction of the database.

Any number of ledgers may do this at once: whoever holds an account's row books on it (`Page`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import msgspec

from contracts import topics
from contracts.account import Account, Booking
from contracts.stakes import HoldAnswer, HoldRequest
from contracts.subjects import account_stream, is_player, is_registered
from domain.account import booking
from domain.account.events import HOUSE, Booked, HoldDenied, pot_of
from domain.account.recount import DAY_MS, Hold
from domain.refusals import Code, Refused
from services.kit.clock import now_ms
from services.kit.follow import Link
from services.kit.store import within
from services.kit.store.chain import decode
from services.kit.store.database import Database
from services.kit.store.model import StoredEvent
from services.ledger.page import Page
from services.ledger.taler import Taler

_STANDING = "SELECT balance, topped_up FROM ledger_accounts WHERE account = $1"
_HELD = """
SELECT p.player, sum(h.stake)::bigint FROM ledger_holds AS h, unnest(h.players) AS p (player)
WHERE h.state = 'held' AND h.players && $1::text[] AND p.player = ANY ($1) GROUP BY p.player
"""
_LATEST = """
SELECT originator_id, originator_version, topic, state FROM stored_events
WHERE originator_id = $1 ORDER BY originator_version DESC LIMIT $2
"""


class Bank:
    """The ledger's decisions about people's Taler."""

    def __init__(self, database: Database, taler: Taler) -> None:
        """Keep accounts in this database."""
        self._database = database
        self._taler = taler

    async def hold(self, request: HoldRequest) -> HoldAnswer:
        """Hold the stake of every player, or of none when one of them has too few Taler.

        The same attempt has the same answer for ever. Raises Refused and StoreUnavailable.
        """
        if not all(map(is_player, request.players)):
            raise Refused(Code.MALFORMED, "`players` are no tokens of players.")
        if len(set(request.players)) < len(request.players):
            raise Refused(Code.MALFORMED, "A player stands twice among `players`.")
        async with self._page() as page:
            return await self._decide(page, request)

    async def account(self, player: str, limit: int) -> Account:
        """Give a player's account, which is opened and topped up by asking; raises Refused."""
        if not is_player(player) or not is_registered(player):
            raise Refused(Code.GUEST_NO_STAKE, "Guests play without stake and have no account.")
        async with self._database.connection() as link:
            row = await link.fetchrow(_STANDING, player)
            if row is None or self._is_due(row[0], row[1], now_ms()):
                async with link.transaction():
                    page = await _begin(link)
                    await self._serve(page, link, [player])
                    await page.store()
            return await _account(link, player, limit)

    @asynccontextmanager
    async def _page(self) -> AsyncIterator[tuple[Page, Link]]:
        async with self._database.connection() as link, link.transaction():
            page = await _begin(link)
            yield page, link
            await page.store()

    async def _decide(self, opened: tuple[Page, Link], request: HoldRequest) -> HoldAnswer:
        page, link = opened
        table, attempt, stake, players = msgspec.structs.astuple(request)
        pot = pot_of(table)
        await page.lock_tables([table], [pot])
        holds = page.holds(table)
        known = holds.get(attempt)
        if known is not None:
            return HoldAnswer(table, attempt, known.state == "held", known.short)
        if holds and attempt < max(holds):
            return HoldAnswer(table, attempt, held=False)  # the table has gone on long since
        # The table asks anew only after it has called off what it asked before.
        older = {nr: hold for nr, hold in holds.items() if hold.state == "held"}
        registered = [player for player in players if is_registered(player)]
        await page.lock(
            {*registered, *(player for hold in older.values() for player in hold.players)}
        )
        for nr, hold in older.items():
            page.book(booking.release(held(table, nr, hold), 0))
        await self._serve(page, link, registered)
        short = tuple(
            player for player in players if player not in registered or page.balance(player) < stake
        )
        if short:
            denied = HoldDenied(table, attempt, stake, players, short)
            page.note_hold(pot, table, attempt, denied)
        else:
            page.book(booking.hold(table, attempt, stake, players))
        return HoldAnswer(table, attempt, not short, short)

    async def _serve(self, page: Page, link: Link, players: Iterable[str]) -> None:
        """Open the accounts that are new, and top up those that are due."""
        players = list(players)
        await page.lock(players)
        new = [player for player in players if not page.is_open(player)]
        few = [
            player
            for player in players
            if self._is_due(page.balance(player), page.topped_up(player), page.now)
        ]
        if not new and not few:
            return
        await page.lock([HOUSE])
        for player in new:
            page.book(booking.opening(player, self._taler.start))
        in_pots = await _in_pots(link, few)
        for player in few:
            missing = self._taler.top_up - page.balance(player) - in_pots.get(player, 0)
            if missing > 0:
                page.book(booking.top_up(player, missing, _date(page.now)))

    def _is_due(self, balance: int, topped_up: int, now: int) -> bool:
        return balance < self._taler.top_up and topped_up < now // DAY_MS


def held(table: str, attempt: int, hold: Hold) -> booking.Transaction:
    """Give the transaction with which the stakes were held."""
    return booking.hold(table, attempt, hold.stake, hold.players)


async def _begin(link: Link) -> Page:
    await within.prepare(link)
    return Page(link)


async def _in_pots(link: Link, players: list[str]) -> dict[str, int]:
    """Give how many Taler of each player are held; who has none in a pot is missing."""
    return {row[0]: row[1] for row in await link.fetch(_HELD, players)}


async def _account(link: Link, player: str, limit: int) -> Account:
    balance = await link.fetchval(_STANDING, player)
    in_pots = await _in_pots(link, [player])
    rows = await link.fetch(_LATEST, account_stream(player), limit)
    bookings = tuple(_booking(StoredEvent(*row)) for row in rows)
    return Account(player, balance, in_pots.get(player, 0), bookings)


def _booking(event: StoredEvent) -> Booking:
    stored = decode(event)
    fact: Booked = topics.decode(event.topic, stored.data)
    number = event.originator_version
    return Booking(number, stored.at, fact.kind, fact.amount, fact.balance, fact.table)


def _date(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).date().isoformat()
