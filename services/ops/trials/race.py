"""`logbuch trial race`: two people want the last seat, the start, the rematch: never two get it, never none.

Some races are run at once, each by three people of its own. When all are over the log is read: it
must say of every table what the people were told.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import chain, count, islice
from random import Random
from typing import Final, NamedTuple, TypeAlias

from contracts.subjects import inbox, stream_of
from domain.refusals import Refused
from domain.table.state import ENDED
from services.kit import nats_bus
from services.kit.bus import BusError
from services.kit.client import PlayerClient, Unanswered
from services.kit.console.arguments import number
from services.kit.console.progress import Progress
from services.kit.settings import Settings
from services.kit.store.database import Database
from services.kit.store.reader import Reader
from services.kit.tables import facts_of
from services.ops.players import Door, door
from services.ops.trials.entry import Addresses
from services.ops.trials.race_kinds import (
    KINDS,
    PATIENCE_S,
    STAKE,
    Crew,
    Race,
    Wrong,
    leave_all,
)
from services.ops.trials.race_log import wrong
from services.ops.trials.report import Report, Sheet

AT_ONCE: Final = 8
CREW_RACES: Final = 48
"""So many races one crew runs before others come: they must not run out of Taler."""
BOTH_WIN: Final = 50
"""In so many races of a kind the first sender must not always win, nor always lose."""
OVER_S: Final = 120.0
"""How long the computers may play on at tables that all people have left."""
_LOOK_S: Final = 0.5
_OPEN: Final = "SELECT stream FROM log_index WHERE stream = ANY ($1) AND status <> ALL ($2)"


class Run(NamedTuple):
    """A race that was run; `fault` says what was wrong about it, if something was."""

    kind: str
    race: Race
    first_won: bool
    fault: str


class Entry(NamedTuple):
    """How people come in: who gives them tickets, and where they connect."""

    door: Door
    socket_url: str


Note: TypeAlias = Callable[[Run], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the trial's arguments."""
    text = "races, the three kinds in turn, 1 to 100,000 (1,000)"
    parser.add_argument("--times", type=number(1, 100_000), default=1_000, metavar="N", help=text)


async def run(args: argparse.Namespace, settings: Settings) -> Report:
    """Run the races, then read the log; raises Failure, BusError, StoreError."""
    clock = asyncio.get_running_loop().time
    begun = clock()
    runs = await _race(args.times, settings)
    sheet = Sheet("race")
    sheet.figures["races"] = _of_kinds(runs, lambda own: f"{len(own):,}")
    sheet.figures["time"] = f"{clock() - begun:.1f} s, {AT_ONCE} races at once"
    sheet.figures["first sender won"] = _of_kinds(runs, _first_won)
    sheet.figures["answers"] = _of_kinds(runs, _answers)
    for each in runs:
        where = " ".join(each.race.tables) or "not opened"
        sheet.check(holds=not each.fault, what=each.kind, where=where, detail=each.fault)
    _check_both_win(sheet, runs)
    await _read_log(settings, sheet, runs)
    return sheet.report()


async def _race(times: int, settings: Settings) -> list[Run]:
    runs: list[Run] = []
    numbers, name = iter(range(times)), secrets.token_hex(3)
    with Progress("races", times) as progress:

        def note(run: Run) -> None:
            runs.append(run)
            progress.show(len(runs), f"{sum(bool(each.fault) for each in runs)} wrong")

        try:
            async with door(settings) as entrance, asyncio.TaskGroup() as lanes:
                entry = Entry(entrance, Addresses.of(settings).socket_url)
                for lane in range(min(AT_ONCE, times)):
                    lanes.create_task(_lane(entry, f"p_test_{name}_{lane}", numbers, note))
        except ExceptionGroup as group:  # nobody can come in: one says it for all
            raise group.exceptions[0] from None
    return runs


async def _lane(entry: Entry, name: str, numbers: Iterator[int], note: Note) -> None:
    """Run one race after the other, with new people now and then."""
    for nr in count():
        first = next(numbers, None)
        if first is None:
            return
        async with _crew(entry, f"{name}_{nr}") as crew:
            for number in chain((first,), islice(numbers, CREW_RACES - 1)):
                note(await run_one(crew, number))


@asynccontextmanager
async def _crew(entry: Entry, name: str) -> AsyncIterator[Crew]:
    """Lend three people, each with a connection of his own over WebSocket."""
    async with AsyncExitStack() as stack:

        async def come(player: str) -> PlayerClient:
            ticket = await entry.door.ticket(player)
            bus = await nats_bus.connect(
                entry.socket_url, player, inbox(player), lambda: None, token=ticket
            )
            stack.push_async_callback(bus.close)
            client = PlayerClient(bus, player, patience_s=PATIENCE_S)
            return await stack.enter_async_context(client)

        yield await come(f"{name}_1"), await come(f"{name}_2"), await come(f"{name}_3")


async def run_one(crew: Crew, number: int) -> Run:
    """Run race `number` of a trial: the kinds in turn, every second one for a stake."""
    kind = tuple(KINDS)[number % len(KINDS)]
    stake = STAKE if number // len(KINDS) % 2 else 0
    race = Race(crew, Random(number), stake, [], [], [])  # noqa: S311 - decides who is first
    first_won, fault = False, ""
    try:
        first_won = await KINDS[kind](race)
    except Wrong as broken:
        fault = str(broken)
    except Refused as refused:
        fault = f"refused ({refused.code}): {refused}"
    except (Unanswered, BusError, TimeoutError) as silence:
        fault = f"no answer: {silence}"
    with suppress(Unanswered, BusError):  # a table that stays open is found in the log
        await leave_all(race)
    return Run(kind, race, first_won, fault)


def _check_both_win(sheet: Sheet, runs: list[Run]) -> None:
    """Where the same one always wins there was no race."""
    for kind, own in _by_kind(runs).items():
        wins = sum(each.first_won for each in own)
        if len(own) >= BOTH_WIN:
            detail = f"the first sender won {wins} of {len(own)} races"
            sheet.check(holds=0 < wins < len(own), what="both win", where=kind, detail=detail)


async def _read_log(settings: Settings, sheet: Sheet, runs: list[Run]) -> None:
    """Hold the log of every table against what the people were told."""
    expected = {stream_of(each.table): each for run in runs for each in run.race.expected}
    async with Database(settings.database_url, name="race") as database:
        left = await _never_over(database, [stream_of(t) for run in runs for t in run.race.tables])
        for stream in left:
            sheet.fail("the table ends", stream, f"it has not ended after {OVER_S:.0f} s")
        async for stream, events in Reader(database).streams(list(expected)):
            each = expected.pop(stream)
            found = "; ".join(wrong(each, [fact for _, fact in facts_of(events)]))
            sheet.check(holds=not found, what="log", where=each.table, detail=found)
    for each in expected.values():
        sheet.fail("log", each.table, "the table is not in the log")


async def _never_over(database: Database, streams: list[str]) -> list[str]:
    """Wait for the computers to finish what the people have left; give what is still open."""
    loop = asyncio.get_running_loop()
    until = loop.time() + OVER_S
    while True:
        async with database.connection() as link:
            rows = await link.fetch(_OPEN, streams, list(ENDED))
        if not rows or loop.time() > until:
            return [row[0] for row in rows]
        await asyncio.sleep(_LOOK_S)


def _by_kind(runs: list[Run]) -> dict[str, list[Run]]:
    """Give the races that came to a result."""
    return {kind: [each for each in runs if each.kind == kind and not each.fault] for kind in KINDS}


def _of_kinds(runs: list[Run], told: Callable[[list[Run]], str]) -> str:
    return ", ".join(f"{kind} {told(own)}" for kind, own in _by_kind(runs).items() if own)


def _first_won(own: list[Run]) -> str:
    return f"{100 * sum(each.first_won for each in own) / len(own):.0f} %"


def _answers(own: list[Run]) -> str:
    took = sorted(shot.ms for each in own for shot in each.race.shots)
    p50, p99 = (took[min(len(took) - 1, len(took) * part // 100)] for part in (50, 99))
    return f"p50 {p50:.1f} ms p99 {p99:.1f} ms"
