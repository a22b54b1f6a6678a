"""What goes wrong besides single messages: crashes, halts and outages, in random order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

from tests.sim.services import Services
from tests.world.world import World

Trouble = Callable[[], Awaitable[None]]
MAKERS = 2
"""Troubles of different makers overlap."""
BETWEEN_S = 5.0
ENDED_S = 5.0
"""After so long everything that was stopped or crashed runs again."""


class Troubles:
    """Makes trouble of a few kinds at a time, which ones is drawn for the run."""

    def __init__(self, world: World, services: Services) -> None:
        self._world = world
        self._services = services
        self._rng: Random = world.rng("troubles")
        kinds: tuple[Trouble, ...] = (
            self._crash,
            self._crash_soon,
            self._freeze,
            self._freeze_owners,
            self._stop,
            self._no_store,
            self._no_bus,
            self._no_feed,
            self._lose_feed,
            self._lose_sessions,
            self._cut,
        )
        wanted = self._rng.randrange(1, len(kinds) + 1)
        self._kinds = self._rng.sample(kinds, wanted)

    async def make(self, seconds: float) -> None:
        """Make trouble for so long; then everything that was halted goes on."""
        until = asyncio.get_running_loop().time() + seconds
        await asyncio.gather(*(self._make(until) for _ in range(MAKERS)))

    async def _make(self, until: float) -> None:
        while asyncio.get_running_loop().time() < until:
            await asyncio.sleep(self._rng.expovariate(1 / BETWEEN_S))
            await self._rng.choice(self._kinds)()

    def _name(self) -> str:
        return self._rng.choice(list(self._services.processes))

    async def _crash(self) -> None:
        self._services.processes[self._name()].crash()

    async def _crash_soon(self) -> None:
        process = self._services.processes[self._name()]
        if process.alive:
            process.crash_after(self._rng.randrange(1, 500))

    async def _freeze(self) -> None:
        life = self._services.processes[self._name()].life
        if life is not None:
            life.freeze()
            await asyncio.sleep(self._rng.uniform(0.2, 20.0))
            life.thaw()

    async def _freeze_owners(self) -> None:
        """Halt all owners at once, as when the machine is paused: nobody takes anything over."""
        lives = [each.life for each in self._services.tables if each.life is not None]
        for life in lives:
            life.freeze()
        await asyncio.sleep(self._rng.uniform(0.2, 20.0))
        for life in lives:
            life.thaw()

    async def _stop(self) -> None:
        self._services.ask_to_stop(self._services.processes[self._name()])

    async def _no_store(self) -> None:
        self._world.store.down = True
        await asyncio.sleep(self._rng.uniform(0.2, 8.0))
        self._world.store.down = False

    async def _no_bus(self) -> None:
        self._world.net.down = True
        await asyncio.sleep(self._rng.uniform(0.2, 8.0))
        self._world.net.down = False

    async def _no_feed(self) -> None:
        self._world.feed.down = True
        await asyncio.sleep(self._rng.uniform(0.2, 8.0))
        self._world.feed.down = False

    async def _lose_feed(self) -> None:
        if self._rng.random() < 0.2:
            self._world.feed.delete()
        else:
            self._world.feed.lose_tail(self._rng.randrange(1, 100))

    async def _lose_sessions(self) -> None:
        """Let the database end a session, and with it a replica's locks."""
        sessions = self._world.sessions
        if sessions.seen_s:
            sessions.end(self._rng.choice(list(sessions.seen_s)))

    async def _cut(self) -> None:
        bus = self._services.buses.get(self._name())
        if bus is not None:
            bus.cut = True
            await asyncio.sleep(self._rng.uniform(0.2, 15.0))
            bus.cut = False
