"""People of the simulated world: their connection is cut when they go away."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from random import Random
from typing import Any

from msgspec import Struct

from domain.games import GAMES
from domain.refusals import Code, Refused
from domain.table.events import TableRules
from services.kit.client import PlayerClient
from services.ops.simulation.habits import Habit, habit
from services.ops.simulation.person import Person as AnyPerson
from tests.world.bus import WorldBus

__all__ = ("TARGET", "Habit", "Person", "TablePlan", "habit")

TARGET = 100
"""Points to which a game is played."""
PATIENCE_S = 20.0


class TablePlan(Struct, frozen=True):
    """One table: who plays there, the opener first, and its rules."""

    people: tuple[str, ...]
    rules: TableRules
    bilanz: bool
    starts: bool = True
    again: bool = False


class Person(AnyPerson):
    """One player with one connection, at any number of tables of Speeddive."""

    def __init__(self, bus: WorldBus, player: str, rng: Random, calm: asyncio.Event) -> None:
        client = PlayerClient(bus, player, patience_s=PATIENCE_S)
        super().__init__(client, rng, calm, defaultdict(lambda: GAMES["speeddive"]))
        self.bus = bus

    async def sit_down(self, table: str, verb: str, name: str, fields: dict[str, Any]) -> bool:
        """Open a table or join it; False for who sits at another one."""
        try:
            await self.until_done(table, verb, name, fields)
        except Refused as refused:
            if refused.code != Code.SEATED_ELSEWHERE:
                raise
            return False
        return True

    async def go_away(self, least_s: float, most_s: float) -> None:
        self.bus.cut = True
        await asyncio.sleep(self._rng.uniform(least_s, most_s))
        self.bus.cut = False
