"""People at tables: quick, slow, silent, clumsy, unfaithful, and away for a while."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from random import Random
from typing import Any

from msgspec import Raw, Struct

from contracts.subjects import successor_id
from domain.games import GAMES
from domain.refusals import Code, Refused
from domain.table.events import TableRules
from services.kit.client import PlayerClient, Unanswered, accepted
from services.kit.clock import now_ms
from services.kit.seen import SeenView
from services.ops.simulation.play import OVERTAKEN, choose
from tests.world.bus import WorldBus

SPEEDDIVE = GAMES["speeddive"]

TARGET = 100
"""Points to which a game is played."""
PATIENCE_S = 20.0
LOOK_S = 60.0
STARTS_MAX = 3
"""Starts that one person tries in vain at one table before he gets up."""
GIVES_UP = 0.1
"""The chance that who may play again has changed his mind."""
GETS_UP = 0.05
"""The chance that somebody gets up while the stakes are collected."""
BEGUN = frozenset(
    {Code.STARTING, Code.SEAT_HELD, Code.NOT_GATHERING, Code.NOT_OPENER, Code.FINISHED}
)
"""Refusals of a start that another one, or a leaver, has forestalled."""
TOO_LATE = frozenset(
    {
        *(Code.FINISHED, Code.NOT_GATHERING, Code.SEAT_HELD, Code.STARTING, Code.TABLE_FULL),
        Code.SEATED_ELSEWHERE,
    }
)
"""Refusals of who wants to play again when the others have gone on without him."""
SILENCES_MAX = 3
"""Questions that one person at one table lets pass: each costs a clock's time."""


class TablePlan(Struct, frozen=True):
    """One table: who plays there, the opener first, and its rules."""

    people: tuple[str, ...]
    rules: TableRules
    bilanz: bool
    starts: bool = True
    again: bool = False


class Habit(Struct, frozen=True):
    """How a person behaves at one table, as chances per question; times in seconds."""

    think_s: float = 1.0
    long_s: float = 0.0
    silent: float = 0.0
    twice: float = 0.0
    reused: float = 0.0
    nonsense: float = 0.0
    leaves: float = 0.0
    away: float = 0.0
    forgets: float = 0.0
    turbo: float = 0.0
    rat: float = 0.0
    vanishes: float = 0.0


def habit(rng: Random, *, clock: bool) -> Habit:
    """Draw a habit; most of them are off at a time."""

    def maybe(top: float) -> float:
        return rng.uniform(0, top) if rng.random() < 0.4 else 0.0

    return Habit(
        rng.choice((0.0, 0.5, 2.0)),
        maybe(0.05),
        maybe(0.4) if clock else 0.0,
        maybe(0.5),
        maybe(0.2),
        maybe(0.5),
        maybe(0.08),
        maybe(0.08),
        maybe(0.1),
        maybe(0.1),
        maybe(0.5),
        maybe(0.02),
    )


class Person:
    """One player with one connection, at any number of tables."""

    def __init__(self, bus: WorldBus, player: str, rng: Random, calm: asyncio.Event) -> None:
        self.bus = bus
        self.client = PlayerClient(bus, player, patience_s=PATIENCE_S)
        self.findings: list[str] = []
        self.left: set[str] = set()
        self._silences: Counter[str] = Counter()
        self._starts: Counter[str] = Counter()
        self._rng = rng
        self._calm = calm

    async def until_done(self, table: str, verb: str, name: str, fields: dict[str, Any]) -> None:
        """Send a command until it is answered, however long that takes; raises Refused."""
        while True:
            try:
                accepted(await self.client.send(table, verb, name, **fields))
            except Unanswered:
                continue
            return

    async def sit_down(self, table: str, verb: str, name: str, fields: dict[str, Any]) -> bool:
        """Open a table or join it; False for who sits at another one."""
        try:
            await self.until_done(table, verb, name, fields)
        except Refused as refused:
            if refused.code != Code.SEATED_ELSEWHERE:
                raise
            return False
        return True

    async def play(self, table: str, habit: Habit) -> None:
        """Answer till the table has ended, or the person has left."""
        version: int | None = 0
        while version is not None:
            seat = self.client.seat(table)
            try:
                view = await seat.newer(version, LOOK_S)
            except (TimeoutError, Unanswered):
                version = 0 if seat.view is None else seat.view.version - 1  # the same once more
                continue
            if view.ended:
                if seat.complete:
                    return
                version = 0
                await self._resume(table)
                continue
            version = await self._turn(table, view, habit)

    async def _turn(self, table: str, view: SeenView, habit: Habit) -> int | None:
        """Do as is the habit; give the version behind which to look on, None after leaving."""
        chance = self._rng.random
        if view.phase in {"gathering", "starting"}:
            return await self._gather(table, view)
        await self._replace(table, view)
        if self._calm.is_set() or (view.summary is None and not view.questions):
            return await self._answer(table, view, Habit(0.2))
        if chance() < habit.leaves and await self._leave(table):
            return None
        if chance() < habit.silent and self._silences[table] < SILENCES_MAX:
            self._silences[table] += 1
            return view.version
        if chance() < habit.away:
            await self._go_away(1, 40)
        if chance() < habit.vanishes:
            await self._go_away(60, 600)
        if chance() < habit.turbo:
            await self._turbo(table, on=not view.turbo)
        if chance() < habit.forgets:
            self.client.forget(table)
            return 0
        return await self._answer(table, view, habit)

    async def again(self, table: str) -> str | None:
        """Sit down where the people of a finished table play again; None when one cannot."""
        name, share = self.client.new_id(), {"client_seed": f"again-{self.client.player}"}
        try:
            await self.until_done(table, "again", name, {})
        except Refused as refused:
            if refused.code == Code.SEATED_ELSEWHERE:
                return None
            if refused.code != Code.FINISHED or refused.hint != successor_id(table):
                self.findings.append(f"{table} is not played again: {refused.code}")
                return None
        successor = successor_id(table)
        if self._rng.random() < GIVES_UP:
            with suppress(Refused):  # they may have begun without him
                await self.until_done(successor, "leave", self.client.new_id(), {})
            return None
        try:
            await self.until_done(successor, "join", self.client.new_id(), share)
        except Refused as refused:
            # Who opened it sits there already, also when it has begun.
            view = await self._resume(successor)
            if refused.code not in TOO_LATE:
                raise
            seats = () if view is None else (*view.places, *view.seats)
            if not any(each is not None and each.player == self.client.player for each in seats):
                return None
        return successor

    async def _gather(self, table: str, view: SeenView) -> int | None:
        """Wait for the start, start again where it is one's own to, or get up."""
        me, rng = self.client.player, self._rng
        short = view.denied is not None and me in view.denied.players
        fickle = view.phase == "starting" and not self._calm.is_set() and rng.random() < GETS_UP
        if short or fickle or self._starts[table] > STARTS_MAX:
            return None if await self._leave(table) else view.version
        if view.phase == "starting" or view.opener != me or view.holds:
            return view.version
        self._starts[table] += 1
        await asyncio.sleep(rng.uniform(0, 3))
        try:
            await self.until_done(table, "start", self.client.new_id(), {})
        except Refused as refused:
            if refused.code == Code.TOO_FEW_SEATS:
                return None if await self._leave(table) else view.version
            if refused.code not in BEGUN:
                raise
        now = await self._resume(table)
        return view.version if now is None else now.version - 1

    async def _answer(self, table: str, view: SeenView, habit: Habit) -> int:
        """Answer what is asked; give the version whose successor is to be looked at."""
        rng = self._rng
        if view.summary is None and not view.questions:
            return view.version
        await asyncio.sleep(rng.uniform(0, habit.think_s))
        if rng.random() < habit.long_s:
            await asyncio.sleep(rng.uniform(20, 60))
        if rng.random() < habit.nonsense:
            await self._nonsense(table, view)
        try:
            if view.summary is not None:
                await self._send(habit, table, "weiter", {"prompt": view.summary})
            else:
                question = rng.choice(view.questions)
                move = choose(question, rng, SPEEDDIVE)
                if rng.random() < habit.rat:
                    move = await self._advised(table, question.prompt, move)
                fields = {"prompt": question.prompt, "move": move}
                await self._send(habit, table, "move", fields)
        except Unanswered:
            return view.version - 1
        except Refused as refused:
            if refused.code not in OVERTAKEN:
                raise
            await asyncio.sleep(0.05)
            now = await self._resume(table)
            return view.version if now is None else now.version - 1
        return view.version

    async def _send(self, habit: Habit, table: str, verb: str, fields: dict[str, Any]) -> None:
        """Send once, twice at once, or once more with another content."""
        client, rng = self.client, self._rng
        name = client.new_id()
        if rng.random() < habit.twice:
            sends = [client.send(table, verb, name, **fields) for _ in range(2)]
            for outcome in await asyncio.gather(*sends, return_exceptions=True):
                if isinstance(outcome, BaseException):
                    raise outcome
            return
        answer = accepted(await client.send(table, verb, name, **fields))
        if answer.first > answer.last:
            return  # it was fulfilled already: nothing of it is stored, nor its id
        if rng.random() < habit.reused:
            try:
                await client.send(table, "leave", name)
            except Unanswered:
                return
            except Refused as refused:
                if refused.code != Code.COMMAND_REUSED:
                    self.findings.append(f"a reused id is refused as {refused.code}")
            else:
                self.findings.append(f"{client.player}: a reused id was accepted at {table}")

    async def _nonsense(self, table: str, view: SeenView) -> None:
        """Send what must be refused."""
        wrong: tuple[tuple[str, dict[str, Any]], ...] = (
            ("move", {"prompt": max(0, view.version - 9), "move": Raw(b'{"type":"Dive"}')}),
            ("move", {"prompt": view.version + 9, "move": Raw(b'{"type":"Dive"}')}),
            ("move", {"prompt": view.version, "move": Raw(b'{"type":"Fly"}')}),
            ("weiter", {"prompt": 0}),
            ("start", {}),
            ("log", {"since": 0}),
            ("decide", {"seat": 0}),
            ("open", {"game": "speeddive", "rules": TableRules(places=2)}),
        )
        verb, fields = self._rng.choice(wrong)
        try:
            await self.client.send(table, verb, **fields)
        except (Refused, Unanswered):
            return
        if verb != "log":  # it is over meanwhile; whether it is, the witness has seen
            self.findings.append(f"{self.client.player}: {verb} was accepted at {table}")

    async def _leave(self, table: str) -> bool:
        """Leave; False when the table is over."""
        try:
            await self.until_done(table, "leave", self.client.new_id(), {})
        except Refused as refused:
            if refused.code not in OVERTAKEN:
                raise
            return False
        self.left.add(table)
        return True

    async def _turbo(self, table: str, *, on: bool) -> None:
        try:
            await self.client.turbo(table, on=on)
        except Unanswered:
            return
        except Refused as refused:
            if refused.code not in {Code.NOT_SOLO, Code.FINISHED}:
                raise

    async def _advised(self, table: str, prompt: int, otherwise: Any) -> Any:
        """Ask for Rat, and take the move that is advised where there is one."""
        try:
            return (await self.client.rat(table, prompt)).move
        except Unanswered:
            return otherwise
        except Refused as refused:
            if refused.code != Code.NO_RAT:
                raise
            return otherwise

    async def _replace(self, table: str, view: SeenView) -> None:
        """Bring in the computer for those who have been away for long."""
        for away in view.absent:
            if away.substituted or away.seat == view.seat or now_ms() < away.substitute_from:
                continue
            try:
                await self.client.send(table, "substitute", seat=away.seat)
            except Unanswered:
                return
            except Refused as refused:
                if refused.code not in {*OVERTAKEN, Code.NOT_OFFLINE, Code.TOO_EARLY}:
                    raise

    async def _go_away(self, least_s: float, most_s: float) -> None:
        self.bus.cut = True
        await asyncio.sleep(self._rng.uniform(least_s, most_s))
        self.bus.cut = False

    async def _resume(self, table: str) -> SeenView | None:
        try:
            return await self.client.seat(table).resume()
        except Unanswered:
            return None
