"""Whole tables made by the decider and appended as the table service does."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from contracts import subjects, topics
from contracts.fairness import commitment, shuffle, strategy_seed
from domain.games import GAMES
from domain.kernel import Pause
from domain.options import sample
from domain.table import commands as c
from domain.table.case import Actor, Case, Decided, House
from domain.table.clocks import is_computer, next_wake
from domain.table.decider import decide
from domain.table.events import TableRules
from domain.table.playing import numbered
from domain.table.state import Table, persons
from services.kit.store.chain import Entry, extend
from services.kit.store.model import Append, IndexRow, Unit

BEGIN_MS = 1_700_000_000_000


class Played:
    """One table, from its opening on; `append`s collects what its owner would append."""

    def __init__(self, seed: int, people: int = 2, seats: int = 3, game: str = "speeddive") -> None:
        self.rng = random.Random(seed)
        self.game = GAMES[game]
        self.opener = "p_test_1"
        self.players = [f"p_test_{n + 1}" for n in range(people)]
        self.table = Table(subjects.table_id(self.opener, f"command_{seed}"))
        self.waiting: Any = None
        self.head_hash = b""
        self.now = BEGIN_MS
        self.appends: list[Append] = []
        self.house = House(
            shuffle, house_seed := sha256(b"%d" % seed).hexdigest(), commitment(house_seed)
        )
        self.rules = TableRules(places=seats, min_game_s=0)

    def do(self, player: str, command: c.Command) -> Decided:
        """Decide a command and note its append; raises Refused."""
        self.now += 1_000
        actor = Actor(player, self.now, test=True)
        case = Case(self.game, self.table, self.waiting, actor, self.house)
        decided = decide(case, command)
        if decided.facts:
            self._append(player, case.at, decided)
        self.table, self.waiting = decided.table, decided.waiting
        return decided

    def _append(self, player: str, at: int, decided: Decided) -> None:
        stream, head = subjects.stream_of(self.table.table_id), self.table.version
        name = f"c_{head}"
        entries = [Entry(*topics.encode(fact), at, player, name, "d") for fact in decided.facts]
        rows, hashes = extend(stream, head, self.head_hash, entries, topics.check)
        self.head_hash = hashes[-1]
        table = decided.table
        index = IndexRow(
            stream,
            "table",
            subjects.partition_of(table.table_id),
            table.game,
            table.phase,
            table.version,
            self.head_hash,
            next_wake(table, decided.waiting),
        )
        self.appends.append(Append(stream, head, rows, index))

    def gather(self) -> None:
        """Open, seat everybody and start."""
        self.do(self.opener, c.Open(self.game.name, {"target": 100}, self.rules))
        for player in self.players[1:]:
            self.do(player, c.Join(client_seed=f"seed_of_{player}"))
        self.do(self.opener, c.Start(client_seed="abc"))

    def step(self) -> None:
        """Make one move, by whoever is asked; pauses are clicked away or run out."""
        if isinstance(self.waiting, Pause):
            people = [seat for seat in persons(self.table) if seat not in self.table.gone_on]
            player = self.table.seats[people[0]].player
            self.do(player, c.GoOn(self.table.raised))
            return
        case = Case(self.game, self.table, self.waiting, Actor("nobody", 0), self.house)
        prompt, ask = self.rng.choice(numbered(case))
        move = sample(ask.options, self.rng.randrange)
        if is_computer(self.table, ask.seat):
            seed = strategy_seed(self.table.seed, self.table.table_id, prompt, ask.seat, ask.part)
            self.do(subjects.BOT, c.Decide(ask.seat, prompt, move, "random", 1, seed))
        else:
            self.do(self.table.seats[ask.seat].player, c.Play(prompt, move))

    def play(self, until: Callable[[Table], bool] = lambda _: False) -> Played:
        """Play on to the end, or until the condition holds after a move."""
        while self.table.phase == "playing" and not until(self.table):
            self.step()
        return self

    @property
    def units(self) -> Iterator[Unit]:
        return (Unit((append,)) for append in self.appends)


def finished(seed: int = 1, people: int = 2, seats: int = 3) -> Played:
    """A table whose game is over."""
    played = Played(seed, people, seats)
    played.gather()
    return played.play()


def running(seed: int = 1, facts: int = 60, people: int = 2, seats: int = 3) -> Played:
    """A table in the middle of its game."""
    played = Played(seed, people, seats)
    played.gather()
    return played.play(lambda table: table.version >= facts)
