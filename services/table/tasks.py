"""What a desk does beside its mailbox: tasks that end with it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class Tasks:
    """The tasks of one desk that are not done yet."""

    def __init__(self) -> None:
        """Begin with none."""
        self._tasks: dict[asyncio.Task[None], None] = {}  # in order, unlike a set

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin a task."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)
        return task

    def cancel(self) -> None:
        """Cancel what is not done."""
        for task in list(self._tasks):
            task.cancel()
