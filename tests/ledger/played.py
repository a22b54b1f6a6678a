"""Tables that are played by the domain's own rules and stored by the recorder, without a bus."""

from __future__ import annotations

from typing import Any

from contracts import topics
from contracts.fairness import commitment, shuffle
from contracts.subjects import is_registered, partition_of, stream_of, table_id
from domain.games import GAMES
from domain.kernel import Ask, Pause
from domain.table import commands as c
from domain.table.case import Actor, Case, House
from domain.table.clocks import is_computer
from domain.table.decider import awaited, decide
from domain.table.events import TableRules
from domain.table.state import Table
from services.kit.store.chain import Entry, extend
from services.kit.store.model import Append, IndexRow, Unit
from services.kit.store.recorder import Recorder

SEED = "5e" * 32
BEGUN = 1_700_000_000_000
GAME_MS = 100_000
"""How long a whole game takes here: more than the 90 s below which none is entered."""


class Played:
    """One table; every command is decided and stored."""

    def __init__(self, recorder: Recorder, name: str = "t", opener: str = "p_anna") -> None:
        self.game = GAMES["speeddive"]
        self.opener = opener
        self.table = Table(table_id(opener, name))
        self.at = BEGUN
        self._recorder = recorder
        self._head_hash = b""

    async def do(self, command: c.Command, player: str = "") -> None:
        """Decide a command of a player, the opener by default, and store its facts."""
        table, player = self.table, player or self.opener
        actor = Actor(player, self.at, registered=is_registered(player), test=True)
        house = House(shuffle, SEED, commitment(SEED))
        case = Case(self.game, table, awaited(self.game, table), actor, house)
        decided = decide(case, command)
        await self.store(decided.facts, decided.table)

    async def store(self, facts: tuple[Any, ...], after: Table) -> None:
        """Store facts that lead to a state."""
        encoded = [topics.encode(fact) for fact in facts]
        entries = [Entry(topic, data, self.at, "test", "", "") for topic, data in encoded]
        await self.store_raw(entries, after)

    async def store_raw(self, entries: list[Entry], after: Table) -> None:
        """Store entries unchecked."""
        stream, head = stream_of(self.table.table_id), self.table.version
        rows, hashes = extend(stream, head, self._head_hash, entries, lambda *_: None)
        self._head_hash = hashes[-1]
        index = IndexRow(
            stream,
            "table",
            partition_of(self.table.table_id),
            self.game.name,
            after.phase,
            head + len(rows),
            self._head_hash,
            None,
        )
        await self._recorder.append(Unit((Append(stream, head, rows, index),)))
        self.table = after

    async def open(self, places: int = 2, min_game_s: int = 90, *, computers: bool = True) -> None:
        rules = TableRules(places, computers=computers, thinking_s=0, min_game_s=min_game_s)
        await self.do(c.Open("speeddive", {"target": 100, "bilanz": False}, rules))

    async def begin(self, places: int = 2, *others: str, min_game_s: int = 90) -> None:
        """Open, let others sit down, and start; computers take the rest."""
        await self.open(places, min_game_s)
        for player in others:
            await self.do(c.Join(), player)
        await self.do(c.Start())

    async def finish(self, game_ms: int = GAME_MS) -> Table:
        """Play to the end with the questions' defaults; the last moves come `game_ms` later."""
        self.at = self.table.started_at + game_ms
        while self.table.phase == "playing":
            waiting = awaited(self.game, self.table)
            assert not isinstance(waiting, Pause)
            assert isinstance(waiting, Ask)
            prompt = self.table.raised
            if is_computer(self.table, waiting.seat):
                await self.do(c.Decide(waiting.seat, prompt, waiting.default, "default", 1), "bot")
            else:
                player = self.table.seats[waiting.seat].player
                await self.do(c.Play(prompt, waiting.default), player)
        return self.table
