"""What a live table costs in memory, and how soon all are back when their owner was killed.

Opens many tables of two people without clock, so that they wait for ever, and kills the table
service of the running `up`. A table is back when its person on turn has been shown it again, unasked.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterable
from pathlib import Path

from contracts.subjects import view
from domain.table.events import TableRules
from services.kit.bus import Message
from services.kit.client import PlayerClient
from services.kit.console.failure import Failure
from services.kit.settings import Settings
from services.ops.measure import Measure
from services.ops.players import door

OPENING_MAX = 64
WAIT_S = 120.0
RULES = TableRules(places=2, computers=False, thinking_s=0)
PLAYERS = ("p_test_recover_a", "p_test_recover_b")


async def bench_recover(settings: Settings, tables: int) -> list[Measure]:
    """Measure with so many live tables. They stay: do it in a data directory of its own."""
    if "table" not in settings.pids:
        raise Failure("`bench recover` kills the table service of `logbuch up`: start that first")
    async with door(settings) as entrance:
        buses = [await entrance.connect(player) for player in PLAYERS]
        first, second = map(PlayerClient, buses, PLAYERS)
        before = _resident_kb(settings.pids["table"])
        opened = await _open(first, second, tables)
        each_kb = (_resident_kb(settings.pids["table"]) - before) / tables
        wanted = {view(player, table) for player in PLAYERS for table in opened}
        back_s = await _kill_and_wait((first, second), settings, wanted)
    return [
        Measure(f"recover: memory of a live table ({tables})", each_kb, "kB"),
        Measure(f"recover: {tables} tables back after kill -9", back_s, "s"),
    ]


async def _open(first: PlayerClient, second: PlayerClient, tables: int) -> list[str]:
    opening = asyncio.Semaphore(OPENING_MAX)
    opened: list[str] = []

    async def one() -> None:
        async with opening:
            table = (await first.open("speeddive", RULES)).table
            await second.join(table)
            await first.start(table)
            opened.append(table)

    await asyncio.gather(*(one() for _ in range(tables)))
    return opened


async def _kill_and_wait(
    clients: Iterable[PlayerClient], settings: Settings, wanted: set[str]
) -> float:
    """Give the seconds from the kill to the last of the wanted views."""
    loop = asyncio.get_running_loop()
    all_back = asyncio.Event()
    missing = set(wanted)

    def shown(message: Message) -> None:
        if b'"view":' in message.data:
            missing.discard(message.subject)
            if not missing:
                all_back.set()

    subscriptions = [
        await client.bus.subscribe(view(client.player, "*"), shown) for client in clients
    ]
    begun = loop.time()
    os.kill(settings.pids["table"], signal.SIGKILL)
    try:
        async with asyncio.timeout(WAIT_S):
            await all_back.wait()
    except TimeoutError:
        raise Failure(
            f"{len(missing)} seats were not shown their table in {WAIT_S:.0f} s"
        ) from None
    finally:
        for subscription in subscriptions:
            await subscription.close()
    return loop.time() - begun


def _resident_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise Failure("this system does not tell how much memory a process holds")
