"""A person at a table with habits: answers, or does something else, until the game is over.

The whole-system simulation and the crowd trial have people of their own kind, who know how to go
away and come back.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from random import Random
from typing import Any, Final

from msgspec import Raw

from contracts.replies import Accepted
from contracts.subjects import successor_id
from domain.kernel import AnyGame
from domain.refusals import Code, Refused
from domain.table.events import TableRules
from services.kit.bus import Denied
from services.kit.client import Answer, PlayerClient, Seat, Unanswered, accepted
from services.kit.clock import now_ms
from services.kit.seen import SeenQuestion, SeenView
from services.ops.simulation.habits import Habit
from services.ops.simulation.play import OVERTAKEN, choose

LOOK_S: Final = 60.0
STARTS_MAX: Final = 3
"""Starts that one person tries in vain at one table before he gets up."""
GIVES_UP: Final = 0.1
"""The chance that who may play again has changed his mind."""
GETS_UP: Final = 0.05
"""The chance that somebody gets up while the stakes are collected."""
BEGUN: Final = frozenset(
    {Code.STARTING, Code.SEAT_HELD, Code.NOT_GATHERING, Code.NOT_OPENER, Code.FINISHED}
)
"""Refusals of a start that another one, or a leaver, has forestalled."""
TOO_LATE: Final = frozenset(
    {
        *(Code.FINISHED, Code.NOT_GATHERING, Code.SEAT_HELD, Code.STARTING, Code.TABLE_FULL),
        Code.SEATED_ELSEWHERE,
    }
)
"""Refusals of who wants to play again when the others have gone on without him."""
NO_ADVICE: Final = frozenset({Code.NO_RAT, Code.NO_ADVICE, Code.NOT_OFFERED, *OVERTAKEN})
SILENCES_MAX: Final = 3
"""Questions that one person at one table lets pass: each costs a clock's time."""


class Person:
    """One player with one client, at any number of tables.

    `findings` are sentences about what must not be; `left` are the tables that he left; `did`
    counts what he did besides answering. When `calm` is set he only answers.
    """

    calmly = Habit(0.2)

    def __init__(
        self, client: PlayerClient, rng: Random, calm: asyncio.Event, games: Mapping[str, AnyGame]
    ) -> None:
        """Behave as `rng` says; `games` tells what is played at each table."""
        self.client = client
        self.findings: list[str] = []
        self.left: set[str] = set()
        self.did: Counter[str] = Counter()
        self._games = games
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

    async def play(self, table: str, habit: Habit) -> None:
        """Answer till the table has ended, or the person has left."""
        version: int | None = 0
        while version is not None:
            seat = self.client.seat(table)
            try:
                view = await self.look(seat, version)
            except (TimeoutError, Unanswered):
                version = 0 if seat.view is None else seat.view.version - 1  # the same once more
                continue
            if view.ended:
                if seat.complete:
                    return
                version = 0
                await self.resume(table)
                continue
            version = await self.turn(table, view, habit)

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
            view = await self.resume(successor)
            if refused.code not in TOO_LATE:
                raise
            seats = () if view is None else (*view.places, *view.seats)
            if not any(each is not None and each.player == self.client.player for each in seats):
                return None
        return successor

    # What another kind of person does otherwise

    async def look(self, seat: Seat, version: int) -> SeenView:
        """Wait for a newer view; raises TimeoutError, Unanswered, and then it is asked for again."""
        return await seat.newer(version, LOOK_S)

    async def rest(self, seconds: float) -> None:
        """Do nothing for so long."""
        await asyncio.sleep(seconds)

    async def go_away(self, least_s: float, most_s: float) -> None:
        """Be away from the bus for a while, and come back."""
        raise NotImplementedError

    async def turn(self, table: str, view: SeenView, habit: Habit) -> int | None:
        """Do as is the habit; give the version behind which to look on, None after leaving."""
        chance = self._rng.random
        if view.phase in {"gathering", "starting"}:
            return await self.gather(table, view)
        await self._replace(table, view)
        if self._calm.is_set() or (view.summary is None and not view.questions):
            return await self._answer(table, view, self.calmly)
        if chance() < habit.leaves and await self.leave(table):
            return None
        if chance() < habit.silent and self._silences[table] < SILENCES_MAX:
            self._silences[table] += 1
            self.did["silent"] += 1
            return view.version
        if chance() < habit.away:
            await self.go_away(1, 40)
        if chance() < habit.vanishes:
            await self.go_away(60, 600)
        if chance() < habit.turbo:
            await self._turbo(table, on=not view.turbo)
        if chance() < habit.forgets:
            self.client.forget(table)
            return 0
        return await self._answer(table, view, habit)

    async def gather(self, table: str, view: SeenView) -> int | None:
        """Wait for the start, start again where it is one's own to, or get up."""
        me, rng = self.client.player, self._rng
        short = view.denied is not None and me in view.denied.players
        fickle = view.phase == "starting" and not self._calm.is_set() and rng.random() < GETS_UP
        if short or fickle or self._starts[table] > STARTS_MAX:
            return None if await self.leave(table) else view.version
        if view.phase == "starting" or view.opener != me or view.holds:
            return view.version
        self._starts[table] += 1
        await asyncio.sleep(rng.uniform(0, 3))
        try:
            await self.until_done(table, "start", self.client.new_id(), {})
        except Refused as refused:
            if refused.code == Code.TOO_FEW_SEATS:
                return None if await self.leave(table) else view.version
            if refused.code not in BEGUN:
                raise
        now = await self.resume(table)
        return view.version if now is None else now.version - 1

    async def leave(self, table: str) -> bool:
        """Leave; False when the table is over."""
        try:
            await self.until_done(table, "leave", self.client.new_id(), {})
        except Refused as refused:
            if refused.code not in OVERTAKEN:
                raise
            return False
        self.left.add(table)
        self.did["left"] += 1
        return True

    async def resume(self, table: str) -> SeenView | None:
        """Ask where the table stands; None when nobody answers."""
        try:
            return await self.client.seat(table).resume()
        except Unanswered:
            return None

    # An answer, right or wrong

    async def _answer(self, table: str, view: SeenView, habit: Habit) -> int:
        """Answer what is asked; give the version whose successor is to be looked at."""
        rng = self._rng
        if view.summary is None and not view.questions:
            return view.version
        await asyncio.sleep(rng.uniform(0, habit.think_s))
        if rng.random() < habit.long_s:
            self.did["long"] += 1
            await self.rest(rng.uniform(20, 60))
        if rng.random() < habit.nonsense:
            self.did["nonsense"] += 1
            await self._nonsense(table, view)
        try:
            if view.summary is not None:
                ack = await self._send(habit, table, "weiter", {"prompt": view.summary})
            else:
                question = rng.choice(view.questions)
                move = choose(question, rng, self._games[table])
                if rng.random() < habit.rat:
                    self.did["rat"] += 1
                    move = await self._advised(table, question, move)
                fields = {"prompt": question.prompt, "move": move}
                ack = await self._send(habit, table, "move", fields)
            # A view may still come that others caused before; what was answered is open in it.
            return max(view.version, ack.last - 1)
        except Unanswered:
            return view.version - 1
        except Refused as refused:
            return await self._overtaken(table, view, refused)

    async def _overtaken(self, table: str, view: SeenView, refused: Refused) -> int:
        """See how far the game has gone on without him; raises a refusal that says something else.

        Of a question in parts the others stay open under its number when one is answered: then a
        move for that one is not offered any more.
        """
        in_parts = refused.code == Code.NOT_OFFERED and any(each.part for each in view.questions)
        if refused.code not in OVERTAKEN and not in_parts:
            raise refused
        await asyncio.sleep(0.05)
        now = await self.resume(table)
        if in_parts and now is not None and now.questions == view.questions:
            raise refused
        return view.version if now is None else now.version - 1

    async def _send(self, habit: Habit, table: str, verb: str, fields: dict[str, Any]) -> Accepted:
        """Send once, twice at once, or once more with another content."""
        client, rng = self.client, self._rng
        name = client.new_id()
        if rng.random() < habit.twice:
            return await self._send_twice(table, verb, name, fields)
        answer = accepted(await client.send(table, verb, name, **fields))
        if answer.first > answer.last:
            return answer  # it was fulfilled already: nothing of it is stored, nor its id
        if rng.random() < habit.reused:
            self.did["reused"] += 1
            try:
                await client.send(table, "leave", name)
            except Unanswered:
                return answer
            except Refused as refused:
                if refused.code != Code.COMMAND_REUSED:
                    self.findings.append(f"a reused id is refused as {refused.code}")
            else:
                self.findings.append(f"{client.player}: a reused id was accepted at {table}")
        return answer

    async def _send_twice(
        self, table: str, verb: str, name: str, fields: dict[str, Any]
    ) -> Accepted:
        """Send the same bytes twice at once: both answers must say the same; raises the first."""
        self.did["twice"] += 1
        sends = [self.client.send(table, verb, name, **fields) for _ in range(2)]
        one, other = await asyncio.gather(*sends, return_exceptions=True)
        for outcome in (one, other):
            if isinstance(outcome, BaseException) and not isinstance(outcome, Refused):
                raise outcome
        if _said(one) != _said(other):
            told = f"{_said(one)} and {_said(other)}"
            self.findings.append(f"a command sent twice at once to {table} was answered {told}")
        if isinstance(one, Refused):
            raise one
        assert isinstance(one, Accepted)
        return one

    async def _nonsense(self, table: str, view: SeenView) -> None:
        """Send what must be refused."""
        asked = {question.prompt for question in view.questions}
        old = next(n for n in range(max(0, view.version - 9), -1, -1) if n not in asked)
        wrong: tuple[tuple[str, dict[str, Any]], ...] = (
            ("move", {"prompt": old, "move": Raw(b'{"type":"Dive"}')}),
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
        except (Refused, Unanswered, Denied):
            return
        if verb != "log":  # it is over meanwhile; whether it is, is for others to see
            self.findings.append(f"{self.client.player}: {verb} was accepted at {table}")

    async def _turbo(self, table: str, *, on: bool) -> None:
        self.did["turbo"] += 1
        try:
            await self.client.turbo(table, on=on)
        except Unanswered:
            return
        except Refused as refused:
            if refused.code not in {Code.NOT_SOLO, Code.FINISHED}:
                raise

    async def _advised(self, table: str, question: SeenQuestion, otherwise: Any) -> Any:
        """Ask for Rat, and take the move that is advised where there is one."""
        try:
            return (await self.client.rat(table, question.prompt, question.part)).move
        except Unanswered:
            return otherwise
        except Refused as refused:
            if refused.code not in NO_ADVICE:
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
            else:
                self.did["substituted"] += 1


def _said(outcome: Answer | BaseException) -> object:
    """Give what two answers to the same command must have in common."""
    return f"refused: {outcome.code}" if isinstance(outcome, Refused) else outcome
