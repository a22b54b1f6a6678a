"""The ledger service: leaderboards and Taler.

It answers `leaderboard.<player>.<game>`, `account.<player>` and `ledger.hold`, and settles finished tables.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Final

import msgspec

from contracts import subjects
from contracts.account import Account, AccountQuery
from contracts.leaderboard import Leaderboard, LeaderboardQuery
from contracts.stakes import HoldAnswer, HoldRequest
from domain.games import game_of
from services.kit import nats_bus
from services.kit.answering import Answering, question
from services.kit.bus import Bus, Message
from services.kit.clock import now_ms
from services.kit.follow import Follower
from services.kit.settings import Settings
from services.kit.skeleton import Stop
from services.kit.store.database import Database
from services.kit.store.news import News
from services.ledger.bank import Bank
from services.ledger.leaderboard import LeaderboardModel, board
from services.ledger.stakes import StakesModel
from services.ledger.taler import Taler

NAME: Final = "ledger"
_leaderboard_query = msgspec.json.Decoder(LeaderboardQuery)
_account_query = msgspec.json.Decoder(AccountQuery)
_hold_request = msgspec.json.Decoder(HoldRequest)


class LedgerService:
    """Follows the log and answers on a bus; any number of them may run."""

    def __init__(
        self,
        bus: Bus,
        database: Database,
        boards_news: News,
        stakes_news: News,
        taler: Taler | None = None,
    ) -> None:
        """Serve on this bus what the log in this database says; boards and stakes follow it."""
        self._boards = Follower(database, boards_news, LeaderboardModel(), bus)
        self._stakes = Follower(database, stakes_news, StakesModel(), bus)
        self._bank = Bank(database, taler or Taler())
        self._database = database
        self._asked = Answering(bus, subjects.LEADERBOARD, NAME, self._leaderboard)
        self._counter = (
            Answering(bus, subjects.ACCOUNTS, NAME, self._account),
            Answering(bus, subjects.HOLD, NAME, self._hold),
        )

    async def serve(self, stop: asyncio.Event) -> None:
        """Serve until `stop` is set; questions are answered only once the log is caught up with."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._boards.serve(stop, self._asked))
            group.create_task(self._stakes.serve(stop, *self._counter))

    async def _leaderboard(self, message: Message) -> Leaderboard:
        game = game_of(message.subject.split(".")[2])
        query: LeaderboardQuery = question(_leaderboard_query, message.data)
        async with self._database.connection() as link:
            return await board(link, game.name, query, now_ms())

    async def _account(self, message: Message) -> Account:
        query: AccountQuery = question(_account_query, message.data)
        return await self._bank.account(message.subject.partition(".")[2], query.limit)

    async def _hold(self, message: Message) -> HoldAnswer:
        return await self._bank.hold(question(_hold_request, message.data))


async def main(settings: Settings, stop: Stop) -> None:
    """Serve on the configured clusters until `stop` is set."""
    async with AsyncExitStack() as stack:
        bus = await nats_bus.connect(
            settings.nats_url,
            name=NAME,
            inbox=subjects.inbox(NAME),
            on_closed=lambda: stop.fail("the bus connection was closed"),
            **settings.login(NAME),
        )
        stack.push_async_callback(bus.close)
        database = await stack.enter_async_context(Database(settings.database_url, name=NAME))
        boards = await stack.enter_async_context(News(settings.database_url))
        stakes = await stack.enter_async_context(News(settings.database_url))
        await LedgerService(bus, database, boards, stakes, Taler.load()).serve(stop)
