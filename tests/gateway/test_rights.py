"""Least rights on the real bus: what players, analysts, operators and services may do, and not."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
from nats.js.api import ConsumerConfig, DeliverPolicy

from contracts.rights import PLAYER_VERBS, SUBSCRIPTIONS_MAX
from contracts.subjects import WATCHERS, inbox
from deploy.embedded.supervisor import Stack
from services.kit.bus import Denied, Message, NoResponder
from services.kit.nats_bus import NatsBus
from services.kit.nats_feed import NatsFeedWriter
from tests.bus.harness import eventually
from tests.entrance import Entrance

ANNA, BEN = "p_test_anna", "p_test_ben"
TABLE = "07-0123456789abcdef01234567"

NOT_TO_BE_SAID = [
    *(f"cmd.{BEN}.07.{TABLE}.{verb}" for verb in PLAYER_VERBS),
    f"cmd.bot.07.{TABLE}.decide",
    f"cmd.{ANNA}.07.{TABLE}.decide",
    f"cmd.{ANNA}.07.{TABLE}.DECIDE",
    f"cmd.{ANNA}.07.{TABLE}.fly",
    f"cmd.{ANNA}.07.{TABLE}",
    f"cmd.{ANNA}.07.{TABLE}.move.x",
    f"cmd.{ANNA}x.07.{TABLE}.move",
    f"view.{ANNA}.{TABLE}",
    f"view.{BEN}.{TABLE}",
    f"watch.{TABLE}",
    f"chat.{BEN}.{TABLE}.say",
    "bot.prompt",
    "bot.rat",
    "lobby.change",
    "lobby.list",
    f"lobby.{BEN}.list",
    f"lobby.{ANNA}.open",
    f"leaderboard.{BEN}.speeddive",
    "leaderboard.speeddive",
    f"names.{BEN}.get",
    f"account.{BEN}",
    "ledger.hold",
    "gateway.ticket",
    f"log.speeddive.{TABLE}",
    f"{inbox(ANNA)}.x",
    f"{inbox(BEN)}.x",
    f"{inbox('table')}.x",
    f"{inbox('ops')}.x",
    "_INBOX.x",
    "_R_.x",
    "_BENCH.x",
    "$SRV.PING",
    "$SRV.INFO.table",
    "$SRV.STATS.gateway.x",
    "$JS.API.INFO",
    "$JS.API.STREAM.INFO.LOGBUCH",
    "$JS.API.STREAM.LIST",
    "$JS.API.STREAM.CREATE.MINE",
    "$JS.API.STREAM.DELETE.LOGBUCH",
    "$JS.API.STREAM.PURGE.LOGBUCH",
    "$JS.API.STREAM.MSG.GET.LOGBUCH",
    "$JS.API.DIRECT.GET.LOGBUCH",
    "$JS.API.CONSUMER.CREATE.LOGBUCH.x",
    "$JS.API.CONSUMER.MSG.NEXT.LOGBUCH.x",
    "$JS.ACK.LOGBUCH.x.1.1.1.1.0",
    "$JS.LOGBUCH.API.STREAM.INFO.LOGBUCH",
    "$KV.x.y",
    "$SYS.REQ.USER.AUTH",
    "$SYS.REQ.USER.INFO",
    "$SYS.REQ.SERVER.PING",
    "$SYS.REQ.SERVER.PING.CONNZ",
    "$SYS.ACCOUNT.LOGBUCH.CONNECT",
    "anything.else",
]
NOT_TO_BE_HEARD = [
    ">",
    "*",
    "*.>",
    "cmd.>",
    f"cmd.{ANNA}.>",
    "view.>",
    "view.*.*",
    f"view.*.{TABLE}",
    f"view.{BEN}.*",
    f"view.{BEN}.{TABLE}",
    "_INBOX.>",
    "_INBOX.*.>",
    f"{inbox(BEN)}.>",
    f"{inbox(BEN)}.x",
    f"{inbox('table')}.>",
    f"{inbox(ANNA)}",
    "_R_.>",
    "bot.>",
    "bot.prompt",
    "log.>",
    f"log.speeddive.{TABLE}",
    "lobby.>",
    f"lobby.{ANNA}.list",
    f"leaderboard.{ANNA}.*",
    f"names.{ANNA}.get",
    f"account.{ANNA}",
    "chat.>",
    f"chat.{TABLE}",
    f"chatline.{BEN}.*",
    "chatline.*.*",
    "gateway.ticket",
    "ledger.>",
    "$SRV.>",
    "$SRV.PING",
    "$JS.>",
    "$JS.API.>",
    "$JS.EVENT.>",
    "$SYS.>",
    "$SYS.ACCOUNT.LOGBUCH.CONNECT",
    "$SYS.REQ.USER.AUTH",
    "$KV.>",
]


@pytest.fixture
async def anna(entrance: Entrance) -> NatsBus:
    return await entrance.player(ANNA)


def nothing(_message: Message) -> None:
    raise AssertionError("heard something")


async def test_a_player_says_nothing_that_is_not_his(anna: NatsBus) -> None:
    for subject in NOT_TO_BE_SAID:
        with pytest.raises(Denied, match="may not use"):
            await anna.request(subject, b"{}", 30)
    assert anna.counts.denied == len(NOT_TO_BE_SAID)


@pytest.mark.parametrize("queue", ["", "table"])
async def test_a_player_hears_nothing_that_is_not_his(anna: NatsBus, queue: str) -> None:
    for subject in NOT_TO_BE_HEARD:
        with pytest.raises(Denied, match="may not listen"):
            await anna.subscribe(subject, nothing, queue)


async def test_a_star_at_the_end_of_a_right_lets_the_rest_through_as_well(
    anna: NatsBus, entrance: Entrance
) -> None:
    """The server takes `watch.>` for a subject that `watch.*` fits; so it does let it through.

    Therefore nothing but what he may know may ever lie below these.
    """
    heard: asyncio.Queue[Message] = asyncio.Queue()
    for subject in ("watch.>", f"chatline.{WATCHERS}.>", f"view.{ANNA}.>"):
        await anna.subscribe(subject, heard.put_nowait)
    master = await entrance.master("house")

    for subject in (f"view.{BEN}.{TABLE}", f"view.{ANNA}.{TABLE}"):
        master.publish(subject, b"x")

    assert (await asyncio.wait_for(heard.get(), 10)).subject == f"view.{ANNA}.{TABLE}"
    assert heard.empty()


async def test_a_player_has_what_is_his(anna: NatsBus) -> None:
    heard = [f"{inbox(ANNA)}.own.>", f"view.{ANNA}.*", f"view.{ANNA}.{TABLE}", "lobby.change"]
    for subject in (*heard, "watch.*", f"watch.{TABLE}", f"chatline.{WATCHERS}.{TABLE}"):
        await anna.subscribe(subject, nothing)
    said = [f"cmd.{ANNA}.07.{TABLE}.{verb}" for verb in PLAYER_VERBS]
    said += [f"chat.{ANNA}.{TABLE}.say", f"lobby.{ANNA}.list", f"names.{ANNA}.get"]
    for subject in (*said, f"leaderboard.{ANNA}.speeddive", f"account.{ANNA}"):
        with pytest.raises(NoResponder):
            await anna.request(subject, b"{}", 30)
    assert anna.counts.denied == 0


async def test_a_reply_subject_is_no_way_around(anna: NatsBus, entrance: Entrance) -> None:
    """The server checks where an answer goes when it is published, and there it is the service's.

    So services answer only in the inbox of the player in the subject (tests/table, PITFALLS C1.2);
    here is what their own rights leave: they cannot answer into the feed or the log.
    """
    ledger, ben = await entrance.service("ledger"), await entrance.player(BEN)
    asked: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
    await ledger.subscribe("leaderboard.*.*", asked.set_result)
    await ben.subscribe(f"view.{BEN}.{TABLE}", nothing)

    anna.ask_all(f"leaderboard.{ANNA}.speeddive", b"{}", f"view.{BEN}.{TABLE}")
    message = await asyncio.wait_for(asked, 10)
    ledger.publish(message.reply, b"forged")

    await eventually(lambda: ledger.counts.denied == 1)
    assert ben.counts.received == 0


@pytest.mark.usefixtures("anna")  # the door is open: a raw client would not try again
async def test_a_players_subscriptions_are_bounded(stack: Stack, entrance: Entrance) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(stack.nats_url.split(":")[-1]))
    options = {"auth_token": entrance.ticket(ANNA), "verbose": False}
    writer.write(f"CONNECT {json.dumps(options)}\r\nPING\r\n".encode())
    for number in range(SUBSCRIPTIONS_MAX + 1):
        writer.write(b"SUB watch.%d %d\r\n" % (number, number))
    said: list[bytes] = []
    async with asyncio.timeout(20):
        async for line in reader:
            said.append(line)
            if line.startswith(b"-ERR"):
                break
    assert "maximum subscriptions" in said[-1].decode().lower()
    writer.close()


@pytest.mark.parametrize(
    ("user", "said", "heard"),
    [
        ("bot", f"cmd.{ANNA}.07.{TABLE}.move", "view.>"),
        ("bot", f"{inbox(ANNA)}.x", "cmd.>"),
        ("bot", "bot.prompt", f"{inbox(ANNA)}.>"),
        ("lobby", f"view.{ANNA}.{TABLE}", "cmd.>"),
        ("lobby", f"cmd.bot.07.{TABLE}.decide", "bot.prompt"),
        ("ledger", f"log.speeddive.{TABLE}", "view.>"),
        ("gateway", f"cmd.{ANNA}.07.{TABLE}.move", "cmd.>"),
        ("gateway", f"view.{ANNA}.{TABLE}", "view.>"),
        ("table", f"cmd.{ANNA}.07.{TABLE}.move", "view.>"),
        ("table", "lobby.change", "_INBOX.>"),
        ("table", "$JS.API.STREAM.CREATE.OTHER", "bot.prompt"),
        ("ops", f"cmd.{ANNA}.07.{TABLE}.move", "view.>"),
        ("ops", f"view.{ANNA}.{TABLE}", "bot.prompt"),
        ("ops", "$JS.API.STREAM.DELETE.LOGBUCH", "cmd.>"),
        ("ops", f"log.speeddive.{TABLE}", ">"),
        ("canary", "lobby.ops.list", "$SYS.REQ.USER.AUTH"),
        ("doorkeeper", "$SYS.REQ.SERVER.x.RELOAD", "$SYS.>"),
        ("operator", "$SYS.REQ.SERVER.x.KICK", "cmd.>"),
        ("operator", f"cmd.{ANNA}.07.{TABLE}.move", "_INBOX.>"),
        ("analyst", f"log.speeddive.{TABLE}", "view.>"),
        ("analyst", "$JS.API.STREAM.DELETE.LOGBUCH", "log.>"),
    ],
)
async def test_services_and_people_of_the_house_have_no_more_than_they_need(
    user: str, said: str, heard: str, entrance: Entrance
) -> None:
    bus = await entrance.service(user)
    with pytest.raises(Denied):
        await bus.request(said, b"", 30)
    if (user, heard) == ("canary", "$SYS.REQ.USER.AUTH"):
        return  # it may listen, in an account where nobody speaks of it
    with pytest.raises(Denied):
        await bus.subscribe(heard, nothing)


@pytest.fixture
async def stream(entrance: Entrance) -> NatsBus:
    """The stream LOGBUCH with three entries, as the table service makes and fills it."""
    table = await entrance.service("table")
    js = table.client.jetstream()
    writer = NatsFeedWriter(table)
    await writer.create((await writer.epoch() or 0) + 1)
    for number in range(3):
        await js.publish(f"log.speeddive.{TABLE}", b"%d" % number)
    return table


async def test_an_analyst_reads_the_stream_by_a_durable_pull_consumer(
    stream: NatsBus, entrance: Entrance
) -> None:
    analyst = await entrance.service("analyst")
    js = analyst.client.jetstream(domain="LOGBUCH")
    config = ConsumerConfig(durable_name="research", deliver_policy=DeliverPolicy.ALL)

    pull = await js.pull_subscribe("log.speeddive.*", "research", "LOGBUCH", config)
    first = await pull.fetch(2, timeout=10)
    for message in first:
        await message.ack_sync(timeout=10)
    (last,) = await pull.fetch(1, timeout=10)
    await last.ack_sync(timeout=10)

    assert [message.data for message in (*first, last)] == [b"0", b"1", b"2"]
    assert {message.subject for message in first} == {f"log.speeddive.{TABLE}"}
    acknowledged = (await pull.consumer_info()).ack_floor
    assert acknowledged is not None
    assert acknowledged.stream_seq == 3
    assert (await js.stream_info("LOGBUCH")).state.messages == 3
    assert await js.delete_consumer("LOGBUCH", "research")
    assert analyst.counts.denied == 0
    assert stream.counts.denied == 0


Attempt = Callable[[NatsBus], Awaitable[object]]


@pytest.mark.usefixtures("stream")
@pytest.mark.parametrize(
    "attempt",
    [
        "STREAM.DELETE.LOGBUCH",
        "STREAM.PURGE.LOGBUCH",
        "STREAM.UPDATE.LOGBUCH",
        "STREAM.CREATE.OTHER",
        "STREAM.MSG.DELETE.LOGBUCH",
        "STREAM.MSG.GET.LOGBUCH",
        "CONSUMER.CREATE.OTHER.x",
        "CONSUMER.NAMES.LOGBUCH",
    ],
)
async def test_an_analyst_changes_nothing(attempt: str, entrance: Entrance) -> None:
    """The subject is the account's own: nobody answers to what is not imported."""
    analyst = await entrance.service("analyst")
    with pytest.raises(NoResponder):
        await analyst.request(f"$JS.LOGBUCH.API.{attempt}", b"{}", 30)


async def test_an_operator_sees_servers_stream_and_public_tables(
    stream: NatsBus, entrance: Entrance
) -> None:
    operator = await entrance.service("operator")
    for page in ("STATSZ", "VARZ", "CONNZ", "JSZ", "HEALTHZ"):
        answer = await operator.request(f"$SYS.REQ.SERVER.PING.{page}", b"", 10)
        assert json.loads(answer)["server"]["ver"], page
    info = json.loads(await operator.request("$JS.LOGBUCH.API.STREAM.INFO.LOGBUCH", b"", 10))
    assert info["state"]["messages"] == 3

    seen: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
    await operator.subscribe("watch.*", seen.set_result)
    stream.publish(f"watch.{TABLE}", b"public")
    assert (await asyncio.wait_for(seen, 10)).data == b"public"
