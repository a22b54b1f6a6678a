"""Pauses, time-outs and takeovers as people live through them, in hours that take seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from domain.games import GAMES
from domain.kernel import Chosen
from domain.refusals import Code, Refused
from domain.table.events import PlayerLeft, TableRules
from services.bot.strategies import strategy_of
from services.kit.client import PlayerClient
from services.kit.seen import SeenQuestion, SeenView
from tests.sim.bank import Bank
from tests.sim.history import History, Logged, TableLog
from tests.sim.people import TARGET
from tests.sim.services import Services
from tests.world.world import World

LATE_MS = 400
"""What the way over the bus and into the store may take, in time of the world."""
LEICHT = TableRules(places=2, thinking_s=30, strengths=("leicht",))

Scene = Callable[[World, Services, PlayerClient, PlayerClient], Awaitable[str]]


def played(scene: Scene) -> TableLog:
    """Play a scene with two people in a world without faults; give the table that it names."""
    world = World(1)
    services = Services(world, Bank(("p_anna",)))

    async def scenario() -> str:
        anna = PlayerClient(world.net.client("p_anna"), "p_anna")
        ben = PlayerClient(world.net.client("g_ben"), "g_ben")
        async with anna, ben:
            services.start()
            await asyncio.sleep(2)
            return await scene(world, services, anna, ben)

    table = world.run(scenario())
    assert not world.failures
    assert not world.loop.broken
    return History(world.store).of(table)


async def opened(first: PlayerClient, *others: PlayerClient, rules: TableRules) -> str:
    options: dict[str, str | int | bool] = {"target": TARGET, "bilanz": False}
    table = (await first.open("speeddive", rules, options)).table
    for other in others:
        await other.join(table)
    await first.start(table)
    return table


async def asked(person: PlayerClient, table: str, after: int = 0) -> tuple[SeenView, SeenQuestion]:
    """Wait until the person is asked a question above number `after`."""
    version = 0
    while True:
        view = await person.seat(table).newer(version, 600)
        assert not view.ended
        for question in view.questions:
            if question.prompt > after:
                return view, question
        version = view.version


async def answers(person: PlayerClient, table: str, count: int, prompt: int = 0) -> int:
    """Answer so many questions above this number at once, by the default; give the last one's."""
    for _ in range(count):
        _, question = await asked(person, table, prompt)
        prompt = question.prompt
        await person.move(table, prompt, question.default)
    return prompt


def chosen(log: TableLog, by: str) -> list[tuple[Logged, int]]:
    """Give the decisions of this kind, each with its age: the ms since its question was raised."""
    return [
        (each, each.stored.at - log.states[each.version - 1].raised_at)
        for each in log.facts
        if isinstance(each.fact, Chosen) and each.fact.decided_by == by
    ]


@pytest.mark.parametrize(("tempo", "ms"), [("normal", 1_200), ("schnell", 500)])
def test_computers_pause_in_the_tempo_of_the_table(tempo: Any, ms: int) -> None:
    async def scene(_w: World, _s: Services, anna: PlayerClient, _b: PlayerClient) -> str:
        table = await opened(anna, rules=TableRules(places=3, thinking_s=0, tempo=tempo))
        await answers(anna, table, 6)
        return table

    ages = [age for _, age in chosen(played(scene), "computer")]

    assert len(ages) > 5
    assert all(ms <= age <= ms + LATE_MS for age in ages), ages


def test_turbo_holds_from_the_open_question_on() -> None:
    async def scene(_w: World, _s: Services, anna: PlayerClient, _b: PlayerClient) -> str:
        table = await opened(anna, rules=TableRules(places=3, thinking_s=0))
        await anna.turbo(table, on=True)
        await answers(anna, table, 4)
        view, _ = await asked(anna, table)
        assert view.turbo
        await anna.turbo(table, on=False)
        await answers(anna, table, 3)
        return table

    log = played(scene)
    ages = [(log.states[each.version].turbo, age) for each, age in chosen(log, "computer")]

    assert {turbo for turbo, _ in ages} == {True, False}
    assert all(
        age <= 100 + LATE_MS if turbo else 1_200 <= age <= 1_200 + LATE_MS for turbo, age in ages
    ), ages


def test_turbo_is_refused_while_others_play() -> None:
    async def scene(_w: World, _s: Services, anna: PlayerClient, ben: PlayerClient) -> str:
        table = await opened(anna, ben, rules=TableRules(places=3, thinking_s=0))
        with pytest.raises(Refused) as refused:
            await anna.turbo(table, on=True)
        assert refused.value.code == Code.NOT_SOLO
        return table

    assert not played(scene).state.turbo


def test_nobody_looks_so_nobody_waits() -> None:
    async def scene(_w: World, _s: Services, anna: PlayerClient, _b: PlayerClient) -> str:
        table = await opened(anna, rules=TableRules(places=3, thinking_s=0))
        await asked(anna, table)
        await anna.leave(table)
        await asyncio.sleep(60)
        return table

    log = played(scene)
    left = next(each for each in log.facts if isinstance(each.fact, PlayerLeft))

    assert log.ended
    ages = [age for each, age in chosen(log, "computer") if each.version > left.version + 1]
    assert max(ages) <= LATE_MS


def test_a_new_owner_keeps_the_pause() -> None:
    async def scene(_w: World, services: Services, anna: PlayerClient, _b: PlayerClient) -> str:
        table = await opened(anna, rules=TableRules(places=3, thinking_s=0))
        last = await answers(anna, table, 1)
        for process in services.tables:
            process.crash()
        await answers(anna, table, 3, last)
        return table

    ages = [age for _, age in chosen(played(scene), "computer")]

    assert min(ages) >= 1_200


class TestTimeOut:
    def test_the_computer_of_the_table_decides_this_one_question(self) -> None:
        """TABLE-R01.2, TABLE-A01: 30 s and 10 s of grace, and then he plays on himself."""

        async def scene(_w: World, _s: Services, anna: PlayerClient, _b: PlayerClient) -> str:
            table = await opened(anna, rules=LEICHT)
            _, first = await asked(anna, table)
            _, second = await asked(anna, table, first.prompt)
            with pytest.raises(Refused) as refused:
                await anna.move(table, first.prompt, first.default)
            assert refused.value.code == Code.STALE_PROMPT
            await anna.move(table, second.prompt, second.default)
            return table

        log = played(scene)
        ((late, age),) = chosen(log, "timeout")
        ((own, _),) = chosen(log, "human")

        assert 40_000 <= age <= 40_000 + LATE_MS, "no pause on top: he has waited"
        computer = strategy_of("speeddive", "leicht")
        decided = (late.fact.strategy, late.fact.strategy_version)
        assert decided == (computer.name, computer.version)
        assert late.fact.rng_seed
        assert late.fact.seat == own.fact.seat
        assert log.state.seats[own.fact.seat].kind == "person"
        assert not log.state.seats[own.fact.seat].left

    def test_in_the_grace_he_may_still_answer(self) -> None:
        async def scene(_w: World, _s: Services, anna: PlayerClient, _b: PlayerClient) -> str:
            table = await opened(anna, rules=LEICHT)
            _, question = await asked(anna, table)
            await asyncio.sleep(39)
            await anna.move(table, question.prompt, question.default)
            return table

        log = played(scene)
        ((_, age),) = chosen(log, "human")

        assert 39_000 <= age < 40_000
        assert not chosen(log, "timeout")

    def test_until_the_computer_has_he_may_answer_even_after_the_grace(self) -> None:
        async def scene(_w: World, services: Services, anna: PlayerClient, _b: PlayerClient) -> str:
            table = await opened(anna, rules=LEICHT)
            _, question = await asked(anna, table)
            for name in ("bot-a", "bot-b"):
                services.processes[name].kill_for_good()
            await asyncio.sleep(41)
            await anna.move(table, question.prompt, question.default)
            return table

        log = played(scene)
        ((_, age),) = chosen(log, "human")

        assert age >= 41_000

    def test_without_any_computer_the_table_decides_by_the_default(self) -> None:
        async def scene(_w: World, services: Services, anna: PlayerClient, _b: PlayerClient) -> str:
            table = await opened(anna, rules=LEICHT)
            await asked(anna, table)
            for name in ("bot-a", "bot-b"):
                services.processes[name].kill_for_good()
            await asyncio.sleep(45)
            return table

        ((late, age),) = chosen(played(scene), "timeout")

        assert late.fact.strategy == "default"
        assert 43_000 <= age <= 43_000 + LATE_MS


def test_a_leaver_is_played_on_by_the_computer_of_the_table() -> None:
    """TABLE-R06, TABLE-A01"""

    async def scene(_w: World, _s: Services, anna: PlayerClient, ben: PlayerClient) -> str:
        rules = TableRules(places=2, computers=False, thinking_s=0, strengths=("leicht",))
        table = await opened(anna, ben, rules=rules)
        await asyncio.sleep(1)
        await ben.leave(table)
        await answers(anna, table, 8)
        return table

    log = played(scene)
    computer = strategy_of("speeddive", "leicht")

    assert len(chosen(log, "computer")) > 2
    for each, age in chosen(log, "computer"):
        assert each.fact.seat == 1
        assert (each.fact.strategy, each.fact.strategy_version) == (computer.name, computer.version)
        assert age >= 1_200


@pytest.mark.parametrize("game", sorted(GAMES))
def test_rat_over_the_bus(game: str) -> None:
    """What it says can be played."""

    async def scene(_w: World, _s: Services, anna: PlayerClient, _b: PlayerClient) -> str:
        table = (await anna.open(game, TableRules(places=2, thinking_s=0))).table
        await anna.start(table)
        version, count = 0, 0
        while count < 5:
            view = await anna.seat(table).newer(version, 600)
            version = view.version
            if view.summary is not None:
                await anna.weiter(table, view.summary)
            for question in view.questions[:1]:
                advice = await anna.rat(table, question.prompt, question.part)
                assert (advice.prompt, advice.part) == (question.prompt, question.part)
                assert advice.reason
                await anna.move(table, advice.prompt, advice.move)
                count += 1
        return table

    assert len(chosen(played(scene), "human")) == 5
