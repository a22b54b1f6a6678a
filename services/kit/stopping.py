"""Ending a task for sure."""

import asyncio
from typing import Any, Final

AGAIN_S: Final = 0.5


async def stopped(task: "asyncio.Task[Any]") -> None:
    """Return when the task has ended; it is cancelled until it does.

    Once is not enough: before Python 3.12 `asyncio.wait_for`, which nats-py waits with, swallows a
    cancellation that comes together with the answer.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=AGAIN_S)
