"""Core messaging on a real server: what is promised when all is well, and when it is not."""

import asyncio
import signal

import nats
import pytest
from structlog.testing import capture_logs

from services.kit import nats_bus
from services.kit.bus import Denied, Handler, Message, NoAnswer, NoResponder, TooLarge
from tests.bus.conftest import Connect
from tests.bus.harness import Server, eventually, request_until_answered


def echo(bus: nats_bus.NatsBus) -> Handler:
    return lambda message: bus.publish(message.reply, message.data.upper())


async def test_request_returns_the_first_answer(connect: Connect) -> None:
    bus, other = await connect("a"), await connect("b")
    sub = await bus.subscribe("ask.me", echo(bus))

    assert await other.request("ask.me", b"hello", 5) == b"HELLO"

    await sub.close()


async def test_who_gives_up_subscribing_does_not_listen(connect: Connect) -> None:
    bus = await connect("a")
    subscribing = asyncio.create_task(bus.subscribe("ask.me", echo(bus)))
    await asyncio.sleep(0)

    subscribing.cancel()

    with pytest.raises(asyncio.CancelledError):
        await subscribing
    with pytest.raises(NoResponder):
        await bus.request("ask.me", b"hello", 5)


async def test_many_requests_at_once_get_their_own_answers(connect: Connect) -> None:
    bus, other = await connect("a"), await connect("b")
    await bus.subscribe("ask.many", echo(bus))

    answers = await asyncio.gather(
        *(other.request("ask.many", b"n%d" % n, 20) for n in range(2000))
    )

    assert answers == [b"N%d" % n for n in range(2000)]
    assert not other._pending


async def test_reply_subject_lies_in_the_inbox_of_the_client(connect: Connect) -> None:
    bus, other = await connect("a"), await connect("p_anna")
    seen: list[Message] = []

    def answer(message: Message) -> None:
        seen.append(message)
        bus.publish(message.reply, b"")

    await bus.subscribe("ask.inbox", answer)
    await other.request("ask.inbox", b"", 5)

    assert seen[0].reply.startswith("_INBOX.p_anna.")
    assert other.inbox == "_INBOX.p_anna"


async def test_nobody_there_is_known_at_once(connect: Connect) -> None:
    bus = await connect()

    with pytest.raises(NoResponder):
        await bus.request("nobody.here", b"", 60)


async def test_no_answer_in_time_is_an_unknown_outcome(connect: Connect) -> None:
    bus = await connect()
    await bus.subscribe("silent", lambda _: None)

    with pytest.raises(NoAnswer):
        await bus.request("silent", b"", 0.05)

    assert not bus._pending


async def test_late_and_second_answers_change_nothing(connect: Connect) -> None:
    bus = await connect()
    asked: list[Message] = []
    await bus.subscribe("late", asked.append)
    with pytest.raises(NoAnswer):
        await bus.request("late", b"", 0.05)

    bus.publish(asked[0].reply, b"late")

    def answer_twice(message: Message) -> None:
        bus.publish(message.reply, b"1")
        bus.publish(message.reply, b"2")

    await bus.subscribe("twice", answer_twice)

    assert await bus.request("twice", b"", 5) == b"1"
    assert await bus.request("twice", b"", 5) == b"1"


async def test_a_queue_shares_and_closing_ends_the_calls(connect: Connect) -> None:
    bus, other = await connect("a"), await connect("b")
    first: list[Message] = []
    second: list[Message] = []
    one = await bus.subscribe("work", first.append, queue="q")
    await other.subscribe("work", second.append, queue="q")
    for _ in range(200):
        bus.publish("work", b"")
    await eventually(lambda: len(first) + len(second) == 200)
    assert first
    assert second

    await one.close()
    await one.close()
    had = len(first)
    for _ in range(50):
        bus.publish("work", b"")
    await eventually(lambda: len(first) + len(second) == 250)

    assert len(first) == had


async def test_a_handler_that_raises_is_counted_and_its_text_stays_inside(
    connect: Connect,
) -> None:
    bus = await connect()

    def fail(message: Message) -> None:
        raise ValueError(message.data.decode())

    await bus.subscribe("bad", fail)
    with capture_logs() as logs:
        bus.publish("bad", b"SECRET-CARD")
        await eventually(lambda: bus.counts.handler_errors == 1)
        bus.publish("bad", b"SECRET-CARD")
        await eventually(lambda: bus.counts.handler_errors == 2)

    assert "ValueError" in repr(logs)
    assert "SECRET-CARD" not in repr(logs)


async def test_a_message_too_large_is_refused_and_the_link_stays(connect: Connect) -> None:
    bus = await connect()
    await bus.subscribe("large", echo(bus))
    huge = bytes(2 * 2**20)

    with pytest.raises(TooLarge):
        await bus.request("large", huge, 5)
    bus.publish("large", huge)

    assert bus.counts.dropped_large == 1
    assert await bus.request("large", b"ok", 5) == b"OK"


async def test_a_denied_request_ends_at_once_and_is_counted(connect: Connect) -> None:
    bus = await connect("p_anna", user="player")

    with pytest.raises(Denied):
        await bus.request("view.p_bert.T1", b"", 60)

    assert bus.counts.denied == 1


async def test_a_player_can_read_no_foreign_inbox(connect: Connect) -> None:
    service, bert = await connect("service"), await connect("p_bert")
    await service.subscribe("cmd.hand", echo(service))
    anna = await connect("p_anna", user="player")
    seen: list[Message] = []
    for subject in ("_INBOX.p_bert.>", "_INBOX.>"):
        with pytest.raises(Denied, match="may not listen"):
            await anna.subscribe(subject, seen.append)

    assert await bert.request("cmd.hand", b"king", 5) == b"KING"
    assert anna.counts.denied == 2
    assert not seen


@pytest.mark.parametrize(
    "line",
    [
        b"PUB odd.\xff\xfe 1\r\nx\r\n",
        b"PUB odd.x \xff\xfe 1\r\nx\r\n",
        b"HPUB odd.x 8 9\r\nNATS/1.0x\r\n",
        b"HPUB odd.x 19 20\r\nNATS/1.0 \xff\xff\xff \xff\xfe\r\n\r\nx\r\n",
    ],
)
async def test_bytes_that_are_no_text_silence_nobody(
    connect: Connect, server: Server, line: bytes
) -> None:
    bus = await connect()
    seen: list[Message] = []
    await bus.subscribe("odd.>", seen.append)

    await server.say(line)
    bus.publish("odd.x", b"still here")
    await eventually(lambda: any(message.data == b"still here" for message in seen))

    assert bus.counts.malformed == 1
    assert bus.counts.reconnects == 0


async def test_a_link_that_takes_nothing_drops_and_never_blocks(
    connect: Connect, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nats_bus, "OUT_BYTES_MAX", 2**20)
    bus = await connect()
    server.signal(signal.SIGSTOP)
    try:
        for _ in range(400):
            bus.publish("flood", bytes(100_000))
            await asyncio.sleep(0)
        with pytest.raises(NoResponder):
            await bus.request("flood", b"", 60)
    finally:
        server.signal(signal.SIGCONT)

    assert bus.counts.dropped_full > 200
    await eventually(lambda: bus.client.pending_data_size == 0)
    await bus.subscribe("after", echo(bus))
    assert await bus.request("after", b"ok", 5) == b"OK"


async def test_closing_without_a_server_ends(server: Server) -> None:
    bus = await nats_bus.connect(
        server.url, "x", "_INBOX.x", lambda: None, user="service", password="service"
    )
    server.kill()
    await eventually(lambda: not bus.connected)

    await asyncio.wait_for(bus.close(), 10)

    server.start()


async def test_slow_consumer_drops_are_counted(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nats_bus, "SUB_MESSAGES_MAX", 10)
    bus, other = await connect("a"), await connect("b")
    seen: list[Message] = []
    await bus.subscribe("flood", seen.append)

    for _ in range(2000):
        other.publish("flood", b"x")
    await eventually(lambda: len(seen) + bus.counts.slow_consumer == 2000)

    assert bus.counts.slow_consumer > 0


async def test_publishing_during_an_outage_drops_and_counts(
    connect: Connect, server: Server
) -> None:
    bus, other = await connect("a"), await connect("b")
    seen: list[Message] = []
    await other.subscribe("news", seen.append)
    server.kill()
    await eventually(lambda: not bus.connected and not other.connected)

    for _ in range(3):
        bus.publish("news", b"lost")
    with pytest.raises(NoResponder):
        await bus.request("news", b"", 60)
    with pytest.raises(NoResponder):
        await bus.subscribe("late.interest", seen.append)
    assert bus.counts.dropped_down == 4
    server.start()
    await eventually(lambda: bus.connected and other.connected)
    await eventually(lambda: bus.counts.reconnects == 1 and other.counts.reconnects == 1)
    bus.publish("news", b"after")
    await eventually(lambda: bool(seen))

    assert [message.data for message in seen] == [b"after"]


async def test_requests_survive_a_restart_of_the_server(connect: Connect, server: Server) -> None:
    bus, other = await connect("a"), await connect("b")
    await bus.subscribe("steady", echo(bus))
    outcomes: list[str] = []

    async def ask(number: int) -> None:
        for _ in range(400):
            try:
                assert await other.request("steady", b"n%d" % number, 1) == b"N%d" % number
                outcomes.append("ok")
            except NoAnswer:
                outcomes.append("unknown")
            except NoResponder:
                outcomes.append("nobody")
                await asyncio.sleep(0.02)

    asking = asyncio.gather(*(ask(n) for n in range(8)))
    await eventually(lambda: len(outcomes) > 50)
    server.kill()
    server.start()
    await asking

    assert await request_until_answered(other, "steady", b"back") == b"BACK"
    assert len(outcomes) == 8 * 400
    assert outcomes.count("ok") > 50


async def test_the_end_of_the_connection_is_told(server: Server) -> None:
    ended = asyncio.Event()
    bus = await nats_bus.connect(
        server.url, "x", "_INBOX.x", ended.set, user="service", password="service"
    )

    await bus.client._process_err("'user authentication expired'")
    await asyncio.wait_for(ended.wait(), 10)

    with pytest.raises(NoResponder):
        await bus.request("x", b"", 1)
    await bus.close()


async def test_closing_tells_nobody_and_may_be_repeated(server: Server) -> None:
    ended = asyncio.Event()
    bus = await nats_bus.connect(
        server.url, "x", "_INBOX.x", ended.set, user="service", password="service"
    )

    await bus.close()
    await bus.close()

    assert not ended.is_set()


async def test_no_server_is_one_clear_error() -> None:
    with pytest.raises(NoResponder, match=r"no NATS server lets us in at nats://127\.0\.0\.1:9"):
        await nats_bus.connect("nats://127.0.0.1:9", "x", "_INBOX.x", lambda: None, wait_s=0.3)


async def test_wrong_password_is_one_clear_error(server: Server) -> None:
    with pytest.raises(NoResponder, match=r"(?i)authorization violation"):
        await nats_bus.connect(
            server.url, "x", "_INBOX.x", lambda: None, wait_s=0.3, user="service", password="no"
        )


async def test_a_registered_service_is_found(connect: Connect, server: Server) -> None:
    bus = await connect()
    await bus.register_service("table", "0.1.0")
    operator = await nats.connect(server.url, user="service", password="service")

    answer = await operator.request("$SRV.PING.table", b"", timeout=5)

    assert b'"version":"0.1.0"' in answer.data.replace(b" ", b"")
    await operator.close()


async def test_closing_while_the_server_ends_the_connection_cancels_nobody(
    connect: Connect,
) -> None:
    """Who waits for the end of a socket and is cancelled cancels all who wait for it."""
    bus = await connect("leaving")
    transport = bus.client._transport
    assert transport is not None
    other = asyncio.create_task(transport.wait_closed())  # type: ignore[no-untyped-call]
    await asyncio.sleep(0)
    other.cancel()

    await bus.close()

    assert bus.client.is_closed
    assert other.cancelled()


async def test_whoever_closes_may_be_cancelled_himself(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = await connect("leaving")
    begun = asyncio.Event()

    async def drain() -> None:
        begun.set()
        await asyncio.sleep(60)

    monkeypatch.setattr(bus.client, "drain", drain)
    closing = asyncio.create_task(bus.close())
    await begun.wait()
    closing.cancel()

    with pytest.raises(asyncio.CancelledError):
        await closing
    await bus.client.close()
