"""The relay on real PostgreSQL and NATS, and what a stranger can do to the stream: nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import msgspec
import pytest

from contracts import events, subjects
from services.kit.nats_bus import NatsBus
from services.kit.nats_feed import NatsFeedReader, NatsFeedWriter
from services.kit.stopping import stopped
from services.kit.store.news import News
from services.kit.store.reader import Reader
from services.table.outbox import Outbox
from tests.table.conftest import Connect, Sit
from tests.table.test_play import TWO as RULES
from tests.table.test_play import opened

FORGED = [
    b"x",
    b'{"position":"abc"}',
    b"\xff\xfe",
    b'{"id":"1:t:1","type":"t","subject":"t","sequence":"1","position":"3","hash":"","data":null}',
]


@pytest.fixture
async def feed(connect: Connect, log_url: str, reader: Reader) -> AsyncIterator[NatsBus]:
    """A bus with a relay running behind it, on a stream of this test's own."""
    bus = await connect("outbox")
    js = bus.client.jetstream()
    with suppress(Exception):  # left by a former test
        await js.delete_stream(subjects.STREAM)
    async with News(log_url, poll_s=0.2) as news:
        relay = asyncio.create_task(Outbox(reader, NatsFeedWriter(bus), news).run())
        yield bus
        await stopped(relay)
    with suppress(Exception):
        await js.delete_stream(subjects.STREAM)


async def follows_the_log(bus: NatsBus, reader: Reader) -> list[events.ReadFact]:
    """Wait until the stream is exactly the log of all tables, and give it."""
    tables = subjects.stream_of("")
    rows = [
        row for row in await reader.notifications(0, 10_000) if row.originator_id.startswith(tables)
    ]
    async with asyncio.timeout(20):
        while True:
            feed = NatsFeedReader(bus)
            with suppress(Exception):  # the stream may be made anew while it is read
                read = await feed.read(0, 10_000, 0.2)
                facts = [events.decode(data) for _, data in read]
                if [int(fact.position) for fact in facts] == [row.id for row in rows]:
                    return facts
            await feed.close()
            await asyncio.sleep(0.1)


@pytest.mark.usefixtures("owner")
async def test_the_stream_is_the_public_log(feed: NatsBus, sit: Sit, reader: Reader) -> None:
    table = await opened(await sit("p_test_anna"), await sit("p_test_ben"))

    facts = await follows_the_log(feed, reader)

    assert [fact.number for fact in facts] == list(range(1, len(facts) + 1))
    assert {fact.subject for fact in facts} == {table}


@pytest.mark.usefixtures("owner")
@pytest.mark.parametrize("forged", FORGED)
async def test_a_foreign_entry_stops_neither_the_feed_nor_the_tables(
    feed: NatsBus, sit: Sit, reader: Reader, forged: bytes
) -> None:
    """Whoever writes to the stream has it made anew, under an epoch that tells of it."""
    anna, ben = await sit("p_test_anna"), await sit("p_test_ben")
    await opened(anna, ben)
    before = await follows_the_log(feed, reader)

    await feed.client.publish("log.speeddive.zz", forged)
    await feed.client.flush()
    await opened(anna, ben)
    after = await follows_the_log(feed, reader)

    assert len(after) > len(before)
    assert {fact.id.partition(":")[0] for fact in after} == {"2"}


@pytest.mark.usefixtures("owner")
async def test_a_genuine_entry_sent_again_does_not_turn_the_feed_back(
    feed: NatsBus, sit: Sit, reader: Reader
) -> None:
    anna, ben = await sit("p_test_anna"), await sit("p_test_ben")
    await opened(anna, ben)
    await follows_the_log(feed, reader)
    _, old = (await NatsFeedReader(feed).read(0, 1, 1.0))[0]

    await feed.client.publish("log.speeddive.zz", old)
    await feed.client.flush()
    await opened(anna, ben)

    facts = await follows_the_log(feed, reader)
    assert {fact.id.partition(":")[0] for fact in facts} == {"2"}


@pytest.mark.usefixtures("owner")
@pytest.mark.parametrize("name", ["house", "computer_1", "service_table", "lobby"])
async def test_nobody_sits_down_under_a_name_of_the_house(
    name: str, sit: Sit, connect: Connect
) -> None:
    table = (await (await sit("p_test_anna")).open("speeddive", RULES)).table
    bus = await connect(name)
    body = msgspec.json.encode({"command_id": "12345678"})

    with pytest.raises(Exception, match="no answer"):
        await bus.request(subjects.command(name, table, "join"), body, 0.5)

    view = await (await sit("p_cleo")).seat(table).resume()
    assert [occupant and occupant.player for occupant in view.places] == ["p_test_anna", None]
