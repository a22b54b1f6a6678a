"""The feed on a real JetStream: idempotent, ordered, and read through every kind of loss."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.kit import nats_bus
from services.kit.feed import (
    BATCH_MAX,
    Entry,
    FeedConflict,
    FeedMissing,
    FeedReset,
    FeedUnavailable,
)
from services.kit.nats_feed import STREAM, NatsFeedReader, NatsFeedWriter
from tests.bus.conftest import Connect
from tests.bus.harness import Server, eventually


def entries(first: int, last: int, epoch: int = 1) -> list[Entry]:
    return [
        Entry(f"log.speeddive.T{n % 7}", f"{epoch}:T{n % 7}:{n}", b"%d" % n)
        for n in range(first, last + 1)
    ]


def expected(first: int, last: int) -> list[tuple[int, bytes]]:
    return [(n, b"%d" % n) for n in range(first, last + 1)]


@pytest.fixture
async def bus(connect: Connect) -> nats_bus.NatsBus:
    return await connect("outbox")


@pytest.fixture
async def writer(bus: nats_bus.NatsBus) -> AsyncIterator[NatsFeedWriter]:
    """A writer of an empty stream of epoch 1."""
    writer = NatsFeedWriter(bus)
    await writer.create(1)
    yield writer
    if await writer.epoch() is not None:
        await bus.client.jetstream().delete_stream(STREAM)


async def read_all(reader: NatsFeedReader, after: int, last: int) -> list[tuple[int, bytes]]:
    got: list[tuple[int, bytes]] = []
    async with asyncio.timeout(60):
        while after < last:
            got += await reader.read(after, 100, 1)
            after = got[-1][0] if got else after
    return got


async def last_again(writer: NatsFeedWriter) -> tuple[int, bytes] | None:
    """Ask for the last entry until the server answers."""
    async with asyncio.timeout(30):
        while True:
            try:
                return await writer.last()
            except FeedUnavailable:
                await asyncio.sleep(0.05)


async def test_append_returns_the_end_and_last_tells_it(writer: NatsFeedWriter) -> None:
    assert await writer.last() is None
    assert await writer.append(entries(1, 3), 0) == 3
    assert await writer.append(entries(4, 4), 3) == 4
    assert await writer.last() == (4, b"4")


async def test_repeating_a_batch_changes_nothing(writer: NatsFeedWriter) -> None:
    await writer.append(entries(1, 5), 0)

    for last in (3, 5):
        with pytest.raises(FeedConflict):
            await writer.append(entries(1, last), 0)
    assert await writer.last() == (5, b"5")

    assert await writer.append(entries(1, 8), 0) == 8  # a beginning of it was stored

    assert await writer.last() == (8, b"8")


async def test_a_wrong_end_is_refused_and_nothing_is_stored(writer: NatsFeedWriter) -> None:
    await writer.append(entries(1, 5), 0)

    with pytest.raises(FeedConflict):
        await writer.append(entries(6, 9), 3)
    with pytest.raises(FeedConflict):
        await writer.append(entries(6, 9), 7)
    with pytest.raises(FeedConflict):
        await writer.append(entries(2, 3), 5)

    assert await writer.last() == (5, b"5")


async def test_a_batch_is_bounded(writer: NatsFeedWriter) -> None:
    for batch in ([], entries(1, BATCH_MAX + 1)):
        with pytest.raises(ValueError, match="a batch holds"):
            await writer.append(batch, 0)


async def test_a_lost_ack_is_resolved_by_asking_for_the_end(
    connect: Connect, writer: NatsFeedWriter, server: Server
) -> None:
    """Kill the server while appending: what is in the stream is a beginning of what was sent."""
    end = 0
    for round_ in range(3):
        appending = asyncio.ensure_future(writer.append(entries(end + 1, end + 400), end))
        await asyncio.sleep(0)
        if round_ > 0:
            await asyncio.sleep(0.002 * round_)
        server.kill()
        server.start()
        try:
            end = await appending
        except FeedUnavailable:
            found = await last_again(writer)
            end = found[0] if found else 0
            assert found in (None, (end, b"%d" % end))
    async with asyncio.timeout(30):
        while end < 2000:
            try:
                end = await writer.append(entries(end + 1, min(end + 400, 2000)), end)
            except (FeedUnavailable, FeedConflict):
                found = await last_again(writer)
                end = found[0] if found else 0
    reader = NatsFeedReader(await connect("reader"))

    assert await read_all(reader, 0, 2000) == expected(1, 2000)

    await reader.close()


async def test_epochs_only_rise_and_a_new_one_begins_empty(writer: NatsFeedWriter) -> None:
    await writer.append(entries(1, 5), 0)
    await writer.create(1)
    assert await writer.last() == (5, b"5")

    await writer.create(2)

    assert await writer.epoch() == 2
    assert await writer.last() is None
    assert await writer.append(entries(1, 5, epoch=2), 0) == 5
    with pytest.raises(FeedConflict):
        await writer.create(1)


async def test_a_new_epoch_never_begins_with_entries_of_the_old(writer: NatsFeedWriter) -> None:
    for epoch in range(2, 60):
        await writer.append(entries(1, 8, epoch - 1), 0)
        await writer.create(epoch)

    assert await writer.last() is None


async def test_without_a_stream_writing_says_so(
    bus: nats_bus.NatsBus, writer: NatsFeedWriter
) -> None:
    await bus.client.jetstream().delete_stream(STREAM)

    assert await writer.epoch() is None
    with pytest.raises(FeedMissing):
        await writer.append(entries(1, 2), 0)
    with pytest.raises(FeedMissing):
        await writer.last()


async def test_reading_gives_everything_once_in_order(
    connect: Connect, writer: NatsFeedWriter
) -> None:
    """Twenty thousand entries, and one read that waits for the next."""
    end = 0
    for first in range(1, 20_001, 500):
        end = await writer.append(entries(first, first + 499), end)
    reader = NatsFeedReader(await connect("reader"))

    assert await read_all(reader, 0, 20_000) == expected(1, 20_000)
    assert await reader.read(20_000, 10, 0.05) == []
    waiting = asyncio.ensure_future(reader.read(20_000, 10, 30))
    await asyncio.sleep(0)
    await writer.append(entries(20_001, 20_001), end)
    assert await waiting == expected(20_001, 20_001)
    assert await reader.read(17, 3, 5) == expected(18, 20)
    await reader.close()


async def test_reading_survives_the_loss_of_consumer_and_server(
    connect: Connect, writer: NatsFeedWriter, server: Server
) -> None:
    await writer.append(entries(1, 300), 0)
    bus = await connect("reader")
    reader = NatsFeedReader(bus, batch=16)
    assert await read_all(reader, 0, 40)
    pull = reader._pull
    assert pull is not None

    await bus.client.jetstream().delete_consumer(STREAM, pull._consumer)
    got = await read_all(reader, 40, 300)
    assert [n for n, _ in got[-100:]] == list(range(201, 301))
    server.kill()
    server.start()
    await eventually(lambda: bus.connected)
    writing = await last_again(writer)
    assert writing == (300, b"300")
    await writer.append(entries(301, 310), 300)

    assert await read_all(reader, 300, 310) == expected(301, 310)

    await reader.close()


async def test_a_stream_made_anew_is_noticed_and_the_place_found_again(
    connect: Connect, writer: NatsFeedWriter
) -> None:
    await writer.append(entries(1, 50), 0)
    reader = NatsFeedReader(await connect("reader"))
    assert await read_all(reader, 0, 50) == expected(1, 50)

    await writer.create(2)
    with pytest.raises(FeedReset):
        await reader.read(50, 10, 20)
    await writer.append(entries(21, 80, epoch=2), 0)
    with pytest.raises(FeedReset):
        await reader.read(50, 10, 1)
    place = await reader.find(lambda data: int(data) <= 50)

    assert place == 30
    assert (await reader.read(place, 1, 5))[0] == (31, b"51")
    assert await reader.find(lambda _: False) == 0
    assert await reader.find(lambda _: True) == 60
    await reader.close()
