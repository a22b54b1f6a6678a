"""Partitions and projections in memory, as `services.kit.store.leases` and `.projection`."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from copy import deepcopy
from typing import Any, Self

from services.kit.store.leases import BEAT_S, STALE_S, VALID_S, Gain, Loss
from services.kit.store.model import Lease, StoreUnavailable
from tests.world.processes import Life
from tests.world.store import Port, StoreServer

Replica = tuple[int, int]
"""A session of a replica: the first key of its group, and its number."""


class Sessions:
    """Who holds which partition by a lock that ends with its session."""

    def __init__(self, server: StoreServer) -> None:
        self.server = server
        self.seen_s: dict[Replica, float] = {}
        self.holders: dict[int, Replica] = {}
        self.alive_ms: dict[int, int] = {}
        self._numbers = 0

    def begin(self, group: int) -> Replica:
        """Begin the session of a replica."""
        self._numbers += 1
        replica = (group, self._numbers)
        self.seen_s[replica] = self.server.world.loop.time()
        return replica

    def end(self, replica: Replica) -> None:
        """End a session; its partitions are free."""
        self.seen_s.pop(replica, None)
        self.holders = {key: who for key, who in self.holders.items() if who != replica}

    def take(self, key: int, replica: Replica) -> tuple[Lease, int | None]:
        """Give a free partition to a replica under the next epoch; former sign of life in ms."""
        world = self.server.world
        former, now_ms = self.alive_ms.get(key), world.loop.now_ms()
        epoch = self.server.epochs[key] = self.server.epochs.get(key, 0) + 1
        if former is not None:
            self.server.gaps.setdefault(key, []).append((former, now_ms))
        self.holders[key], self.alive_ms[key] = replica, now_ms
        world.trace("lease", f"{key} epoch {epoch} to {replica}")
        return Lease(key, epoch), former


class WorldLeases(Port):
    """What `services.kit.store.leases.Leases` promises; dies with `life`."""

    def __init__(
        self,
        sessions: Sessions,
        on_gain: Gain,
        on_loss: Loss,
        *,
        keys: Sequence[int] = range(32),
        life: Life | None = None,
    ) -> None:
        super().__init__(sessions.server, life)
        self._sessions = sessions
        self._on_gain = on_gain
        self._on_loss = on_loss
        self._keys = list(keys)
        self._held: dict[int, Lease] = {}
        self._leaving: dict[int, asyncio.Task[None]] = {}
        self._replica: Replica | None = None
        self._valid_until = 0.0
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        if life is not None:
            life.endings.append(self._end_session)

    async def __aenter__(self) -> Self:
        """Begin to take leases."""
        self._task = asyncio.create_task(self._keep())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Hand everything over and end when the last on_loss has returned."""
        self._step()
        assert self._task is not None
        self._closing = True
        await self._task

    def valid(self, partition: int) -> Lease | None:
        """Return the lease of a partition if this process may rely on it at this moment."""
        return self._held.get(partition) if self._now() < self._valid_until else None

    def owned(self) -> list[int]:
        """Return the partitions with a valid lease."""
        return sorted(self._held) if self._now() < self._valid_until else []

    async def watch(self) -> None:
        """Return when the leases are closed; raises the bug, of on_gain say, that ended them."""
        assert self._task is not None
        await asyncio.shield(self._task)

    def _now(self) -> float:
        return self.server.world.loop.time()

    async def _keep(self) -> None:
        try:
            while not self._closing or self._held or self._leaving:
                begun = self._now()
                try:
                    await self._read()
                    self._beat(begun)
                except StoreUnavailable:  # the connection is given up, and the locks with it
                    self._lose_all()
                await asyncio.sleep(BEAT_S / 4)
        finally:
            self._lose_all()

    def _beat(self, begun: float) -> None:
        sessions, now = self._sessions, self._now()
        if self._replica not in sessions.seen_s:  # ended by another, or by the database
            self._lose_all()
            self._replica = sessions.begin(self._keys[0])
        assert self._replica is not None
        sessions.seen_s[self._replica] = now
        self._valid_until = begun + VALID_S
        for key in self._held:
            sessions.alive_ms[key] = self.server.world.loop.now_ms()
        for other, seen in list(sessions.seen_s.items()):
            if other[0] == self._keys[0] and now - seen > STALE_S:
                sessions.end(other)
        replicas = sum(1 for other in sessions.seen_s if other[0] == self._keys[0])
        share = 0 if self._closing else math.ceil(len(self._keys) / replicas)
        for key in self._keys:
            if key in sessions.holders or key in self._leaving or len(self._held) >= share:
                continue
            lease, alive_ms = sessions.take(key, self._replica)
            self._held[key] = lease
            self._on_gain(key, lease, alive_ms)
        for key in list(self._held)[share:]:
            self._leave(key)

    def _lose_all(self) -> None:
        self._valid_until = 0.0
        self._end_session()
        for key in list(self._held):
            self._leave(key)

    def _leave(self, key: int) -> None:
        del self._held[key]
        self._leaving[key] = asyncio.create_task(self._left(key))

    async def _left(self, key: int) -> None:
        try:
            await self._on_loss(key)
        finally:
            del self._leaving[key]
            alive = self.life is None or self.life.alive
            if alive and self._sessions.holders.get(key) == self._replica:
                del self._sessions.holders[key]
                self._sessions.alive_ms[key] = self.server.world.loop.now_ms()

    def _end_session(self) -> None:
        if self._replica is not None:
            self._sessions.end(self._replica)


Change = Callable[[dict[str, Any]], Awaitable[None]]


class WorldProjection(Port):
    """What `services.kit.store.projection.Projection` promises, over views that are a dict.

    `apply` gets a copy of `views` that takes its place with the commit.
    """

    def __init__(self, server: StoreServer, name: str, life: Life | None = None) -> None:
        super().__init__(server, life)
        self._name = name

    async def checkpoint(self) -> tuple[int, int]:
        """Return (epoch of the feed, position) of the last batch applied; (0, 0) at first."""
        await self._read()
        return self.server.checkpoints.get(self._name, (0, 0))

    async def advance(self, after: int, position: int, apply: Change) -> bool:
        """Apply a batch of everything in (after, position] and move the checkpoint there."""
        if position <= after:
            raise ValueError(f"a batch that ends at {position} does not follow {after}")
        await self._read()
        epoch, found = self.server.checkpoints.get(self._name, (0, 0))
        if found != after:
            return False
        await self._commit((epoch, position), apply)
        return True

    async def restart(self, epoch: int, clear: Change) -> None:
        """Clear the views and go back to position 0, under an epoch of the feed."""
        await self._read()
        await self._commit((epoch, 0), clear)

    async def _commit(self, checkpoint: tuple[int, int], change: Change) -> None:
        before = self.server.checkpoints.get(self._name)
        views = deepcopy(self.server.views.get(self._name, {}))
        await change(views)
        self._step()
        faults, rng = self.server.world.faults.store, self.server.rng
        lost = self.server.down or rng.random() < faults.unavailable
        if lost or self.server.checkpoints.get(self._name) != before:
            raise StoreUnavailable("the transaction was rolled back")
        self.server.checkpoints[self._name] = checkpoint
        self.server.views[self._name] = views
        self.server.world.trace("view", f"{self._name} {checkpoint}")
        if rng.random() < faults.unknown_stored:
            raise StoreUnavailable("the answer to the commit was lost")
        self._step()
