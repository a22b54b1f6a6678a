"""How fast tables come back from PostgreSQL: facts per second from stored rows to state.

One process and one connection, whole games of Speeddive. Beside it the library's stock recorder,
stream by stream, with the same fold behind it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from time import perf_counter, process_time
from typing import Any

from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from psycopg.conninfo import conninfo_to_dict

from contracts import fairness, subjects, topics
from domain.games import GAMES
from domain.kernel import Pause
from domain.options import sample
from domain.table import commands as c
from domain.table.case import Actor, Case, House
from domain.table.clocks import is_computer
from domain.table.decider import decide
from domain.table.events import TableRules
from domain.table.playing import numbered
from domain.table.state import Table
from services.kit.store.chain import Entry, extend
from services.kit.store.database import Database, connect
from services.kit.store.model import StoredEvent
from services.kit.store.reader import Reader
from services.kit.tables import facts_of, table_of_rows
from services.ops.measure import Measure
from services.ops.scratch import scratch_database

TABLES = 256
GAME = "speeddive"
SEATS = 4
_PLAYER = "p_test_bench"


async def bench_replay(database_url: str, seconds: float) -> list[Measure]:
    """Measure each way for `seconds`, in a database of its own on the given server."""
    logs = [_played(number) for number in range(TABLES)]
    streams = [rows[0].originator_id for rows in logs]
    count = sum(map(len, logs))
    async with scratch_database(database_url) as url:
        await _store(url, logs)
        async with Database(url, name="bench", statement_s=120.0) as database:
            reader = Reader(database)

            async def fetched() -> None:
                async for _ in reader.streams(streams):
                    pass

            async def replayed() -> None:
                async for stream, rows in reader.streams(streams):
                    table_of_rows(stream.removeprefix("table-"), rows)

            whole, own_us = await _rate(replayed, count, seconds)
            fetch, _ = await _rate(fetched, count, seconds / 2)
        stock = await asyncio.to_thread(_stock, url, streams, count, seconds)
    return [
        Measure(f"replay of {TABLES} tables", whole, "facts/s", {"stock recorder": stock}),
        Measure("of which processor time", own_us, "us/fact"),
        Measure("of which fetching", 1e6 / fetch, "us/fact"),
        Measure("of which decoding", _each_us(logs, count, _decode), "us/fact"),
        Measure("of which decoding and folding", _each_us(logs, count, _fold), "us/fact"),
    ]


def _played(number: int) -> list[StoredEvent]:
    """Play one whole game at random, one person and computers, and give the rows of its table."""
    game, rng = GAMES[GAME], random.Random(number)  # noqa: S311 - a benchmark
    seed = sha256(b"%d" % number).hexdigest()
    house = House(fairness.shuffle, seed, fairness.commitment(seed))
    table, waiting = Table(subjects.table_id(_PLAYER, f"bench_{number}")), None
    stream, head_hash, at = subjects.stream_of(table.table_id), b"", 1_700_000_000_000
    rows: list[StoredEvent] = []
    opening: list[c.Command] = [c.Open(GAME, {}, TableRules(SEATS)), c.Start("bench")]
    while table.phase in {"new", "gathering", "playing"}:
        at += 1_000
        player, command = _PLAYER, opening.pop(0) if opening else None
        if command is None:
            player, command = _next(Case(game, table, waiting, Actor("", 0), house), rng)
        decided = decide(Case(game, table, waiting, Actor(player, at), house), command)
        entries = [
            Entry(*topics.encode(fact), at, player, "c" * 24, "d" * 16) for fact in decided.facts
        ]
        new, hashes = extend(stream, table.version, head_hash, entries, topics.check)
        head_hash = hashes[-1]
        rows += new
        table, waiting = decided.table, decided.waiting
    return rows


def _next(case: Case, rng: random.Random) -> tuple[str, c.Command]:
    if isinstance(case.waiting, Pause):
        return _PLAYER, c.GoOn(case.table.raised)
    prompt, ask = numbered(case)[0]
    move: Any = sample(ask.options, rng.randrange)
    if is_computer(case.table, ask.seat):
        return subjects.BOT, c.Decide(ask.seat, prompt, move, "random", 1)
    return _PLAYER, c.Play(prompt, move)


async def _store(url: str, logs: Sequence[list[StoredEvent]]) -> None:
    link = await connect(url, "bench")
    await link.copy_records_to_table(
        "stored_events",
        records=[row for rows in logs for row in rows],
        columns=["originator_id", "originator_version", "topic", "state"],
    )
    await link.execute("ANALYZE stored_events")
    await link.close()


async def _rate(
    once: Callable[[], Awaitable[None]], count: int, seconds: float
) -> tuple[float, float]:
    """Facts per second, and this process's own microseconds per fact, over whole rounds.

    The first round only warms up. On a busy machine the own time tells more than the rate.
    """
    await once()
    rounds, begun, used = 0, perf_counter(), process_time()
    while perf_counter() < begun + seconds:
        await once()
        rounds += 1
    facts = rounds * count
    return facts / (perf_counter() - begun), (process_time() - used) * 1e6 / facts


def _stock(url: str, streams: list[str], count: int, seconds: float) -> float:
    where = conninfo_to_dict(url)
    store = PostgresDatastore(
        str(where["dbname"]),
        str(where.get("host", "")),
        str(where.get("port", "")),
        str(where.get("user", "")),
        str(where.get("password", "")),
        originator_id_type="text",
    )
    with store:
        recorder = PostgresApplicationRecorder(store)
        rounds, begun = 0, perf_counter()
        while perf_counter() < begun + seconds or not rounds:
            for stream in streams:
                rows = [
                    StoredEvent(stream, event.originator_version, event.topic, event.state)
                    for event in recorder.select_events(stream)
                ]
                table_of_rows(stream.removeprefix("table-"), rows)
            rounds += 1
        return rounds * count / (perf_counter() - begun)


def _decode(rows: list[StoredEvent]) -> None:
    for _ in facts_of(rows):
        pass


def _fold(rows: list[StoredEvent]) -> None:
    table_of_rows(rows[0].originator_id.removeprefix("table-"), rows)


def _each_us(
    logs: Sequence[list[StoredEvent]], count: int, once: Callable[[list[StoredEvent]], None]
) -> float:
    begun = perf_counter()
    for rows in logs:
        once(rows)
    return (perf_counter() - begun) * 1e6 / count
