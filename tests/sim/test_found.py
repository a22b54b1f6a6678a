"""Faults that seeds have shown, each in the shortest world in which it happens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from domain.kernel import Chosen
from domain.table.events import DowntimeCredited, TableRules
from services.kit.client import PlayerClient
from tests.sim.bank import Bank
from tests.sim.history import History, TableLog
from tests.sim.people import TARGET
from tests.sim.services import Services
from tests.world.faults import Faults, StoreFaults
from tests.world.world import World

Scene = Callable[[World, Services, PlayerClient], Awaitable[str]]


def played(scene: Scene) -> tuple[World, TableLog]:
    """Play a scene with one person in a world without faults; give the table that it names."""
    world = World(1)
    services = Services(world, Bank(("p_anna",)))

    async def scenario() -> str:
        client = PlayerClient(world.net.client("p_anna"), "p_anna")
        async with client:
            services.start()
            await asyncio.sleep(2)
            return await scene(world, services, client)

    table = world.run(scenario())
    assert not world.failures
    assert not world.loop.broken
    return world, History(world.store).of(table)


async def against_computers(client: PlayerClient, thinking_s: int = 0) -> str:
    rules = TableRules(places=3, thinking_s=thinking_s, solo=True)  # type: ignore[arg-type]
    options: dict[str, str | int | bool] = {"target": TARGET, "bilanz": False}
    table = (await client.open("speeddive", rules, options)).table
    await client.start(table)
    return table


def test_computers_play_on_after_the_only_owner_stood_still() -> None:
    async def scene(_: World, services: Services, anna: PlayerClient) -> str:
        bots = [services.processes["bot-a"], services.processes["bot-b"]]
        for process in (services.processes["table-b"], *bots):
            process.kill_for_good()
        await asyncio.sleep(5)
        table = await against_computers(anna)
        await anna.leave(table)
        await asyncio.sleep(1)
        life = services.processes["table-a"].life
        assert life is not None
        life.freeze()
        await asyncio.sleep(20)
        life.thaw()
        bots[0].start()
        await asyncio.sleep(120)
        return table

    _, log = played(scene)

    assert log.state.phase == "finished"


def test_a_partition_gained_without_a_bus_listens_once_it_is_back() -> None:
    async def scene(world: World, services: Services, anna: PlayerClient) -> str:
        world.net.down = True
        for process in services.tables:
            process.crash()
        await asyncio.sleep(10)
        world.net.down = False
        return await against_computers(anna)

    _, log = played(scene)

    assert log.state.phase == "playing"


def test_a_feed_that_loses_its_end_in_a_quiet_hour_gets_it_back() -> None:
    async def scene(world: World, _: Services, anna: PlayerClient) -> str:
        table = (await anna.open("speeddive", TableRules(places=2))).table
        await asyncio.sleep(2)
        world.feed.lose_tail(2)
        await asyncio.sleep(10)
        return table

    world, log = played(scene)

    assert len(world.feed.entries) == len(log.facts) == 3


def test_time_without_an_owner_is_given_back_though_the_store_refuses_at_first() -> None:
    async def scene(world: World, services: Services, anna: PlayerClient) -> str:
        table = await against_computers(anna, thinking_s=30)
        await asyncio.sleep(5)
        for process in services.tables:
            process.crash()
        await asyncio.sleep(0.3)
        world.faults = Faults(store=StoreFaults(unavailable=1.0))
        await asyncio.sleep(8)
        world.faults = Faults()
        await asyncio.sleep(5)
        return table

    _, log = played(scene)

    assert any(isinstance(each.fact, DowntimeCredited) for each in log.facts)


def test_no_time_runs_out_while_some_of_it_is_still_to_be_given_back() -> None:
    async def scene(world: World, services: Services, anna: PlayerClient) -> str:
        table = await against_computers(anna, thinking_s=30)
        await asyncio.sleep(3)
        world.faults = Faults(store=StoreFaults(unavailable=1.0))
        for down_s in (1, 1, 45):
            for process in services.tables:
                process.kill_for_good()
            await asyncio.sleep(down_s)
            for process in services.tables:
                process.start()
            await asyncio.sleep(4)
        world.faults = Faults(store=StoreFaults(append_s=(4.0, 4.0)))
        await asyncio.sleep(20)
        return table

    _, log = played(scene)

    assert sum(isinstance(each.fact, DowntimeCredited) for each in log.facts) >= 3
    decided = [each.fact.decided_by for each in log.facts if isinstance(each.fact, Chosen)]
    assert "timeout" not in decided


def test_an_owner_that_stood_still_asks_nobody() -> None:
    async def scene(world: World, services: Services, anna: PlayerClient) -> str:
        table = await against_computers(anna, thinking_s=30)
        owner = next(each for each in services.tables if _serves(world, each.name, table))
        assert owner.life is not None
        await asyncio.sleep(2)
        owner.life.freeze()
        await asyncio.sleep(45)
        begun = len(world.net.capture.sent)
        owner.life.thaw()
        await asyncio.sleep(0.2)
        sent = world.net.capture.sent[begun:]
        assert not [
            each for each in sent if each.sender == owner.name and each.subject == "bot.prompt"
        ]
        return table

    played(scene)


def test_a_busy_owner_stops_when_it_is_asked_to() -> None:
    async def scene(_: World, services: Services, anna: PlayerClient) -> str:
        tables = [await against_computers(anna) for _ in range(20)]
        await asyncio.gather(*map(anna.leave, tables))
        services.processes["table-b"].kill_for_good()
        process = services.processes["table-a"]
        assert process.life is not None
        services.ask_to_stop(process)
        await asyncio.wait([process.life.tasks[0]], timeout=2)
        assert not process.alive
        return tables[0]

    _, log = played(scene)

    assert log.state.phase == "playing", "it was not busy any more"


def _serves(world: World, name: str, table: str) -> bool:
    pattern = f"cmd.*.{table[:2]}.*.*"
    return any(
        each.pattern == pattern and each._bus.name == name for each in world.net.subscriptions
    )
