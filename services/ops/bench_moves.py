"""Accepted durable moves per second through the whole path, as players' clients see it.

This process holds the clients; NATS, the table service and PostgreSQL are the running system's. A
move counts when its answer has come: it is committed then. Beside it, in the same run, what bounds
it from above: a bare request and reply over the same NATS, and a bare insert per move.
"""

from __future__ import annotations

import asyncio
import random
import statistics
from collections.abc import Mapping
from contextlib import suppress

from msgspec import Struct

from domain.games import GAMES
from domain.refusals import Refused
from services.kit.client import PlayerClient
from services.kit.settings import Settings
from services.ops.bench_bounds import echoes_per_s, inserts_per_s
from services.ops.cpu import used_s
from services.ops.measure import Measure
from services.ops.simulate import test_players
from services.ops.simulation.plan import Plan
from services.ops.simulation.play import choose, start_table

TABLES = 200
STARTING_MAX = 32
WARM_UP_S = 2.0
STALL_S = 30.0
PLAN = Plan("speeddive", TABLES, 2, 2, {"bilanz": False, "target": 300}, players_max=4)
"""People only, no summaries that would wait for "Weiter", and few connections: they cost most."""


class Seen(Struct):
    """What the clients measured while `counting`, in seconds from sending a move."""

    counting: bool
    answers: list[float]
    views: list[float]


async def bench_moves(settings: Settings, seconds: float, *, profile: bool) -> list[Measure]:
    """Play for `seconds` at `TABLES` tables; with `profile` also say where the time goes."""
    seen = Seen(counting=False, answers=[], views=[])
    loop = asyncio.get_running_loop()
    async with test_players(PLAN.players, settings, STALL_S) as (clients, _):
        starting = asyncio.Semaphore(STARTING_MAX)
        tables = [_People(number, clients) for number in range(TABLES)]
        tasks = [asyncio.create_task(each.play_on(starting, seen)) for each in tables]
        await _unless_failed(tasks, WARM_UP_S)
        seen.counting, begun = True, loop.time()
        before = used_s(settings.pids)
        await _unless_failed(tasks, seconds)
        seen.counting, took = False, loop.time() - begun
        after = used_s(settings.pids)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        bounds = {
            "NATS request and reply": await echoes_per_s(settings, TABLES, seconds / 2),
            "asyncpg insert": await inserts_per_s(settings.database_url, TABLES, seconds / 2),
        }
        await asyncio.gather(*(each.leave() for each in tables))
    moves = len(seen.answers)
    measures = [Measure(f"moves at {TABLES} tables", moves / took, "moves/s", bounds)]
    for what, times in (("answer", seen.answers), ("answer and view", seen.views)):
        cuts = statistics.quantiles(times, n=100)
        measures.append(Measure(f"moves p50 to {what}", cuts[49] * 1000, "ms"))
        measures.append(Measure(f"moves p99 to {what}", cuts[98] * 1000, "ms"))
    if profile:
        measures += [
            Measure(f"moves CPU of {name}", (after[name] - before[name]) * 1e6 / moves, "us/move")
            for name in before
            if name in after
        ]
    return measures


async def _unless_failed(tasks: list[asyncio.Task[None]], seconds: float) -> None:
    """Wait; raises what one of the tasks raises meanwhile, for none of them ends by itself."""
    done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()


class _People:
    """The people at one table after the other."""

    def __init__(self, number: int, clients: Mapping[str, PlayerClient]) -> None:
        self._number = number
        self._people = [clients[player] for player in PLAN.people_at(number)]
        self._table = ""

    async def play_on(self, starting: asyncio.Semaphore, seen: Seen) -> None:
        """Play one game after the other, without end."""
        while True:
            async with starting:
                self._table = await start_table(PLAN, self._number, self._people)
            async with asyncio.TaskGroup() as group:
                for nr, person in enumerate(self._people):
                    rng = PLAN.chance_of(self._number, nr)
                    group.create_task(_play(person, self._table, rng, seen))
            for person in self._people:
                person.forget(self._table)
                person.acks.clear()
                person.counts.answered_s.clear()

    async def leave(self) -> None:
        """Leave the last game, so that computers end it and nobody is waited for."""
        for person in self._people if self._table else ():
            with suppress(Refused):  # it has ended, or begun without him
                await person.leave(self._table)


async def _play(person: PlayerClient, table: str, rng: random.Random, seen: Seen) -> None:
    loop = asyncio.get_running_loop()
    seat = person.seat(table)
    view = await seat.newer(0, STALL_S)
    while not view.ended:
        version = view.version
        if view.questions:
            question = rng.choice(view.questions)
            begun = loop.time()
            ack = await person.move(table, question.prompt, choose(question, rng, GAMES[PLAN.game]))
            answered = loop.time()
            view = await seat.newer(ack.last - 1, STALL_S)
            if seen.counting:
                seen.answers.append(answered - begun)
                seen.views.append(loop.time() - begun)
        else:
            view = await seat.newer(version, STALL_S)
