"""Whole games in which anything may happen at any time; the laws hold after every step."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.kernel import AnyGame, Pause
from domain.options import sample
from domain.refusals import Refused
from domain.table import commands as c
from domain.table import events as e
from domain.table.clocks import is_computer, next_wake
from domain.table.state import persons
from tests.domain.table.playing import Spec, known
from tests.domain.table.toy import TOY

Sent: TypeAlias = tuple[str, c.Command]
Question: TypeAlias = tuple[Any, ...]
STEPS_MAX = 4_000


class World:
    """People, computers, time and the house around one table, driven by one seed."""

    def __init__(self, seed: int, game: AnyGame | None) -> None:
        self.rng = random.Random(seed)
        people = ["p_a", "g_b", "p_c"][: self.rng.randint(1, 3)]
        thinking: Any = self.rng.choice((0, 30, 120))
        rules = e.TableRules(places=self.rng.randint(max(2, len(people)), 4), thinking_s=thinking)
        options = None if game else {"target": 100}
        self.spec = Spec(*people, rules=rules, game=game, options=options)
        self.people = people
        self.sent: list[Sent] = []
        self.numbers: dict[int, Question] = {}
        self.open: Question = ()

    def run(self) -> None:
        spec = self.spec
        spec.does("p_a", c.Start("seed"))
        seats = [(each.player, each.kind, each.place) for each in spec.table.seats]
        deeds: list[Callable[[], Sent | None]] = [
            *[self.person] * 8,
            *[self.computer] * 8,
            self.goes_on,
            self.hurries,
            self.again,
            self.nonsense,
            self.time,
            self.owner,
        ]
        for _ in range(STEPS_MAX):
            if spec.table.phase != "playing":
                break
            sent = self.rng.choice(deeds)()
            if self.rng.random() < 0.004:
                sent = (self.rng.choice(self.people), c.Leave())
            if sent is not None:
                self.send(*sent)
            self.check()
            assert seats == [(each.player, each.kind, each.place) for each in spec.table.seats]
        assert spec.table.phase == "finished"

    def send(self, player: str, command: c.Command) -> None:
        self.sent.append((player, command))
        with suppress(Refused):
            self.spec.does(player, command)

    # What may happen

    def person(self) -> Sent | None:
        mine = [each for each in self.spec.asks() if not is_computer(self.spec.table, each[1].seat)]
        if not mine:
            return None
        number, ask = self.rng.choice(mine)
        move = sample(ask.options, self.rng.randrange)
        return self.spec.player(ask.seat), c.Play(number, move)

    def computer(self) -> Sent | None:
        asks = self.spec.asks()
        if not asks:
            return None
        number, ask = self.rng.choice(asks)
        move = sample(ask.options, self.rng.randrange)
        return "bot", c.Decide(ask.seat, number, move, "s", 1, "5eed")

    def goes_on(self) -> Sent:
        return self.rng.choice(self.people), c.GoOn(self.spec.table.raised)

    def hurries(self) -> Sent:
        return self.rng.choice(self.people), c.Turbo(on=self.rng.random() < 0.5)

    def again(self) -> Sent | None:
        """A message comes twice, much later, or from somebody else."""
        if not self.sent:
            return None
        player, command = self.rng.choice(self.sent[-30:])
        return self.rng.choice((player, player, *self.people)), command

    def nonsense(self) -> Sent:
        command = self.rng.choice(
            (c.Join(), c.Start(), c.Play(0, None), c.GoOn(1), c.Open("x", {}, e.TableRules(2)))
        )
        return self.rng.choice((*self.people, "p_x", "computer_1")), command

    def time(self) -> Sent:
        self.spec.now += self.rng.choice((-50, 100, 5_000, 50_000, 200_000))
        return "house", c.Tick()

    def owner(self) -> Sent:
        gap = self.rng.randrange(20_000)
        self.spec.now += self.rng.randrange(5_000)
        return "house", c.Credit(self.spec.now - gap, self.spec.now)

    # What must hold

    def check(self) -> None:
        spec, table = self.spec, self.spec.table
        asks = spec.asks()
        if table.phase == "playing":
            assert asks or isinstance(spec.waiting, Pause), "someone is always awaited"
            awaited = [ask.seat for number, ask in asks if ask.kind != "pledge"]
            wake = next_wake(table, spec.waiting)
            if any(is_computer(table, seat) for seat in awaited) or table.rules.thinking_s:
                assert wake is not None
            if isinstance(spec.waiting, Pause):
                assert set(persons(table)) - table.gone_on, "a pause that nobody can end"
            self.check_number()
        assert table.raised <= table.version
        assert table.credited_to <= max(spec.now, table.at)

    def check_number(self) -> None:
        """One number, one question: what it asks can only be answered, never exchanged."""
        spec, number = self.spec, self.spec.table.raised
        waiting = spec.waiting
        now: Question = (
            (waiting.kind,)
            if isinstance(waiting, Pause)
            else tuple(
                (ask.seat, ask.kind, ask.part, ask.options)
                for at, ask in spec.asks()
                if ask.kind != "pledge"
            )
        )
        before = self.numbers.setdefault(number, now)
        if isinstance(waiting, Pause):
            assert now == before
        else:
            assert set(now) <= set(before)
        self.numbers[number] = now
        assert number == max(self.numbers), "numbers only rise"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_speeddive_at_a_lively_table(seed: int) -> None:
    world = World(seed, None)
    world.run()

    assert world.spec.reload() == world.spec.table
    assert all(known(fact) for fact in world.spec.facts)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_sealed_answers_and_offers_at_a_lively_table(seed: int) -> None:
    World(seed, TOY).run()


@pytest.mark.parametrize("seed", range(3))
def test_a_new_owner_finds_the_same_table_at_every_moment(seed: int) -> None:
    world = World(seed, None)
    world.spec.does("p_a", c.Start())
    for _ in range(150):
        if world.spec.table.phase != "playing":
            break
        for deed in (world.person, world.computer, world.owner, world.goes_on):
            sent = deed()
            if sent is not None:
                world.send(*sent)
        assert world.spec.reload() == world.spec.table
