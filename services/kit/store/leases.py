"""Who owns which partition: session locks on one connection, heartbeats, and epochs as the fence.

A replica holds a presence lock and one lock per partition it owns, all on one connection outside
any pool, so they vanish together when the process or the connection dies. A process that stands
still keeps its connection; its heartbeats stop, and the others end its session. When it goes on,
its leases have expired by its own clock, and the epoch in every append refuses what slips through.
"""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self

import asyncpg

from services.kit.store import locks
from services.kit.store.database import TROUBLE, Connection, connect
from services.kit.store.model import Lease, StoreUnavailable

BEAT_S = 1.0
VALID_S = 3.0  # after the start of the last heartbeat that succeeded
STALE_S = 3.5  # by the database's clock; must be more than VALID_S
OUTBOX = 100  # a lease of its own beside the partitions 0..31

_SETTINGS = {
    "lock_timeout": "500ms",
    "statement_timeout": "2500ms",
    # A host that vanishes without a word loses its locks within a few seconds.
    "tcp_keepalives_idle": "1",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "4000",
}

_BEAT = """
WITH me AS (
    UPDATE replicas SET alive_at = clock_timestamp() WHERE replica = $1
)
UPDATE partitions SET alive_at = clock_timestamp()
WHERE partition = ANY ($2::integer[]) AND owner = $3
"""

# Locks of this database by class; a replica that has not said anything yet counts as alive.
_LOOK = """
SELECT l.classid::bigint, l.objid::bigint, l.pid,
    coalesce(extract(epoch FROM clock_timestamp() - r.alive_at), 0)::float8
FROM pg_locks AS l
LEFT JOIN replicas AS r ON l.classid = $1::bigint::oid AND r.replica = l.objid::bigint
WHERE l.locktype = 'advisory' AND l.granted
AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND l.classid = ANY (ARRAY[$1::bigint::oid, $2::bigint::oid])
"""


class _Sight(NamedTuple):
    """What one look at the locks showed."""

    replicas: int
    free: list[int]
    stale_pids: list[int]
    oldest_s: float


Gain = Callable[[int, Lease, int | None], None]
Loss = Callable[[int], Awaitable[None]]


class Leases:
    """This replica's fair share of a group of leased numbers, kept up by a task of its own.

    on_gain(partition, lease, alive_ms) is called when a lease begins; `alive_ms` is the last sign
    of life of the owner before (database clock), None when there was none. It must be quick.
    on_loss(partition) is awaited when a lease ends: at a hand-over before the lock is given up,
    otherwise as soon as the loss is seen. A partition is not taken again before that returns.
    """

    def __init__(
        self,
        database_url: str,
        owner: str,
        on_gain: Gain,
        on_loss: Loss,
        *,
        keys: Sequence[int] = range(32),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = database_url
        self._owner = f"{owner}/{secrets.token_hex(4)}"
        self._on_gain = on_gain
        self._on_loss = on_loss
        self._keys = list(keys)
        self._presence = locks.PRESENCE + self._keys[0]
        self._replica = 0
        # Not loop.time(): uvloop reads its clock once per round, and a process that was stopped
        # must see at its first look how late it is.
        self._clock = clock
        self._held: dict[int, Lease] = {}
        self._leaving: dict[int, asyncio.Task[None]] = {}
        self._left: list[int] = []  # locks to give up, on_loss has returned
        self._closing = False
        self._wake = asyncio.Event()
        self._valid_until = 0.0
        self._looked_at = 0.0
        self._connection: Connection | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin to take leases; the database need not be there yet."""
        self._task = asyncio.create_task(self._keep(), name="leases")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Hand everything over and end when the last on_loss has returned."""
        assert self._task is not None
        self._closing = True
        self._wake.set()
        await self._task

    def valid(self, partition: int) -> Lease | None:
        """Return the lease of a partition if this process may rely on it at this moment."""
        return self._held.get(partition) if self._clock() < self._valid_until else None

    def owned(self) -> list[int]:
        """Return the partitions with a valid lease."""
        return sorted(self._held) if self._clock() < self._valid_until else []

    async def watch(self) -> None:
        """Return when the leases are closed; raises the bug, of on_gain say, that ended them."""
        assert self._task is not None
        await asyncio.shield(self._task)

    async def _keep(self) -> None:
        try:
            while True:
                pause_s = BEAT_S / 4
                try:
                    async with asyncio.timeout(VALID_S - BEAT_S):
                        pause_s = await self._beat()
                except (StoreUnavailable, *TROUBLE):
                    self._lose_all()
                if self._closing and not self._held and not self._leaving:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause_s):
                        await self._wake.wait()
                self._wake.clear()
        finally:
            if self._connection is not None:
                with suppress(*TROUBLE):
                    await self._connection.close(timeout=1.0)
            self._lose_all()

    async def _beat(self) -> float:
        """Say that we live, and do what the others' signs of life call for; return the pause."""
        started = self._clock()
        connection = await self._connected()
        await self._give_up(connection)
        await connection.execute(_BEAT, self._replica, [*self._held, *self._leaving], self._owner)
        self._valid_until = started + VALID_S
        sight = self._see(await connection.fetch(_LOOK, self._presence, locks.PARTITION))
        # After a stall of the database everybody looks stale to the first who comes through: only
        # who has just looked may judge.
        judging = started - self._looked_at < 2 * BEAT_S
        self._looked_at = started
        if judging and sight.stale_pids:
            await connection.fetch(
                "SELECT pg_terminate_backend(pid, 1000) FROM unnest($1::integer[]) AS pid",
                sight.stale_pids,
            )
            sight = self._see(await connection.fetch(_LOOK, self._presence, locks.PARTITION))
        share = 0 if self._closing else -(-len(self._keys) // max(1, sight.replicas))
        for key in list(self._held)[share:]:
            self._leave(key)
        await self._take(connection, sight.free[: max(0, share - len(self._held))])
        return min(BEAT_S, max(0.1, STALE_S + 0.05 - sight.oldest_s))

    def _see(self, rows: Sequence[Any]) -> _Sight:
        mine = self._keys[0] + self._replica % len(self._keys)  # replicas begin at different ends
        by_turn = sorted(self._keys, key=lambda key: (key - mine) % len(self._keys))
        taken = {key for lock_class, key, _, _ in rows if lock_class == locks.PARTITION}
        present = [row for row in rows if row[0] == self._presence]
        return _Sight(
            len(present),
            [key for key in by_turn if key not in taken and key not in self._leaving],
            [int(pid) for _, key, pid, age_s in present if age_s > STALE_S],
            max((age_s for *_, age_s in present), default=0.0),
        )

    async def _connected(self) -> Connection:
        if self._connection is None or self._connection.is_closed():
            self._lose_all()
            connection = await connect(self._url, "leases", VALID_S - BEAT_S, _SETTINGS)
            self._connection = connection
            # Another number each time: the session before may still be seen for a while.
            self._replica = secrets.randbelow(2**31)
            await connection.execute(
                "DELETE FROM replicas WHERE alive_at < clock_timestamp() - interval '1 hour'"
            )
            await connection.execute(
                "INSERT INTO replicas VALUES ($1, $2, clock_timestamp())",
                self._replica,
                self._owner,
            )
            await connection.execute(f"SELECT pg_advisory_lock({self._presence}, {self._replica})")
        return self._connection

    async def _take(self, connection: Connection, wanted: list[int]) -> None:
        if not wanted:
            return
        try:
            rows = await connection.fetch(
                "SELECT taken, new_epoch, (extract(epoch FROM former_alive_at) * 1000)::bigint"
                " FROM lease_take($1, $2, $3)",
                wanted,
                self._owner,
                locks.PARTITION,
            )
        except asyncpg.LockNotAvailableError:
            return  # somebody is long in the log; nothing was taken, the next beat tries again
        for key, epoch, alive_ms in rows:
            self._held[key] = Lease(key, epoch)
            self._on_gain(key, self._held[key], alive_ms)

    async def _give_up(self, connection: Connection) -> None:
        while self._left:
            key = self._left.pop()
            await connection.execute(
                "UPDATE partitions SET alive_at = clock_timestamp()"
                " WHERE partition = $1 AND owner = $2",
                key,
                self._owner,
            )
            await connection.execute(f"SELECT pg_advisory_unlock({locks.PARTITION}, {key})")
            self._leaving.pop(key, None)

    def _leave(self, key: int) -> None:
        """End the lease here and now; the lock follows when on_loss has returned."""
        del self._held[key]
        self._leaving[key] = asyncio.create_task(self._lost(key, self._connection))

    async def _lost(self, key: int, connection: Connection | None) -> None:
        try:
            await self._on_loss(key)
        finally:
            if connection is not None and connection is self._connection:
                self._left.append(key)
            else:  # the lock went with its connection
                self._leaving.pop(key, None)
            self._wake.set()

    def _lose_all(self) -> None:
        self._valid_until = 0.0
        if self._connection is not None:
            self._connection.terminate()
        self._connection = None
        for key in self._left:
            self._leaving.pop(key, None)
        self._left.clear()
        for key in list(self._held):
            self._leave(key)
