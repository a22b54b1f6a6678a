"""The world's bus, store and feed: faults as the real ones have them, and no others."""

import asyncio
from random import Random

import pytest

from services.kit.bus import Message, NoAnswer, NoResponder
from services.kit.feed import Entry, FeedConflict, FeedReset, FeedUnavailable
from services.kit.store.model import (
    Append,
    Conflict,
    NotOwner,
    OutcomeUnknown,
    Unit,
)
from tests.world import faults
from tests.world.faults import BusFaults, Faults, FeedFaults, StoreFaults
from tests.world.processes import Life
from tests.world.units import unit
from tests.world.world import World


async def deliveries(world: World, subject: str, count: int) -> list[bytes]:
    got: list[bytes] = []
    sender, receiver = world.net.client("a"), world.net.client("b")
    await receiver.subscribe(subject, lambda message: got.append(message.data))
    for number in range(count):
        sender.publish(subject, b"%03d" % number)
        await asyncio.sleep(0.001)
    await asyncio.sleep(60)
    return got


@pytest.mark.parametrize("kind", ["view", "cmd"])
def test_faults_are_switched_per_kind(kind: str) -> None:
    def run(fault: BusFaults) -> list[bytes]:
        world = World(7, Faults(bus={"view": fault}))
        return world.run(deliveries(world, f"{kind}.x", 300))

    sent = [b"%03d" % number for number in range(300)]
    calm = run(BusFaults())
    lost, doubled = run(BusFaults(loss=0.2)), run(BusFaults(double=0.2))
    reordered, late = run(BusFaults(reorder=0.2)), run(BusFaults(late=0.2))

    assert calm == late == sent
    if kind == "cmd":
        assert lost == doubled == reordered == sent
        return
    assert 0 < len(lost) < 300
    assert lost == sorted(lost)
    assert sorted(set(doubled)) == sent
    assert len(doubled) > 300
    assert reordered != sent
    assert sorted(reordered) == sent


def test_requests_end_like_those_of_the_real_bus() -> None:
    world = World(3)

    async def scenario() -> None:
        server, client = world.net.client("server"), world.net.client("p_anna")
        with pytest.raises(NoResponder):
            await client.request("cmd.x", b"", 5)
        replies: list[Message] = []

        def answer(message: Message) -> None:
            replies.append(message)
            server.publish(message.reply, message.data.upper())

        subscription = await server.subscribe("cmd.>", answer, queue="q")
        assert await client.request("cmd.x", b"a", 5) == b"A"
        assert replies[0].reply.startswith("_INBOX.p_anna.")
        world.faults = Faults(bus={"reply": BusFaults(loss=1.0)})
        with pytest.raises(NoAnswer):
            await client.request("cmd.x", b"", 0.5)
        assert len(replies) == 2
        world.net.down = True
        with pytest.raises(NoResponder):
            await client.request("cmd.x", b"", 5)
        client.publish("cmd.x", b"")
        world.net.down = False
        await subscription.close()
        with pytest.raises(NoResponder):
            await client.request("cmd.x", b"", 5)
        assert len(replies) == 2
        assert [each.data for each in world.net.capture.seen_by("p_anna")] == [b"A"]
        assert len(world.net.capture.leaks(b"A", allowed=["view.>"])) == 1
        assert not world.net.capture.leaks(b"A", allowed=["_INBOX.p_anna.>"])

    world.run(scenario())


def test_a_queue_shares_among_the_living() -> None:
    world = World(3)
    got: dict[str, int] = {"a": 0, "b": 0}

    async def worker(life: Life) -> None:
        def count(_: Message) -> None:
            got[life.name] += 1

        await world.net.client(life.name, life=life).subscribe("work", count, queue="q")
        await asyncio.sleep(1000)

    async def scenario() -> None:
        one, two = world.process("a", worker), world.process("b", worker)
        one.start()
        two.start()
        client = world.net.client("client")
        await asyncio.sleep(1)
        for number in range(200):
            if number == 100:
                one.crash()
            client.publish("work", b"")
            await asyncio.sleep(0.01)

    world.run(scenario())

    assert 20 < got["a"] < 80
    assert got["a"] + got["b"] == 200


def test_the_store_keeps_units_whole_and_fences() -> None:
    world = World(5)

    async def scenario() -> None:
        recorder, reader = world.store.recorder(), world.store.reader()
        await recorder.append(unit("a", 0))
        with pytest.raises(Conflict) as conflict:
            await recorder.append(unit("a", 0))
        assert (conflict.value.stream, conflict.value.head) == ("a", 1)
        both = Unit((*unit("b", 0).appends, *unit("a", 0).appends))
        with pytest.raises(Conflict):
            await recorder.append(both)
        assert await reader.stream("b") == []
        with pytest.raises(NotOwner):
            await recorder.append(unit("a", 1, epoch=4))
        world.store.epochs[3] = 4
        await recorder.append(unit("a", 1, epoch=4))
        world.store.commit(unit("a", 2))
        with pytest.raises(Conflict):
            await recorder.append(unit("a", 2))
        assert [row.head for row in await reader.awake(3, 300)] == [3]
        assert await reader.awake(3, 299) == []
        log = await reader.notifications(0)
        assert [row.originator_version for row in log] == [1, 2, 3]
        assert await reader.notifications(log[1].id) == log[2:]
        with pytest.raises(ValueError, match="does not stand"):
            await recorder.append(
                Unit((Append("c", 0, unit("c", 0).appends[0].rows, unit("c", 1).appends[0].index),))
            )

    world.run(scenario())


def test_an_unknown_outcome_is_stored_or_not() -> None:
    stored = set()
    for seed in range(40):
        world = World(seed, Faults(store=StoreFaults(unknown_stored=0.5, unknown_lost=0.5)))

        async def scenario(world: World = world) -> bool:
            try:
                await world.store.recorder().append(unit("a", 0))
            except OutcomeUnknown:
                return True
            return False

        if world.run(scenario()):
            stored.add(len(world.store.log))

    assert stored == {0, 1}


@pytest.mark.parametrize("seed", range(10))
def test_a_feed_writer_that_asks_for_the_end_loses_nothing(seed: int) -> None:
    faults_ = FeedFaults(nothing=0.2, beginning=0.2, lost_ack=0.2)
    world = World(seed, Faults(feed=faults_))

    async def scenario() -> list[tuple[int, bytes]]:
        writer, reader = world.feed.writer("outbox"), world.feed.reader()
        await writer.create(1)
        end = 0
        while end < 200:
            batch = [Entry("log.x.y", f"1:{n}", b"%d" % n) for n in range(end + 1, end + 8)]
            if world.rng("tail").random() < 0.1:
                world.feed.lose_tail(2)
            try:
                end = await writer.append(batch, end)
            except (FeedUnavailable, FeedConflict):
                last = await writer.last()
                end = last[0] if last else 0
        got: list[tuple[int, bytes]] = []
        while len(got) < 200:
            got += await reader.read(len(got), 30, 1)
        world.feed.create(2)
        with pytest.raises(FeedReset):
            await reader.read(len(got), 30, 1)
        assert await reader.find(lambda _: True) == 0
        return got

    got = world.run(scenario())

    assert got == [(n, b"%d" % n) for n in range(1, len(got) + 1)]


def test_swarm_switches_whole_kinds_off() -> None:
    runs = [faults.swarm(Random(seed)) for seed in range(20)]

    assert {run.bus["view"].loss == 0 for run in runs} == {True, False}
    assert {run.store.unavailable == 0 for run in runs} == {True, False}
