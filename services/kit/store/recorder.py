"""The only way into the log: one writer that commits all waiting units together."""

import asyncio
import secrets
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Self, TypeAlias

import asyncpg
from asyncpg.prepared_stmt import PreparedStatement

from services.kit.store import batch as batches
from services.kit.store import locks
from services.kit.store.batch import Batch, Pending, Positions
from services.kit.store.database import TROUBLE, Connection, connect, unavailable
from services.kit.store.model import (
    Conflict,
    OutcomeUnknown,
    QueueFull,
    StoreUnavailable,
    Unit,
)

if TYPE_CHECKING:  # generic in the stubs, not when it runs
    Call: TypeAlias = PreparedStatement[asyncpg.Record]
else:
    Call = PreparedStatement

_FEW_ROWS = 64  # not worth to be divided
# Errors that one unit brings upon a whole batch; the units are then tried one by one.
_OF_ONE_UNIT = (
    asyncpg.IntegrityConstraintViolationError,
    asyncpg.DataError,
    ValueError,  # asyncpg itself cannot encode a value
)
# The server itself tells that the session ends: what it did before is not known.
_SESSION_ENDS = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
)

_HOLDERS = """
SELECT pg_terminate_backend(pid) FROM pg_locks
WHERE locktype = 'advisory' AND classid = $1::bigint::oid AND objid = $2::bigint::oid
AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND granted
"""


class Recorder:
    """Appends units with group commit over one connection of its own.

    All units that wait when a commit ends go into the next transaction. A unit is stored in the
    order of `submit` against others of the same stream, and all or nothing.
    """

    def __init__(
        self,
        database_url: str,
        *,
        waiting_max: int = 4096,
        rows_max: int = 1024,
        lock_timeout_s: float = 2.0,
        statement_timeout_s: float = 5.0,
        connect_timeout_s: float = 3.0,
        settle_s: float = 10.0,
    ) -> None:
        self._url = database_url
        self._waiting_max = waiting_max
        self._rows_max = rows_max
        self._statement_timeout_s = statement_timeout_s
        self._connect_timeout_s = connect_timeout_s
        self._settle_s = settle_s
        self._settings = {
            "lock_timeout": f"{lock_timeout_s:.3f}s",
            "statement_timeout": f"{statement_timeout_s:.3f}s",
            # A cached plan must also suit the log when it has grown: always by index.
            "plan_cache_mode": "force_generic_plan",
            "enable_seqscan": "off",
            "enable_hashjoin": "off",
            "enable_mergejoin": "off",
        }
        self._key = secrets.randbelow(2**31)
        self._queue: deque[Pending] = deque()
        self._news = asyncio.Event()
        self._closing = False
        self._connection: Connection | None = None
        self._call: Call | None = None
        self._writer: asyncio.Task[None] | None = None
        self._pause_s = 0.0

    async def __aenter__(self) -> Self:
        """Start the writer; the database need not be there yet."""
        self._writer = asyncio.create_task(self._write_on(), name="recorder")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Store what waits, then close; after the time for a commit the rest gets no more."""
        self._closing = True
        self._news.set()
        assert self._writer is not None
        await asyncio.wait([self._writer], timeout=self._statement_timeout_s + self._settle_s)
        self._writer.cancel()
        with suppress(asyncio.CancelledError):
            await self._writer
        batches.fail(self._queue, StoreUnavailable("the recorder is closed"))
        self._queue.clear()
        self._drop()

    def submit(self, unit: Unit) -> asyncio.Future[Positions]:
        """Queue a unit at once; the future gives what `append` gives.

        Raises QueueFull or, when the recorder is closing, StoreUnavailable. Cancelling the future
        withdraws the unit if it is not on its way yet, and otherwise changes nothing.
        """
        if len(self._queue) >= self._waiting_max:
            raise QueueFull(f"{self._waiting_max} units wait to be stored")
        if self._closing:
            raise StoreUnavailable("the recorder is closed")
        count = batches.row_count(unit)
        outcome: asyncio.Future[Positions] = asyncio.get_running_loop().create_future()
        self._queue.append(Pending(unit, count, outcome))
        self._news.set()
        return outcome

    async def append(self, unit: Unit) -> Positions:
        """Store the unit and return the positions of its rows, in their order.

        Raises Conflict, NotOwner, QueueFull or StoreUnavailable when nothing was stored, and
        OutcomeUnknown when only the log can tell. ValueError: the unit contradicts itself or holds
        what no column takes.
        """
        return await self.submit(unit)

    async def _write_on(self) -> None:
        while True:
            rows_max = self._rows_max
            if not self._queue:
                if self._closing:
                    return
                self._news.clear()
                await self._news.wait()
                # All callers were answered at once and come again at once. Taking half of them
                # lets the database work on one half while we work on the other, from now on.
                rows_max = max(_FEW_ROWS, len(self._queue) // 2)
            batch = self._take(rows_max)
            if not batch:
                continue
            try:
                await self._write(batch)
            except BaseException as error:  # also a bug: nobody may wait for ever
                self._drop()
                batches.fail(batch, OutcomeUnknown(f"the append was broken off: {error!r}"))
                if not isinstance(error, Exception):
                    raise

    def _take(self, rows_max: int) -> Batch:
        """All that waits, up to the limit; a second unit of a stream stays for the next batch."""
        batch: list[Pending] = []
        later: list[Pending] = []
        streams: set[str] = set()
        rows = 0
        queue = self._queue
        while queue and rows < rows_max:
            pending = queue.popleft()
            if pending.outcome.done():  # its caller has left
                continue
            named = [append.stream for append in pending.unit.appends]
            if streams.isdisjoint(named):
                batch.append(pending)
                rows += pending.row_count
            else:
                later.append(pending)
            streams.update(named)
        queue.extendleft(reversed(later))
        return batch

    async def _write(self, batch: Batch, *, again: bool = True) -> None:
        """Store the batch and tell; what a broken connection left undone is tried once again."""
        try:
            call = await self._ready()
        except StoreUnavailable as error:
            batches.fail(batch, error)
            await self._back_off()
            return
        try:
            answer = await call.fetchrow(
                *batches.arguments(batch), timeout=self._statement_timeout_s + 1.0
            )
        except _OF_ONE_UNIT as error:
            await self._one_by_one(batch, error)
        except Exception as error:  # noqa: BLE001 - the outcome is unknown for whatever reason
            if isinstance(error, asyncpg.PostgresError) and not isinstance(error, _SESSION_ENDS):
                batches.fail(batch, unavailable(error))  # the server answered: it rolled back
                return
            self._drop()
            undone = await self._settle(batch)
            if again and undone:
                await self._write(undone, again=False)
            else:
                broken = "the connection broke; nothing was stored"
                batches.fail(undone, StoreUnavailable(broken))
        else:
            assert answer is not None
            batches.tell(batch, *answer)

    async def _one_by_one(self, batch: Batch, error: Exception) -> None:
        """Store the units singly, so that the one that cannot be stored harms no other."""
        if len(batch) > 1:
            for pending in batch:
                await self._write([pending])
            return
        if isinstance(error, asyncpg.UniqueViolationError) and self._connection is not None:
            for append in batch[0].unit.appends:
                head = await self._connection.fetchval(
                    "SELECT max(originator_version) FROM stored_events WHERE originator_id = $1",
                    append.stream,
                )
                if (head or 0) >= append.rows[0].originator_version:
                    batches.fail(batch, Conflict(append.stream, head))
                    return
        # Not the error itself: it may quote the row.
        why = type(error).__name__
        batches.fail(batch, ValueError(f"the unit cannot be stored: {why}"))

    async def _settle(self, batch: Batch) -> Batch:
        """Find out what became of a batch whose answer was lost; return what was not stored.

        A new session is only ready when the old one is provably gone (see `_open`): what is not
        in the log then will never come.
        """
        loop = asyncio.get_running_loop()
        last_try = loop.time() + self._settle_s
        while True:
            try:
                await self._ready()
                assert self._connection is not None
                found = await self._connection.fetch(batches.FATE, *batches.places(batch))
            except (StoreUnavailable, *TROUBLE) as error:
                self._drop()
                if loop.time() > last_try:
                    batches.fail(batch, OutcomeUnknown(f"no answer to an append: {error}"))
                    return ()
                await self._back_off()
            else:
                return batches.tell_found(batch, found)

    async def _ready(self) -> Call:
        if self._connection is None or self._connection.is_closed() or self._call is None:
            self._drop()
            self._connection, self._call = await self._open()
            self._pause_s = 0.0
        return self._call

    async def _open(self) -> tuple[Connection, Call]:
        """Connect, and hold this recorder's session lock.

        The former session held the same lock till the end of its last transaction. So holding it
        proves that no append of the former session is still under way, even one that the server
        had not begun to read.
        """
        connection = await connect(self._url, "recorder", self._connect_timeout_s, self._settings)
        try:
            lock = "SELECT pg_try_advisory_lock($1, $2)"
            if not await connection.fetchval(lock, locks.WRITER, self._key):
                await connection.fetch(_HOLDERS, locks.WRITER, self._key)
                await connection.execute(f"SELECT pg_advisory_lock({locks.WRITER}, {self._key})")
            return connection, await connection.prepare(batches.CALL)
        except BaseException as error:
            connection.terminate()
            if isinstance(error, TROUBLE):
                raise unavailable(error) from error
            raise

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
        self._connection = self._call = None

    async def _back_off(self) -> None:
        self._pause_s = min(1.0, self._pause_s * 2 or 0.05)
        await asyncio.sleep(self._pause_s)
