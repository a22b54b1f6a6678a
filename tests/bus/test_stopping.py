"""A task that swallows its first cancellation is ended all the same."""

import asyncio
from contextlib import suppress

from services.kit.stopping import stopped


async def test_a_swallowed_cancellation_is_repeated() -> None:
    async def stubborn() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        await asyncio.sleep(60)

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)

    await stopped(task)

    assert task.cancelled()
