"""Workers who take from a bounded queue what came over the bus, and finish it before the end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from services.kit.bus import Message, Subscription


async def work_off(
    waiting: asyncio.Queue[Message],
    work: Callable[[Message], Awaitable[None]],
    count: int,
    subscription: Subscription,
    stop: asyncio.Event,
) -> None:
    """Let so many workers do what waits until `stop` is set, then what has come already.

    `work` must not raise: it would end them all.
    """

    async def worker() -> None:
        while True:
            message = await waiting.get()
            try:
                await work(message)
            finally:
                waiting.task_done()

    async with asyncio.TaskGroup() as group:
        workers = [group.create_task(worker()) for _ in range(count)]
        try:
            await stop.wait()
            await subscription.close()
            await waiting.join()
        finally:
            for each in workers:
                each.cancel()
