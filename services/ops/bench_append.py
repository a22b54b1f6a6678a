"""`logbuch bench append`: durable events per second, beside other ways into the same database.

Everything runs in a database of its own on the given server, which is dropped at the end. One
event per append throughout, states of the same size, fsync as the server has it.
"""

import asyncio
import secrets
import statistics
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import NamedTuple

import msgspec
from eventsourcing.persistence import StoredEvent as LibraryEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from psycopg.conninfo import conninfo_to_dict

from services.kit.store.chain import Entry, extend
from services.kit.store.database import connect
from services.kit.store.model import Append, IndexRow, Lease, Unit
from services.kit.store.recorder import Recorder
from services.ops.measure import Measure
from services.ops.scratch import scratch_database

TABLES = (1, 16, 256)
_CONNECTIONS = 32
_THREADS = 16
_LEASE = Lease(0, 1)


class Moved(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fact of about the size of a game's."""

    seat: int
    card: str
    prompt: int
    decided_by: str = "human"


class Run(NamedTuple):
    """What one way of appending reached."""

    per_s: float
    p50_ms: float
    p99_ms: float


_encode = msgspec.json.Encoder().encode
_strict = msgspec.json.Decoder(Moved).decode
Step = Callable[[], Awaitable[None]]


async def bench_append(database_url: str, seconds: float) -> list[Measure]:
    """Measure `seconds` for each number of tables and way of appending."""
    measures: list[Measure] = []
    async with scratch_database(database_url) as url:
        for tables in TABLES:
            ours = await _ours(url, tables, seconds)
            plain = await _plain(url, tables, seconds)
            stock = await asyncio.to_thread(_stock, url, tables, seconds)
            for field, unit in (("per_s", "events/s"), ("p50_ms", "ms"), ("p99_ms", "ms")):
                measure = Measure(
                    f"append {field} at {tables} tables",
                    getattr(ours, field),
                    unit,
                    {"stock recorder": getattr(stock, field), "asyncpg": getattr(plain, field)},
                )
                measures.append(measure)
    return measures


async def _ours(url: str, tables: int, seconds: float) -> Run:
    link = await connect(url, "bench")
    await link.execute(
        "INSERT INTO partitions VALUES (0, 1, 'bench', now()) ON CONFLICT DO NOTHING"
    )
    await link.close()
    async with Recorder(url) as recorder:

        def table(number: int) -> Step:
            stream = f"table-00-{secrets.token_hex(12)}"
            head, head_hash = 0, b""

            async def step() -> None:
                nonlocal head, head_hash
                data = _encode(Moved(number % 4, "Tiefe 12", head))
                at = time.time_ns() // 1_000_000
                entry = Entry("bench.Moved.v1", data, at, "p_bench", "c" * 24, "d" * 32)
                rows, hashes = extend(
                    stream, head, head_hash, (entry,), lambda _topic, data: _strict(data)
                )
                index = IndexRow(
                    stream, "table", 0, "speeddive", "playing", head + 1, hashes[-1], at + 30_000
                )
                await recorder.append(Unit((Append(stream, head, rows, index),), _LEASE))
                head, head_hash = head + 1, hashes[-1]

            return step

        return await _drive([table(number) for number in range(tables)], seconds)


async def _plain(url: str, tables: int, seconds: float) -> Run:
    """One INSERT per transaction over 32 connections, without any code of ours."""
    link = await connect(url, "bench")
    await link.execute("CREATE TABLE IF NOT EXISTS plain_events (LIKE stored_events INCLUDING ALL)")
    await link.close()
    state = secrets.token_bytes(_state_size())
    insert = (
        "INSERT INTO plain_events (originator_id, originator_version, topic, state)"
        " VALUES ($1, $2, $3, $4) RETURNING notification_id"
    )
    # Not asyncpg's pool: it resets a connection with one more round trip at every release.
    links = [await connect(url, "bench") for _ in range(min(_CONNECTIONS, tables))]
    served = [(asyncio.Lock(), await each.prepare(insert)) for each in links]

    def table(number: int) -> Step:
        turn, statement = served[number % len(served)]
        stream = f"table-00-{secrets.token_hex(12)}"
        head = 0

        async def step() -> None:
            nonlocal head
            head += 1
            async with turn:
                await statement.fetchval(stream, head, "bench.Moved.v1", state)

        return step

    try:
        return await _drive([table(number) for number in range(tables)], seconds)
    finally:
        for each in links:
            await each.close()


async def _drive(steps: list[Step], seconds: float) -> Run:
    """Repeat every step by its own task; count only what ended after the first fifth."""
    took: list[float] = []
    loop = asyncio.get_running_loop()
    begin = loop.time() + seconds / 5
    end = begin + seconds

    async def repeat(step: Step) -> None:
        now = time.perf_counter()
        while loop.time() < end:
            await step()
            before, now = now, time.perf_counter()
            if loop.time() >= begin:
                took.append(now - before)

    await asyncio.gather(*(repeat(step) for step in steps))
    return _run(took, seconds)


def _stock(url: str, tables: int, seconds: float) -> Run:
    """The library's recorder in threads, in a schema of its own."""
    where = conninfo_to_dict(url)
    store = PostgresDatastore(
        str(where["dbname"]),
        str(where.get("host", "")),
        str(where.get("port", "")),
        str(where.get("user", "")),
        str(where.get("password", "")),
        pool_size=min(_THREADS, tables),
        schema="stock",
        originator_id_type="text",
    )
    with store:
        with store.transaction(commit=True) as cursor:
            cursor.execute("CREATE SCHEMA IF NOT EXISTS stock")
        recorder = PostgresApplicationRecorder(store)
        recorder.create_table()
        state = secrets.token_bytes(_state_size())
        begin = time.perf_counter() + seconds / 5
        end = begin + seconds

        def work(number: int) -> list[float]:
            """Serve every `_THREADS`-th table in turn."""
            mine = range(number, tables, _THREADS)
            streams = [f"table-00-{secrets.token_hex(12)}" for _ in mine]
            took: list[float] = []
            before = time.perf_counter()
            for version in count(1):
                for stream in streams:
                    recorder.insert_events([LibraryEvent(stream, version, "bench.Moved.v1", state)])
                    now = time.perf_counter()
                    if now >= begin:
                        took.append(now - before)
                    before = now
                    if now >= end:
                        return took
            raise AssertionError

        with ThreadPoolExecutor(_THREADS) as threads:
            parts = threads.map(work, range(min(_THREADS, tables)))
            return _run([each for part in parts for each in part], seconds)


def _state_size() -> int:
    entry = Entry(
        "bench.Moved.v1",
        _encode(Moved(1, "Tiefe 12", 100)),
        1_700_000_000_000,
        "p_bench",
        "c" * 24,
        "d" * 32,
    )
    rows, _ = extend("s", 1, secrets.token_bytes(32), (entry,), lambda _topic, data: _strict(data))
    return len(rows[0].state)


def _run(took: list[float], seconds: float) -> Run:
    cuts = statistics.quantiles(took, n=100)
    return Run(len(took) / seconds, cuts[49] * 1000, cuts[98] * 1000)
