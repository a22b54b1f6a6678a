"""`kill -9` of one program after the other, where the system is this machine's own."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from typing import Final

from msgspec import Struct

from services.kit.settings import Settings, SettingsError, configured

PROGRAMS: Final = ("table", "bot", "lobby", "ledger", "gateway", "nats", "postgres")
BACK_S: Final = 60.0
"""Within so long a killed program runs again."""
_LOOK_S: Final = 0.2


class Kill(Struct):
    """A program that was killed at `at` (the loop's time); `back`: another process took its place."""

    program: str
    at: float
    back: bool = False


def programs(settings: Settings) -> tuple[str, ...]:
    """Give what may be killed: nothing of a system that others may share."""
    if any(configured()):
        return ()
    return tuple(name for name in PROGRAMS if name in settings.pids)


async def kill_in_turn(
    settings: Settings, names: tuple[str, ...], seconds: float, kills: list[Kill]
) -> None:
    """Kill the programs at even distances within so many seconds, and see that each comes back.

    Each is noted in `kills`.
    """
    loop = asyncio.get_running_loop()
    begun = loop.time()
    async with asyncio.TaskGroup() as watching:
        for number, name in enumerate(names, 1):
            await asyncio.sleep(begun + seconds * number / (len(names) + 1) - loop.time())
            kill = Kill(name, loop.time())
            kills.append(kill)
            before = _pid(settings, name)
            if before is not None:
                with suppress(ProcessLookupError):  # it died by itself, and comes back all the same
                    os.kill(before, signal.SIGKILL)
                watching.create_task(_come_back(settings, kill, before))


async def _come_back(settings: Settings, kill: Kill, before: int) -> None:
    until = kill.at + BACK_S
    while not kill.back and asyncio.get_running_loop().time() < until:
        await asyncio.sleep(_LOOK_S)
        kill.back = _pid(settings, kill.program) not in {before, None}


def _pid(settings: Settings, name: str) -> int | None:
    """Give the process that runs now, None when it is not known.

    It is read anew, because a killed one is replaced by another.
    """
    try:
        return Settings.load(settings.data).pids.get(name)
    except SettingsError:  # everything was stopped
        return None
