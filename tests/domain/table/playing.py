"""One table in memory: given some facts, when a command comes, then these facts follow."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from contracts import fairness, topics
from domain.games import GAMES
from domain.kernel import AnyGame, Ask, Over, Pause, Waiting, asked
from domain.options import sample
from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table import events as e
from domain.table.case import Actor, Case, Decided, House
from domain.table.decider import awaited, decide
from domain.table.playing import numbered
from domain.table.state import Table, fold

TABLE = "07-0123456789abcdef01234567"
SUCCESSOR = "07-76543210fedcba9876543210"
SEED = hashlib.sha256(b"house").hexdigest()
START = 1_767_225_600_000
RULES = e.TableRules(places=3)


class Spec:
    """A table, everything that happened at it, and the clock."""

    def __init__(
        self,
        *players: str,
        rules: e.TableRules = RULES,
        options: dict[str, Any] | None = None,
        game: AnyGame | None = None,
        seed: str = SEED,
    ) -> None:
        """Open a table for the first player (`p_a` if none is named) and seat the others."""
        self.game = game or GAMES["speeddive"]
        self.table = Table(TABLE)
        self.waiting: Waiting[Any] | None = None
        self.facts: list[Any] = []
        self.stored: list[tuple[int, str, bytes]] = []
        self.now = START
        self.house = House(fairness.shuffle, seed, fairness.commitment(seed), SUCCESSOR)
        first, *others = players or ("p_a",)
        opening = c.Open(self.game.name, options or {}, rules)
        self.does(first, opening)
        for other in others:
            self.does(other, c.Join())

    @classmethod
    def unopened(cls) -> Spec:
        spec = cls()
        spec.table, spec.facts, spec.stored, spec.waiting = Table(TABLE), [], [], None
        return spec

    @classmethod
    def started(cls, *players: str, **how: Any) -> Spec:
        spec = cls(*(players or ("p_a", "p_b")), **how)
        spec.does(players[0] if players else "p_a", c.Start("opener-seed"))
        if spec.table.phase == "starting":
            spec.does("house", c.Collect(1, held=True))
        return spec

    def case(self, player: str) -> Case:
        actor = Actor(player, self.now, not player.startswith("g_"), player.startswith("p_test_"))
        return Case(self.game, self.table, self.waiting, actor, self.house)

    def does(self, player: str, command: c.Command) -> tuple[Any, ...]:
        """Carry a command out and check what must hold of every step."""
        before = self.table
        decided = decide(self.case(player), command)
        at = max(self.now, before.at)
        self._consistent(before, decided, at)
        self.table, self.waiting = decided.table, decided.waiting
        self.facts += decided.facts
        self.stored += [(at, *topics.encode(fact)) for fact in decided.facts if known(fact)]
        return decided.facts

    def _consistent(self, before: Table, decided: Decided, at: int) -> None:
        one_by_one = before
        for fact in decided.facts:
            again = topics.decode(*topics.encode(fact)) if known(fact) else fact
            assert again == fact
            one_by_one = fold(self.game, one_by_one, [(at, again)])
        assert one_by_one == decided.table
        assert fold(self.game, before, [(at, fact) for fact in decided.facts]) == decided.table
        assert decided.table.version == before.version + len(decided.facts)
        assert decided.table.at >= before.at
        assert decided.waiting == awaited(self.game, decided.table)
        if not decided.facts:
            assert decided.table == before

    def refuses(self, player: str, command: c.Command, code: Code) -> Refused:
        """Check that a command is refused with this code and changes nothing."""
        before = msgspec.json.encode(self.table)
        with pytest.raises(Refused) as caught:
            decide(self.case(player), command)
        assert caught.value.code == code
        assert caught.value.sentence.endswith(".")
        assert msgspec.json.encode(self.table) == before
        return caught.value

    def reload(self) -> Table:
        """Give the table as a new owner finds it: all stored facts at once."""
        facts = [(at, topics.decode(topic, data)) for at, topic, data in self.stored]
        return fold(self.game, Table(self.table.table_id), facts)

    # Who is asked

    def asks(self) -> tuple[tuple[int, Ask[Any]], ...]:
        return numbered(self.case("nobody"))

    def ask(self) -> Ask[Any]:
        return asked(self.waiting or Over((), (), ()))[0]

    def player(self, seat: int) -> str:
        return self.table.seats[seat].player

    def plays(self, move: Any = None) -> tuple[Any, ...]:
        """Let the person who is asked answer, with the default if nothing else is said."""
        ask = self.ask()
        answer = ask.default if move is None else move
        return self.does(self.player(ask.seat), c.Play(self.table.raised, answer))

    def until_pause(self) -> Pause:
        """Play on until a summary is shown."""
        while not isinstance(self.waiting, Pause):
            ask = self.ask()
            move = ask.options.moves[-1]  # surface: the round ends soon
            self.does("bot", decision(self, ask.seat, move))
        return self.waiting

    def to_end(self) -> None:
        while self.table.phase == "playing":
            if isinstance(self.waiting, Pause):
                self.now += 10**6
                self.does("house", c.Tick())
            else:
                ask = self.ask()
                self.does("bot", decision(self, ask.seat, ask.default))


def decision(spec: Spec, seat: int, move: Any) -> c.Command:
    """Answer for a seat, as a computer where one may, else as the person himself."""
    if spec.table.seats[seat].kind != "computer" and not spec.table.seats[seat].left:
        spec.now += 131_000  # thinking and grace are over
    return c.Decide(seat, spec.table.raised, move, "test", 1, "5eed")


def known(fact: Any) -> bool:
    """Tell whether the fact has a topic; those of the toy game have none."""
    return type(fact) in topics.TOPICS


def played(
    seed: int,
    players: tuple[str, ...] = ("p_a", "g_b"),
    places: int = 3,
    game: str = "speeddive",
) -> Iterator[Spec]:
    """Play a game of people and computers to its end; gives the table after every step."""
    rng = random.Random(seed)
    rules = e.TableRules(places=places, thinking_s=30)
    short = {"target": 100} if game == "speeddive" else {}
    spec = Spec(*players, rules=rules, options=short, game=GAMES[game])
    yield spec
    spec.does(players[0], c.Start("seed-of-opener"))
    yield spec
    while spec.table.phase == "playing":
        spec.now += rng.randrange(2_000)
        if isinstance(spec.waiting, Pause):
            spec.now += 60_000
            spec.does("house", c.Tick())
        else:
            number, ask = rng.choice(spec.asks())
            move = sample(ask.options, rng.randrange)
            if spec.table.seats[ask.seat].kind == "computer":
                spec.does("bot", c.Decide(ask.seat, number, move, "test", 1, "5eed"))
            else:
                spec.does(spec.player(ask.seat), c.Play(number, move))
        yield spec
