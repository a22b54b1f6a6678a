"""A whole evening from one seed: services, people, troubles; then calm, until all games are over."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any

import structlog
from msgspec.structs import replace

from contracts import subjects
from contracts.subjects import PARTITIONS, stream_of
from domain.refusals import Refused
from domain.table.events import Stake, TableRules
from services.kit.client import Unanswered
from tests.sim.bank import Bank
from tests.sim.history import History
from tests.sim.people import TARGET, Habit, Person, TablePlan, habit
from tests.sim.services import Services
from tests.sim.troubles import ENDED_S, Troubles
from tests.sim.witness import Witness
from tests.world import faults
from tests.world.processes import ended
from tests.world.world import World

TROUBLE_S = (30.0, 150.0)
CALM_S = 1_800.0
"""Every game ends so long after the troubles at the latest."""
AGAIN, STAYS = 0.5, 0.8
"""The chance that a table is played again, and that one of its people wants to."""
SETTLE_S = 40.0
"""Then feed and read models have caught up."""
STRANGER = "g_fritz"
WITH_ACCOUNT = ("p_anna", "p_bert", *(f"p_test_{n}" for n in range(1, 6)))
NAMES = (*WITH_ACCOUNT, "g_dora", "g_emil")


class Evening:
    """One run and all that is known of it."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.world = World(seed)
        self.world.faults = faults.swarm(self.world.rng("faults"))
        self.history = History(self.world.store)
        self.witness = Witness(self.history)
        self.bank = Bank(WITH_ACCOUNT)
        self.services = Services(self.world, self.bank)
        self.troubles = Troubles(self.world, self.services)
        self.trouble_s = self.world.rng("length").uniform(*TROUBLE_S)
        self.plans = plans(self.world.rng("plans"))
        self.people: dict[str, Person] = {}
        self.tables: dict[str, TablePlan] = {}
        self.unfinished: list[str] = []
        self.servers: list[int] = []
        self.calm_ms = 0
        self._calm = asyncio.Event()

    def run(self) -> Evening:
        """Play it; what the services log as an error counts as a failure."""
        world = self.world
        world.net.capture.listeners.append(self.witness)
        before = structlog.get_config()
        structlog.configure(processors=[self._logged])
        try:
            world.run(self._play())
        finally:
            structlog.configure(**before)
        return self

    def _logged(self, _logger: Any, method: str, event: Any) -> Any:
        self.world.trace("log", f"{method} {event.get('event')}")
        if method in {"error", "exception", "critical"}:
            self.world.failures.append(f"{method}: {event}")
        raise structlog.DropEvent

    async def _play(self) -> None:
        world = self.world
        for name in NAMES:
            bus = world.net.client(name)
            self.people[name] = Person(bus, name, world.rng(name), self._calm)
            await self.people[name].client.__aenter__()
        self.services.start()
        playing = [
            asyncio.create_task(self._table(plan, number)) for number, plan in enumerate(self.plans)
        ]
        watching = asyncio.create_task(self._watch())
        await self.troubles.make(self.trouble_s)
        world.faults = faults.none()
        await asyncio.sleep(ENDED_S)
        self.calm_ms = world.loop.now_ms()
        world.trace("scenario", "calm")
        self._calm.set()
        done, left = await asyncio.wait(playing, timeout=CALM_S)
        for task in done:
            if task.exception() is not None:
                world.failures.append(f"a table's people failed: {task.exception()!r}")
        for task in left:
            task.cancel()
        watching.cancel()
        self.unfinished = [
            table
            for table, plan in self.tables.items()
            if plan.starts and not self.history.of(table).ended
        ]
        await self._settle()
        served = Counter(each.pattern for each in world.net.subscriptions)
        self.servers = [served[subjects.commands_of(number)] for number in range(PARTITIONS)]
        await self._stop()

    async def _table(self, plan: TablePlan, number: int) -> None:
        """Gather at a table and play there to the end."""
        rng = self.world.rng(f"table-{number}")
        await asyncio.sleep(rng.uniform(0, self.trouble_s / 2))
        opener, *others = [self.people[name] for name in plan.people]
        options: dict[str, str | int | bool] = {"target": TARGET, "bilanz": plan.bilanz}
        name = opener.client.new_id()
        table = subjects.table_id(opener.client.player, name)
        self.tables[table] = plan
        opening = {"game": "speeddive", "rules": plan.rules, "options": options}
        if not await opener.sit_down(table, "open", name, opening):
            del self.tables[table]
            return
        joins = [
            each.sit_down(table, "join", each.client.new_id(), {"client_seed": f"s{n}-{number}"})
            for n, each in enumerate(others)
        ]
        sitting = await asyncio.gather(*joins)
        others = [each for each, sits in zip(others, sitting, strict=True) if sits]
        people = tuple(each.client.player for each in (opener, *others))
        self.tables[table] = plan = replace(plan, people=people)
        if not plan.starts:
            if rng.random() < 0.5:  # nobody stays, and the table closes
                leaves = [
                    each.until_done(table, "leave", each.client.new_id(), {})
                    for each in (opener, *others)
                ]
                await asyncio.gather(*leaves)
            return
        for person in (opener, *others):
            person.client.seat(table)
        start = {"client_seed": "opener" if rng.random() < 0.5 else ""}
        with suppress(Refused):  # too few have come; then they get up again
            await opener.until_done(table, "start", opener.client.new_id(), start)
        clock = bool(plan.rules.thinking_s)
        async with asyncio.TaskGroup() as group:
            for person in (opener, *others):
                how = habit(rng, clock=clock)
                stays = rng.choice((0.0, 1.0, 5.0, 130.0)) if rng.random() < STAYS else None
                group.create_task(self._stay(person, table, how, stays))

    async def _stay(self, person: Person, table: str, how: Habit, stays: float | None) -> None:
        """Play to the end, and once more after so many seconds, if at all."""
        await person.play(table, how)
        plan = self.tables[table]
        if not plan.again or stays is None or table in person.left:
            return
        await asyncio.sleep(stays)
        if self.history.of(table).state.phase != "finished":
            return
        successor = await person.again(table)
        if successor is None:
            return
        here = self.tables.get(successor, replace(plan, people=(), again=False))
        self.tables[successor] = replace(here, people=(*here.people, person.client.player))
        await person.play(successor, how)

    async def _watch(self) -> None:
        """Look at one table after the other without playing, and at its log once it is over."""
        rng = self.world.rng("watch")
        stranger = Person(self.world.net.client(STRANGER), STRANGER, rng, self._calm)
        while True:
            await asyncio.sleep(rng.uniform(0.5, 8))
            if self.tables:
                table = rng.choice(list(self.tables))
                with suppress(Refused, Unanswered):
                    await stranger.client.send(table, rng.choice(("resume", "log")), since=0)

    async def _settle(self) -> None:
        """Wait until the feed and the read models have everything."""
        loop, store = self.world.loop, self.world.store
        until = loop.time() + SETTLE_S
        while loop.time() < until:
            end = store.log[-1].id
            behind = [
                name for name in ("ledger", "lobby", "bank") if store.checkpoints[name][1] < end
            ]
            tables = sum(row.originator_id.startswith(stream_of("")) for row in store.log)
            if not behind and self.world.feed.last_seq == tables:
                return
            await asyncio.sleep(0.5)

    async def _stop(self) -> None:
        """End every process in order."""
        for process in self.services.processes.values():
            life = process.life
            process._wanted = False
            self.services.ask_to_stop(process)
            if life is not None and life.alive:
                await asyncio.wait([life.tasks[0]], timeout=30.0)
                if life.alive:
                    self.world.failures.append(f"{life!r} does not stop")
                    life.end("killed")
            if life is not None:
                await ended(life)


def plans(rng: Random) -> list[TablePlan]:
    """Draw the tables of an evening."""
    out = []
    for _ in range(rng.randrange(2, 7)):
        places = rng.randrange(2, 5)
        people = rng.randrange(1, places + 1)
        computers = people < 2 or rng.random() < 0.6
        stake: Stake = rng.choice((0, 10))
        names = tuple(rng.sample(WITH_ACCOUNT if stake else NAMES, people))
        rules = TableRules(
            places=places,
            computers=computers,
            thinking_s=rng.choice((0, 30, 30, 60)),
            tempo=rng.choice(("normal", "schnell")),
            stake=stake,
            solo=people == 1 and computers and not stake,
        )
        again = rng.random() < AGAIN
        out.append(TablePlan(names, rules, rng.random() < 0.5, rng.random() < 0.9, again))
    return out
