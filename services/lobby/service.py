"""The lobby service: lists open tables on `lobby.<player>.list` and tells of changes on `lobby.change`.

It also serves the chat at tables.

Opening, joining, starting and leaving are commands to the table itself, so a list that lags harms
nobody.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Final

import msgspec

from contracts import subjects
from contracts.lobby import LobbyQuery, OpenTables
from domain.games import game_of
from services.kit import nats_bus
from services.kit.answering import Answering, question
from services.kit.bus import Bus, Message
from services.kit.follow import Follower
from services.kit.settings import Settings
from services.kit.skeleton import Stop
from services.kit.store.database import Database
from services.kit.store.news import News
from services.lobby.chat.lines import Lines
from services.lobby.chat.service import ChatService
from services.lobby.tables import LobbyModel, open_tables

NAME: Final = "lobby"
_query = msgspec.json.Decoder(LobbyQuery)


class LobbyService:
    """Follows the log and answers on a bus; any number of them may run."""

    def __init__(self, bus: Bus, database: Database, news: News, chat: ChatService) -> None:
        """Serve on this bus what the log in this database says, and the chat beside it."""
        self.follower = Follower(database, news, LobbyModel(), bus)
        self._database = database
        self._chat = chat
        self._answering = Answering(bus, subjects.LOBBY_LIST, NAME, self._answer)

    async def serve(self, stop: asyncio.Event) -> None:
        """Serve until `stop` is set; questions are answered only once the log is caught up with."""
        await self.follower.serve(stop, self._answering, self._chat.answering)

    async def _answer(self, message: Message) -> OpenTables:
        query: LobbyQuery = question(_query, message.data)
        game = None if query.game is None else game_of(query.game).name
        async with self._database.connection() as link:
            return await open_tables(link, game, query.limit)


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
        news = await stack.enter_async_context(News(settings.database_url))
        chat = ChatService(bus, database, Lines(bus))
        await chat.tidy()
        await LobbyService(bus, database, news, chat).serve(stop)
