"""`logbuch trial crowd`: a full house that misbehaves while services are killed: nothing is lost.

People come in with tickets, open tables of all games, join those of others, answer, err, vanish and
come back, until the minutes are over; then they play what is running to its end. What is checked
when all is over is in `crowd_checks`.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Final

from contracts.leaderboard import LeaderboardLine
from domain.refusals import Code
from services.kit.client import Counts, counts
from services.kit.console.arguments import number
from services.kit.console.progress import Progress
from services.kit.settings import Settings
from services.ops.players import door
from services.ops.simulation.habits import Habit
from services.ops.trials import crowd_figures as figures
from services.ops.trials.crowd_checks import Evidence, check, wait_for_the_end
from services.ops.trials.crowd_hall import Hall
from services.ops.trials.crowd_kills import Kill, kill_in_turn, programs
from services.ops.trials.crowd_line import AT_ONCE, Line
from services.ops.trials.crowd_visitor import Client, Timing, Visitor
from services.ops.trials.entry import Addresses
from services.ops.trials.report import Report, Sheet

STALLED_S: Final = 120.0
"""More than any clock: when nobody has got an answer to a move for so long, a table hangs."""
PLAYS_ON_S: Final = 120.0
"""So long people play on when the minutes are over, but not longer than those were; then they leave
what still runs to the computers."""
FAREWELL_S: Final = 10.0
"""So long an interrupted crowd may get up from its tables."""
CALM_PEOPLE: Final = 500.0
"""So many people take a second for an answer when they finish: the system answers all crowds alike."""
_LOOK_S: Final = 0.5


class Crowd:
    """All people of a trial, and what is known of them."""

    def __init__(self, people: int, tables: int, seed: int) -> None:
        """Draw all that is drawn from this seed."""
        self.name = secrets.token_hex(3)  # nobody of another run
        self.hall = Hall(people, tables, Random(f"{seed}/hall"))  # noqa: S311 - plays, guards nothing
        self.calm = asyncio.Event()
        self.counted: Counts = counts()
        self.timings: list[Timing] = []
        self.visitors: dict[str, Visitor] = {}
        self.lines: list[Line] = []
        self.kills: list[Kill] = []
        self._size = people
        self._seed = seed

    @asynccontextmanager
    async def gather(self, settings: Settings) -> AsyncIterator[None]:
        """Have people at the door, and close all their lines in the end; raises BusError."""
        address, dialling = Addresses.of(settings).socket_url, asyncio.Semaphore(AT_ONCE)
        async with door(settings) as entrance:
            for nr in range(1, self._size + 1):
                player = f"p_test_{self.name}_{nr}"
                rng = Random(f"{self._seed}/{nr}")  # noqa: S311 - plays, guards nothing
                line = Line(player, entrance, address, dialling)
                client = Client(line, player, self.counted, self.timings)
                self.visitors[player] = Visitor(client, line, rng, self.calm, self.hall)
                self.visitors[player].calmly = Habit(self._size / CALM_PEOPLE)
                self.lines.append(line)
            try:
                yield
            finally:
                await asyncio.gather(*(line.close() for line in self.lines))

    async def play(self, settings: Settings, seconds: float, names: tuple[str, ...]) -> list[str]:
        """Let them play for so long, then finish; give what failed, in sentences."""
        loop = asyncio.get_running_loop()
        tasks = [asyncio.create_task(each.visit()) for each in self.visitors.values()]
        killing = asyncio.create_task(kill_in_turn(settings, names, seconds, self.kills))
        until = loop.time() + seconds
        try:
            with Progress("seconds", int(seconds)) as progress:
                while (left_s := until - loop.time()) > 0:
                    progress.show(int(seconds - left_s), self.note())
                    await asyncio.sleep(min(_LOOK_S, left_s))
            await killing
            self.calm.set()
            for each in self.visitors.values():
                each.hurry()
                loop.call_later(min(PLAYS_ON_S, seconds), each.go_home)
            return await self._finish(tasks)
        except asyncio.CancelledError:
            await self._break_off(tasks)
            raise
        finally:
            for task in (killing, *tasks):
                task.cancel()
            await asyncio.wait([killing, *tasks])

    def note(self) -> str:
        """Say what there is so far."""
        ended, commands = len(self.hall.ended), len(self.timings)
        return f"{ended:,} tables ended, {commands:,} commands, {len(self.kills)} kills"

    async def _finish(self, tasks: list[asyncio.Task[None]]) -> list[str]:
        """Wait until everybody has got up from his last table, unless nothing moves any more."""
        loop = asyncio.get_running_loop()
        waiting, accepted, moved_at = set(tasks), -1, loop.time()
        with Progress("people finished", len(tasks)) as progress:
            while waiting and loop.time() < moved_at + STALLED_S:
                _, waiting = await asyncio.wait(waiting, timeout=_LOOK_S)
                progress.show(len(tasks) - len(waiting), self.note())
                now = sum(len(each.client.acks) for each in self.visitors.values())
                if now != accepted:
                    accepted, moved_at = now, loop.time()
        failed = [
            f"{type(error).__name__}: {error}"
            for task in tasks
            if task.done() and not task.cancelled() and (error := task.exception()) is not None
        ]
        if waiting:
            failed.append(f"{len(waiting)} people still wait at their tables")
        return failed

    async def _break_off(self, tasks: list[asyncio.Task[None]]) -> None:
        """Let everybody get up, so that no table waits for people who are no more."""
        print("logbuch: interrupted; the people leave their tables", file=sys.stderr)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        leaving = [asyncio.create_task(each.farewell()) for each in self.visitors.values()]
        _, late = await asyncio.wait(leaving, timeout=FAREWELL_S)
        for task in late:
            task.cancel()

    async def place(self, player: str, game: str) -> LeaderboardLine | None:
        """Let a player ask for his line of a leaderboard; raises BusError."""
        return await self.visitors[player].place(game)

    @property
    def evidence(self) -> Evidence:
        """What the log must agree with."""
        everybody = self.visitors.values()
        return Evidence(
            frozenset(self.hall.games),
            tuple(self.visitors),
            [ack for each in everybody for ack in each.client.acks],
            [heard for each in everybody for heard in each.heard],
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the trial's arguments."""
    add = parser.add_argument
    add("--people", type=number(2, 5_000), default=500, metavar="N", help="people (500)")
    tables_help = "tables at a time, about (125)"
    add("--tables", type=number(1, 2_500), default=125, metavar="N", help=tables_help)
    minutes_help = "how long new tables are opened, such as 10 or 0.5 (10)"
    add("--minutes", type=_minutes, default=10.0, metavar="M", help=minutes_help)
    add("--seed", type=int, default=1, metavar="S", help="what people choose by (1)")
    kills_help = "kill nothing; clusters of one's own are never touched"
    add("--no-kills", action="store_true", help=kills_help)


async def run(args: argparse.Namespace, settings: Settings) -> Report:
    """Let the crowd play, then check; raises Failure, BusError, StoreUnavailable."""
    sheet = Sheet("crowd")
    names = () if args.no_kills else programs(settings)
    crowd = Crowd(args.people, args.tables, args.seed)
    async with crowd.gather(settings):
        failed = await crowd.play(settings, args.minutes * 60, names)
        await wait_for_the_end(settings.database_url, crowd.evidence.tables)
        _of_people(sheet, crowd, failed)
        finished = await check(crowd.evidence, settings, crowd.place, sheet)
    why_none = "none, as asked for" if args.no_kills else "none: the system is not this machine's"
    _tell(sheet, crowd, finished, figures.killed(crowd.kills, why_none))
    return sheet.report()


def _of_people(sheet: Sheet, crowd: Crowd, failed: list[str]) -> None:
    for sentence in failed:
        sheet.fail("everybody plays to the end", "people", sentence)
    for player, each in crowd.visitors.items():
        for sentence in each.findings:
            sheet.fail("everybody is answered as he should be", player, sentence)
        sheet.check(holds=not each.findings, what="answers", where=player, detail="see above")
    for kill in crowd.kills:
        detail = "it was not started again"
        sheet.check(
            holds=kill.back, what="a killed program is back", where=kill.program, detail=detail
        )
    faults = crowd.counted.refused[Code.INTERNAL]
    detail = f"{faults} answers were refused as internal"
    sheet.check(holds=not faults, what="no service fails", where="answers", detail=detail)


def _tell(sheet: Sheet, crowd: Crowd, finished: Counter[str], killed: str) -> None:
    did: Counter[str] = Counter()
    for each in crowd.visitors.values():
        did.update(each.did)
    games = ", ".join(f"{game} {count:,}" for game, count in sorted(finished.items()))
    acks = sum(len(each.client.acks) for each in crowd.visitors.values())
    opened = len({heard.table for each in crowd.visitors.values() for heard in each.heard})
    sheet.figures.update(
        {
            "people": f"{len(crowd.visitors):,}",
            "tables": f"{opened:,}",
            "games ended": games or "none",
            "commands": f"{len(crowd.timings):,}, {acks:,} acknowledged",
            **figures.happenings(did, sum(line.cuts for line in crowd.lines), crowd.counted),
            "kills": killed,
            **figures.answers(crowd.timings, crowd.kills),
        }
    )


def _minutes(word: str) -> float:
    try:
        minutes = float(word)
    except ValueError:
        minutes = 0.0
    if not 0.05 <= minutes <= 1_440:  # noqa: PLR2004 - three seconds to a day
        raise argparse.ArgumentTypeError(
            f"{word[:40]!r} is no number of minutes from 0.05 to 1,440"
        )
    return minutes
