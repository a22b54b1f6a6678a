"""The services in the world: composed as in the program, on ports of one life."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from contracts import subjects
from services.bot.service import BotService
from services.kit.bus import BusError
from services.kit.follow import LogFact
from services.kit.publish import seen_by_all
from services.kit.store import chain
from services.kit.store.leases import Gain, Loss
from services.kit.store.model import Notification, StoredEvent, StoreUnavailable
from services.ledger.entries import BoardEntry, entries_of
from services.lobby.tables import LobbyModel, after
from services.table import service
from tests.world.bus import WorldBus
from tests.world.leases import WorldLeases
from tests.world.processes import Life, Process
from tests.world.store import WorldReader, WorldRecorder
from tests.world.world import World

Views = dict[str, Any]
Main = Callable[[Life, asyncio.Event], Awaitable[None]]
BATCH_MAX = 40
"""Facts that a read model applies at once; little, so that it is often in the midst of it."""


class Services:
    """All service processes of a world, and how to stop one in order."""

    def __init__(self, world: World) -> None:
        self.buses: dict[str, WorldBus] = {}
        self._world = world
        self._stops: dict[str, asyncio.Event] = {}
        rng = world.rng("restart")
        mains: dict[str, Main] = {
            "table-a": self._table,
            "table-b": self._table,
            "bot-a": self._bot,
            "bot-b": self._bot,
            "ledger": partial(self._follow, apply=_enter),
            "lobby": partial(self._follow, apply=_list),
        }
        self.processes = {
            name: world.process(name, partial(self._live, main=main), rng.uniform(0.5, 3.0))
            for name, main in mains.items()
        }
        self.tables = [self.processes["table-a"], self.processes["table-b"]]

    def start(self) -> None:
        """Start every process."""
        for process in self.processes.values():
            process.start()

    def ask_to_stop(self, process: Process) -> None:
        """Send SIGTERM: it finishes what it has begun and returns."""
        if process.alive:
            self._stops[process.name].set()

    async def _live(self, life: Life, main: Main) -> None:
        stop = self._stops[life.name] = asyncio.Event()
        # With BusError the process ends, and its supervisor starts it anew.
        with suppress(BusError):
            await main(life, stop)

    async def _table(self, life: Life, stop: asyncio.Event) -> None:
        world = self._world
        bus = world.net.client(life.name, subjects.inbox("table"), life)
        self.buses[life.name] = bus
        recorder, reader = world.store.recorder(life), world.store.reader(life)

        def keeper(on_gain: Gain, on_loss: Loss, keys: Sequence[int]) -> WorldLeases:
            return world.leases(on_gain, on_loss, keys=keys, life=life)

        feed = world.feed.writer(life.name, life)
        async with recorder, world.store.news(life) as news:
            store = _Store(recorder, reader)
            await service.serve(service.World(bus, store, reader, feed, news, keeper), stop)

    async def _bot(self, life: Life, stop: asyncio.Event) -> None:
        bus = self._world.net.client(life.name, subjects.inbox(subjects.BOT), life)
        self.buses[life.name] = bus
        await BotService(bus).serve(stop)

    async def _follow(
        self, life: Life, stop: asyncio.Event, apply: Callable[[Views, LogFact], None]
    ) -> None:
        """Follow the log as a read model does; its SQL is tried elsewhere."""
        world = self._world
        reader = world.store.reader(life)
        projection = world.projection(life.name, life)
        async with world.store.news(life) as news:
            while not stop.is_set():
                try:
                    _, position = await projection.checkpoint()
                    rows = await reader.notifications(position, BATCH_MAX)
                    if not rows:
                        await news.wait()
                        continue
                    facts = [log_fact(row) for row in rows]
                    await projection.advance(position, rows[-1].id, partial(_all, facts, apply))
                except StoreUnavailable:
                    await asyncio.sleep(1.0)


class _Store(service.Store):
    """As the service's own, on ports of the world."""

    def __init__(self, recorder: WorldRecorder, reader: WorldReader) -> None:
        self.submit = recorder.submit
        self.stream = reader.stream


async def _all(
    facts: Sequence[LogFact], apply: Callable[[Views, LogFact], None], views: Views
) -> None:
    for fact in facts:
        apply(views, fact)


def log_fact(row: Notification) -> LogFact:
    """Give a row in its public form, for read models; only Speeddive is played here."""
    position, stream, version, topic, _ = row
    stored = chain.decode(StoredEvent(*row[1:]))
    fact = seen_by_all("speeddive", topic, stored.data)
    table = stream.removeprefix(subjects.stream_of(""))
    return LogFact(position, table, version, stored.at, "speeddive", fact)


def enter(views: Views, entries: Sequence[BoardEntry]) -> None:
    """Keep the first entry of a player for a table."""
    for entry in entries:
        views.setdefault(f"{entry.table} {entry.player}", entry)


def _enter(views: Views, fact: LogFact) -> None:
    enter(views, entries_of(fact))


def _list(views: Views, fact: LogFact) -> None:
    if not isinstance(fact.fact, LobbyModel.facts):
        return
    table = after(views.get(fact.table), fact)
    views.pop(fact.table, None)
    if table is not None:
        views[fact.table] = table
