"""What no way of playing moves can exceed: bare round trips over the bus, bare inserts."""

from __future__ import annotations

import asyncio
import multiprocessing
import secrets
from collections.abc import Awaitable, Callable
from multiprocessing.synchronize import Event

import asyncpg

from contracts.subjects import inbox
from services.kit import nats_bus
from services.kit.bus import Message
from services.kit.nats_bus import NatsBus
from services.kit.settings import Settings
from services.ops.scratch import scratch_database

CONNECTIONS = 32
_COMMAND_BYTES = 100
_ANSWER = b"." * 150
_STATE_BYTES = 350


async def echoes_per_s(settings: Settings, at_once: int, seconds: float) -> float:
    """Requests and replies per second, `at_once` under way, served by a process of its own."""
    subject = f"_BENCH.{secrets.token_hex(8)}"
    process = multiprocessing.get_context("spawn")
    ready, done = process.Event(), process.Event()
    echo = process.Process(target=_echo, args=(settings, subject, ready, done), daemon=True)
    echo.start()
    bus = await _connect(settings)
    try:
        if not await asyncio.to_thread(ready.wait, 10.0):
            raise TimeoutError("the echo for the comparison did not start")
        body = b"." * _COMMAND_BYTES

        async def ask() -> None:
            await bus.request(subject, body, 10.0)

        return await _rate(ask, at_once, seconds)
    finally:
        done.set()
        await bus.close()
        await asyncio.to_thread(echo.join, 5.0)


async def inserts_per_s(database_url: str, at_once: int, seconds: float) -> float:
    """Inserted rows per second, one a transaction, `at_once` waiting for 32 connections."""
    async with (
        scratch_database(database_url) as url,
        asyncpg.create_pool(url, min_size=CONNECTIONS, max_size=CONNECTIONS) as pool,
    ):
        state, number = secrets.token_bytes(_STATE_BYTES), 0

        async def insert() -> None:
            nonlocal number
            number += 1
            await pool.execute(
                "INSERT INTO stored_events (originator_id, originator_version, topic, state)"
                " VALUES ('bench', $1, 'bench.Moved.v1', $2)",
                number,
                state,
            )

        return await _rate(insert, at_once, seconds)


async def _rate(once: Callable[[], Awaitable[None]], at_once: int, seconds: float) -> float:
    loop = asyncio.get_running_loop()
    begun, count = loop.time(), 0

    async def repeat() -> None:
        nonlocal count
        while loop.time() < begun + seconds:
            await once()
            count += 1

    await asyncio.gather(*(repeat() for _ in range(at_once)))
    return count / (loop.time() - begun)


async def _connect(settings: Settings) -> NatsBus:
    login = settings.login("ops")
    return await nats_bus.connect(settings.nats_url, "bench", inbox("ops"), lambda: None, **login)


def _echo(settings: Settings, subject: str, ready: Event, done: Event) -> None:
    asyncio.run(_serve(settings, subject, ready, done))


async def _serve(settings: Settings, subject: str, ready: Event, done: Event) -> None:
    bus = await _connect(settings)

    def answer(message: Message) -> None:
        bus.publish(message.reply, _ANSWER)

    await bus.subscribe(subject, answer)
    ready.set()
    await asyncio.to_thread(done.wait)
    await bus.close()
