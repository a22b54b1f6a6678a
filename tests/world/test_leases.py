"""Partitions have one owner at a time, whatever dies, stands still or is cut off."""

import asyncio
from contextlib import suppress
from itertools import chain
from typing import Any

import pytest

from services.kit.store.model import Lease, NotOwner, StoreUnavailable, Unit
from tests.world.faults import Faults, StoreFaults
from tests.world.leases import WorldLeases
from tests.world.processes import Life
from tests.world.units import unit
from tests.world.world import World


class Replicas:
    """Some replicas and the leases of their running lives."""

    def __init__(self, world: World, names: str) -> None:
        self.leases: dict[str, WorldLeases] = {}
        self.gained: list[tuple[str, Lease, int | None]] = []
        self._world = world
        self.processes = {name: world.process(name, self._main) for name in names}

    async def _main(self, life: Life) -> None:
        async def lost(_: int) -> None:
            await asyncio.sleep(0.01)

        def gained(_: int, lease: Lease, alive_ms: int | None) -> None:
            self.gained.append((life.name, lease, alive_ms))

        leases = self._world.leases(gained, lost, keys=range(8), life=life)
        self.leases[life.name] = leases
        async with leases:
            await asyncio.sleep(10_000)

    def owned(self) -> dict[str, list[int]]:
        return {name: self.leases[name].owned() for name in sorted(self.leases)}


def test_replicas_share_and_take_over() -> None:
    world = World(1)
    both = Replicas(world, "ab")

    async def scenario() -> None:
        both.processes["a"].start()
        await asyncio.sleep(5)
        assert both.owned() == {"a": list(range(8))}
        both.processes["b"].start()
        await asyncio.sleep(5)
        assert [len(each) for each in both.owned().values()] == [4, 4]
        assert sorted(chain.from_iterable(both.owned().values())) == list(range(8))

        both.processes["a"].crash()
        await asyncio.sleep(5)
        assert both.leases["b"].owned() == list(range(8))
        name, lease, alive_ms = both.gained[-1]
        assert name == "b"
        assert alive_ms is not None
        gaps = await world.store.reader().downtimes(lease.partition, 0)
        assert gaps[-1][0] == alive_ms
        await both.processes["b"].stop()
        assert not world.sessions.holders

    world.run(scenario())


def test_a_frozen_owner_is_fenced_when_it_goes_on() -> None:
    world = World(2)
    both = Replicas(world, "ab")

    async def scenario() -> None:
        for process in both.processes.values():
            process.start()
        await asyncio.sleep(6)
        life = both.processes["a"].life
        assert life is not None
        stale = both.leases["a"].valid(both.leases["a"].owned()[0])
        assert stale is not None
        life.freeze()
        await asyncio.sleep(20)
        assert both.leases["b"].owned() == list(range(8))
        life.thaw()
        assert both.leases["a"].valid(stale.partition) is None
        with pytest.raises(NotOwner):
            world.store.commit(Unit(unit("x", 0).appends, stale))

    world.run(scenario())


@pytest.mark.parametrize("seed", range(10))
def test_no_two_valid_leases_at_once(seed: int) -> None:
    world = World(seed, Faults(store=StoreFaults(read_unavailable=0.2)))
    some = Replicas(world, "abc")
    rng = world.rng("scenario")

    async def scenario() -> None:
        for _ in range(200):
            process = some.processes[rng.choice("abc")]
            match rng.randrange(5):
                case 0 if process.alive:
                    process.crash()
                case 1 if process.life is not None:
                    process.life.freeze()
                case 2 if process.life is not None:
                    process.life.thaw()
                case _ if not process.alive:
                    process.start()
            await asyncio.sleep(rng.uniform(0, 4))
            alive = [name for name, each in some.processes.items() if each.alive]
            owned = [key for name in alive for key in some.leases[name].owned()]
            assert len(owned) == len(set(owned))

    world.run(scenario())


def test_a_projection_moves_with_its_checkpoint_or_not_at_all() -> None:
    world = World(4, Faults(store=StoreFaults(unavailable=0.3, unknown_stored=0.3)))

    async def scenario() -> None:
        projection = world.projection("board")

        async def add(views: dict[str, Any]) -> None:
            views["sum"] = views.get("sum", 0) + 1

        position = 0
        while position < 100:
            with suppress(StoreUnavailable):
                await projection.advance(position, position + 1, add)
            position = (await projection.checkpoint())[1]
            assert world.store.views.get("board", {}).get("sum", 0) == position
        assert not await projection.advance(7, 8, add)

    world.run(scenario())
