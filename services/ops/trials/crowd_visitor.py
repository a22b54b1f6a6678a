"""One of the crowd: goes from table to table, with habits, until the evening is over."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from random import Random
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from contracts import subjects
from contracts.chat import decode_chat
from contracts.envelope import chain_hash
from contracts.leaderboard import (
    Leaderboard,
    LeaderboardLine,
    LeaderboardQuery,
    decode_leaderboard,
)
from contracts.lobby import LobbyQuery, OpenTable, OpenTables, decode_lobby
from contracts.replies import Rejected, StoredEvents
from domain.games import GAMES
from domain.refusals import Refused
from services.kit.bus import BusError
from services.kit.client import Answer, Counts, PlayerClient, Seat, Unanswered
from services.kit.seen import SeenView
from services.ops.simulation.habits import Habit, habit
from services.ops.simulation.person import LOOK_S, TOO_LATE, Person
from services.ops.trials.crowd_hall import Hall
from services.ops.trials.crowd_line import Line

HASH_BYTES: Final = 32
PATIENCE_S: Final = 30.0
ARRIVE_S: Final = 8.0
"""Everybody comes within so long."""
THINK_S: Final = (0.5, 1.0, 3.0)
SHORT_LOOK_S: Final = 2.0
"""While people gather, and in the end, what has not changed is looked at again so often."""
OPENER_WAITS_S, GUEST_WAITS_S, CALM_WAITS_S = 10.0, 40.0, 10.0
"""So long openers wait for others, others for a start, and everybody in the end."""
ALONE, TALKS, AGAIN, READS_LOG = 0.1, 0.03, 0.6, 0.1
"""Chances: to play alone, to chat at a question, to play again, to check the log in the end."""
UNTIMED: Final = frozenset({"rat", "resume", "log"})
"""Verbs that change nothing: only commands are timed."""
_QUESTION_S: Final = 2.0
_encode = msgspec.json.Encoder().encode


class Timing(NamedTuple):
    """When a command was sent (the loop's time), and after how many seconds it was answered."""

    at: float
    took_s: float


class Heard(NamedTuple):
    """What a player heard of a table: the hashes of the facts after number `passed`, in order.

    `to_the_end`: he was there when it ended.
    """

    player: str
    table: str
    hashes: bytes
    to_the_end: bool
    passed: int = 0


class Client(PlayerClient):
    """A player's client that notes when which command was answered."""

    def __init__(self, line: Line, player: str, counts: Counts, timings: list[Timing]) -> None:
        """Speak through this line."""
        super().__init__(line, player, patience_s=PATIENCE_S, shared=counts)
        self._timings = timings

    async def send(
        self, table: str, verb: str, command_id: str | None = None, **fields: Any
    ) -> Answer:
        """Send a command until it is answered."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            return await super().send(table, verb, command_id, **fields)
        finally:
            if verb not in UNTIMED:
                self._timings.append(Timing(begun, clock() - begun))


class Visitor(Person):
    """One of the crowd, who sits at one table at a time."""

    def __init__(
        self, client: Client, line: Line, rng: Random, calm: asyncio.Event, hall: Hall
    ) -> None:
        """Come in with this client; in the end so many people together are as quick as a crowd."""
        super().__init__(client, rng, calm, hall.games)
        self.heard: list[Heard] = []
        self._line = line
        self._hall = hall
        self._table = ""
        self._goes_home = False
        self._since: dict[str, float] = {}
        self._over = False
        self._finished = ""
        self._looking: asyncio.Timeout | None = None

    async def visit(self) -> None:
        """Come in, and play at one table after the other until the evening is over."""
        await self.rest(self._rng.uniform(0, ARRIVE_S))
        await self._line.dial()
        async with self.client:
            while not self._calm.is_set():
                try:
                    await self._evening()
                except (Refused, BusError) as error:
                    code = error.code if isinstance(error, Refused) else type(error).__name__
                    self.findings.append(f"{self._table} answered {code}: {error}")
                    await self.farewell()
            await self._give_up()

    async def farewell(self) -> None:
        """Get up from the table, if he sits at one; nobody is to wait for him."""
        if self._table:
            if not self._line.is_up:
                await self._line.dial()
            with suppress(Refused, Unanswered, BusError):
                await self.client.leave(self._table)
            await self._give_up()

    def hurry(self) -> None:
        """Tell him that the evening is over, whatever he waits for."""
        self._since.clear()
        if self._looking is not None:
            self._looking.reschedule(asyncio.get_running_loop().time())

    def go_home(self) -> None:
        """Tell him to leave also the game that he still plays."""
        self._goes_home = True

    async def place(self, game: str) -> LeaderboardLine | None:
        """Ask for his own line of a leaderboard; raises BusError."""
        subject = subjects.leaderboard(self.client.player, game)
        query = _encode(LeaderboardQuery(limit=1, player=self.client.player))
        answer = decode_leaderboard(await self._line.request(subject, query, _QUESTION_S))
        return answer.own if isinstance(answer, Leaderboard) else None

    # Which table

    async def _evening(self) -> None:
        table = await self._sit_down()
        if table is None:
            await self.rest(self._rng.uniform(1, 3))
        while table is not None:
            await self._stay(table)
            table = await self._once_more(table)

    async def _sit_down(self) -> str | None:
        """Join a table of others, or open one; None where there is none and no room."""
        for each in await self._open_tables():
            self._hall.enter(each.table, self.client.player)
            try:
                await self.until_done(each.table, "join", self.client.new_id(), self._share())
            except Refused as refused:
                self._hall.depart(each.table, self.client.player)
                if refused.code not in TOO_LATE:
                    raise
                continue
            return each.table
        alone = self._rng.random() < ALONE
        return await self._open(alone=alone) if alone or self._hall.has_room else None

    async def _open(self, *, alone: bool) -> str:
        name, opening = self.client.new_id(), self._hall.draw(alone=alone)
        table = subjects.table_id(self.client.player, name)
        self._hall.enter(table, self.client.player, opening)
        body = {"game": opening.game, "rules": opening.rules, "options": opening.options}
        await self.until_done(table, "open", name, body)
        return table

    async def _open_tables(self) -> list[OpenTable]:
        """Ask the lobby for tables of this crowd with a free place, in any order."""
        subject = subjects.lobby_list(self.client.player)
        try:
            listed = await self._line.request(subject, _encode(LobbyQuery(limit=100)), _QUESTION_S)
        except BusError:
            return []
        answer = decode_lobby(listed)
        tables = answer.tables if isinstance(answer, OpenTables) else ()
        found = [each for each in tables if each.table in self._hall.openings and _is_free(each)]
        self._rng.shuffle(found)
        return found

    async def _stay(self, table: str) -> None:
        """Play to the end, or leave."""
        self._table = table
        clock = bool(self._hall.openings[table].rules.thinking_s)
        how = replace(habit(self._rng, clock=clock), think_s=self._rng.choice(THINK_S))
        try:
            await self.play(table, how)
            if table not in self.left:
                self._hall.ended.add(table)
                await self._read_log(table)
        finally:
            self._keep(table)
            self._hall.depart(table, self.client.player)
        self._table = ""

    def _keep(self, table: str) -> None:
        seat = self.client.seat(table)
        hashes = b"".join(bytes.fromhex(fact.hash) for fact in seat.facts)
        whole = seat.view is not None and seat.view.ended and seat.complete
        self.heard.append(Heard(self.client.player, table, hashes, whole, seat.passed))
        self._over = seat.view is not None and seat.view.phase == "finished"
        self.client.forget(table)

    async def _once_more(self, table: str) -> str | None:
        """Play again where one can and likes to; else give up the place that may be held."""
        if table in self.left or not self._over:
            return None
        self._finished = table
        if self._calm.is_set() or self._rng.random() >= AGAIN:
            await self._give_up()
            return None
        self.did["again"] += 1
        following = await self.again(table)
        if following is not None:
            self._hall.enter(following, self.client.player)
        return following

    async def _give_up(self) -> None:
        """Let nobody wait for him at the table that follows the last one."""
        if self._finished:
            with suppress(Refused, Unanswered, BusError):
                await self.client.leave(subjects.successor_id(self._finished))

    def _share(self) -> dict[str, str]:
        return {"client_seed": f"crowd-{self._rng.randrange(10**9)}"}

    # At the table

    async def look(self, seat: Seat, version: int) -> SeenView:
        """Wait for a newer view, and not for long where one's own patience counts."""
        playing = seat.view is not None and seat.view.phase == "playing"
        within_s = LOOK_S if playing and not self._calm.is_set() else SHORT_LOOK_S
        try:
            async with asyncio.timeout(within_s) as self._looking:
                return await seat.newer(version, within_s)
        finally:
            self._looking = None

    async def rest(self, seconds: float) -> None:
        """Do nothing for so long, or until the evening is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._calm.wait()

    async def go_away(self, _least_s: float, most_s: float) -> None:
        """Close the connection, and come back with another ticket after a while."""
        self.did["away"] += 1
        await self._line.hang_up()
        await self.rest(self._rng.uniform(0, most_s))
        await self._line.dial()
        await self.resume(self._table)

    async def turn(self, table: str, view: SeenView, habit: Habit) -> int | None:
        """Do as is the habit, and chat now and then; when it is late, leave."""
        if self._goes_home and view.phase == "playing" and await self.leave(table):
            return None
        if self._rng.random() < TALKS and not self._calm.is_set():
            await self._talk(table)
        return await super().turn(table, view, habit)

    async def gather(self, table: str, view: SeenView) -> int | None:
        """Wait for the others for a while, then start, or get up where nobody starts."""
        now = asyncio.get_running_loop().time()
        waited_s = now - self._since.setdefault(table, now)
        calm = self._calm.is_set()
        tired = waited_s > (CALM_WAITS_S if calm else GUEST_WAITS_S)
        if view.phase == "gathering" and not (view.holds and not calm):
            seated = sum(each is not None for each in view.places)
            if view.holds or (tired and view.opener != self.client.player):
                return None if await self.leave(table) else view.version
            few = seated < self._hall.openings[table].people
            if few and waited_s < OPENER_WAITS_S and not calm:
                return view.version
        return await super().gather(table, view)

    async def _talk(self, table: str) -> None:
        self.did["chat"] += 1
        verb = self._rng.choice(("say", "jubel", "aerger"))
        body = {"command_id": self.client.new_id()} | ({"text": "Na?"} if verb == "say" else {})
        subject = subjects.chat(self.client.player, table, verb)
        with suppress(BusError):
            answer = decode_chat(await self._line.request(subject, _encode(body), _QUESTION_S))
            if isinstance(answer, Rejected):
                self.client.counts.refused[answer.code] += 1

    async def _read_log(self, table: str) -> None:
        """Compare the released log with what was heard, now and then."""
        seat = self.client.seat(table)
        if self._rng.random() >= READS_LOG:
            return
        self.did["log"] += 1
        with suppress(Unanswered):
            answer = await self.client.send(table, "log", since=seat.passed)
            assert isinstance(answer, StoredEvents)
            for fact, (version, topic, state) in zip(seat.facts, answer.events, strict=False):
                known = chain_hash(answer.stream, version, topic, state.encode()).hex()
                if (fact.number, fact.hash) != (version, known):
                    self.findings.append(f"fact {version} of {table} was shown with another hash")
                    return


def _is_free(table: OpenTable) -> bool:
    places = table.places[: GAMES[table.game].people_max]
    return not table.starting and not table.holds and None in places
