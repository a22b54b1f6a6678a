"""A player's client on a bus that loses, doubles and delays what it carries."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import pytest
from msgspec import Raw

from contracts.replies import RESUME_MAX, rejected
from contracts.subjects import inbox, stream_of, view
from domain.refusals import Code, Refused
from services.kit.bus import Message
from services.kit.client import PlayerClient, Unanswered
from services.kit.seen import SeenFact, SeenFeed, SeenView
from services.ops.simulation.plan import Plan
from services.ops.simulation.play import Outcome, play_table
from services.table.service import TableService
from tests.world.bus import WorldBus
from tests.world.faults import BusFaults, Faults
from tests.world.processes import Life
from tests.world.world import World

ROUGH = BusFaults(loss=0.1, double=0.1, reorder=0.1, late=0.02)
PEOPLE = Plan("speeddive", seats=2, people=2, options={"target": 100}, stall_s=600)


def test_a_game_is_played_to_its_end_whatever_the_bus_does() -> None:
    """Nothing is lost or done twice: every acknowledgement is in the log, every fact arrives."""
    for seed in range(5):
        world = World(seed, Faults(bus=dict.fromkeys(("cmd", "reply", "view"), ROUGH)))
        outcome, clients = world.run(_game(world))
        assert outcome.error == ""
        log = world.store.streams[stream_of(outcome.table)]
        acks = [ack for client in clients for ack in client.acks]
        assert outcome.facts == len(log)
        assert all(1 <= ack.first <= ack.last + 1 <= len(log) + 1 for ack in acks)
        assert sum(client.counts.repeats for client in clients) > 0


async def _game(world: World) -> tuple[Outcome, list[PlayerClient]]:
    process = world.process("table", lambda life: _table(world, life))
    process.start()
    clients = {}
    for player in PEOPLE.players:
        client = PlayerClient(world.net.client(player, inbox(player)), player, patience_s=600)
        clients[player] = await client.__aenter__()
    outcome = await play_table(PEOPLE, 0, clients, asyncio.Semaphore(1))
    return outcome, list(clients.values())


async def _table(world: World, life: Life) -> None:
    bus = world.net.client("table", life=life)
    reader = world.store.reader(life)
    async with world.store.recorder(life) as recorder:

        class Store:
            submit = recorder.submit
            stream = reader.stream
            index_row = reader.index_row

        service = TableService(bus, Store(), reader)
        async with world.leases(service.gained, service.lost, life=life) as leases:
            service.lease = leases.valid
            await service.repeat_heads()


# Commands


def in_world(scenario: Callable[[WorldBus, PlayerClient], Awaitable[None]]) -> None:
    """Run a scenario with a bus that answers for the table, and a client that is patient for 5 s."""
    world = World(1)

    async def run() -> None:
        server = world.net.client("table")
        async with PlayerClient(
            world.net.client("p_anna", inbox("p_anna")), "p_anna", patience_s=5
        ) as client:
            await scenario(server, client)

    world.run(run())


ACCEPTED = b'{"type":"accepted","table":"t","first":1,"last":3,"head":"ab"}'
BUSY = b'{"type":"rejected","code":"busy","sentence":"Repeat it.","retry":true}'
UNKNOWN = b'{"type":"rejected","code":"unavailable","sentence":"?","outcome_known":false}'
STALE = b'{"type":"rejected","code":"stale_prompt","sentence":"That question is closed."}'


@pytest.mark.parametrize("first", [None, BUSY, UNKNOWN])
def test_an_unsettled_command_is_repeated_as_the_same_bytes(first: bytes | None) -> None:
    async def scenario(server: WorldBus, client: PlayerClient) -> None:
        heard: list[bytes] = []

        def answer(message: Message) -> None:
            heard.append(message.data)
            reply = ACCEPTED if len(heard) > 1 else first
            if reply is not None:
                server.publish(message.reply, reply)

        await server.subscribe("cmd.>", answer)
        ack = await client.leave("00-" + "a" * 24)
        assert (ack.first, ack.last) == (1, 3)
        assert [each.last for each in client.acks] == [3]
        assert len(heard) == 2
        assert heard[0] == heard[1]

    in_world(scenario)


def test_a_refusal_is_final_and_raised_with_its_code() -> None:
    async def scenario(server: WorldBus, client: PlayerClient) -> None:
        await server.subscribe("cmd.>", lambda m: server.publish(m.reply, STALE))
        with pytest.raises(Refused) as refused:
            await client.move("00-" + "a" * 24, 3, Raw(b'{"type":"Dive"}'))
        assert refused.value.code == Code.STALE_PROMPT
        assert client.counts.refused == {"stale_prompt": 1}
        assert client.acks == []

    in_world(scenario)


def test_no_advice_is_told_and_not_asked_for_again() -> None:
    async def scenario(server: WorldBus, client: PlayerClient) -> None:
        none = msgspec.json.encode(rejected(Refused(Code.NO_ADVICE, "There is none.")))
        await server.subscribe("cmd.>", lambda m: server.publish(m.reply, none))
        with pytest.raises(Refused) as refused:
            await client.rat("00-" + "a" * 24, 3)
        assert refused.value.code == Code.NO_ADVICE
        assert client.counts.repeats == 0

    in_world(scenario)


def test_patience_has_an_end() -> None:
    async def scenario(_server: WorldBus, client: PlayerClient) -> None:
        with pytest.raises(Unanswered, match="leave"):
            await client.leave("00-" + "a" * 24)

    in_world(scenario)


# Feeds


def feed(version: int, facts: range, *, with_view: bool = True) -> bytes:
    shown = SeenView(version, "playing", "c") if with_view else None
    numbered = tuple(SeenFact(n, 0, "", Raw(b"null")) for n in facts)
    return msgspec.json.encode(SeenFeed("t", version, f"h{version}", numbered, shown))


def resumed(version: int, since: int) -> bytes:
    whole = feed(version, range(since + 1, version + 1))
    return b'{"type":"resumed","feed":' + whole + b"}"


def test_lost_doubled_and_late_messages_leave_no_hole() -> None:
    async def scenario(server: WorldBus, client: PlayerClient) -> None:
        table, asked = "00-" + "a" * 24, []

        def answer(message: Message) -> None:
            asked.append(msgspec.json.decode(message.data)["since"])
            server.publish(message.reply, resumed(6 if len(asked) > 1 else 2, asked[-1]))

        await server.subscribe("cmd.*.*.*.resume", answer)
        seat = client.seat(table)
        assert (await seat.newer(0, 60)).version == 2
        for data in (
            feed(4, range(3, 5)),
            feed(4, range(3, 5)),  # doubled
            feed(3, range(3, 4)),  # late
            feed(6, range(6, 7)),  # 5 was lost
        ):
            server.publish(view("p_anna", table), data)
        assert (await seat.newer(4, 60)).version == 6
        assert not seat.complete
        await seat.resume()
        assert seat.complete
        assert [fact.number for fact in seat.facts] == [1, 2, 3, 4, 5, 6]
        assert asked == [0, 4]

    in_world(scenario)


def test_whoever_missed_very_much_goes_on_from_the_view_alone() -> None:
    async def scenario(server: WorldBus, client: PlayerClient) -> None:
        table, asked = "00-" + "a" * 24, []
        late = 2 * RESUME_MAX

        def answer(message: Message) -> None:
            asked.append(msgspec.json.decode(message.data)["since"])
            alone = feed(late, range(0))
            told = resumed(2, 0) if len(asked) == 1 else b'{"type":"resumed","feed":' + alone + b"}"
            server.publish(message.reply, told)

        await server.subscribe("cmd.*.*.*.resume", answer)
        seat = client.seat(table)
        await seat.newer(0, 60)
        server.publish(view("p_anna", table), feed(late, range(0), with_view=False))
        assert (await seat.newer(2, 60)).version == late
        assert seat.complete
        assert (seat.passed, seat.facts) == (late, [])
        server.publish(view("p_anna", table), feed(late + 1, range(late + 1, late + 2)))
        assert (await seat.newer(late, 60)).version == late + 1
        assert seat.complete
        assert [fact.number for fact in seat.facts] == [late + 1]
        assert asked == [0, 2]

    in_world(scenario)


@pytest.mark.parametrize("hint", [feed(3, range(0), with_view=False), None])
def test_whoever_is_behind_or_hears_nothing_resumes(hint: bytes | None) -> None:
    async def scenario(server: WorldBus, client: PlayerClient) -> None:
        table, versions = "00-" + "a" * 24, iter([2, 3])

        def answer(message: Message) -> None:
            server.publish(message.reply, resumed(next(versions), 0))

        await server.subscribe("cmd.*.*.*.resume", answer)
        seat = client.seat(table)
        await seat.newer(0, 60)
        if hint is not None:
            server.publish(view("p_anna", table), hint)
        assert (await seat.newer(2, 60)).version == 3
        assert seat.head == "h3"

    in_world(scenario)


def test_waiting_for_a_view_has_an_end() -> None:
    async def scenario(server: WorldBus, client: PlayerClient) -> None:
        await server.subscribe("cmd.>", lambda m: server.publish(m.reply, resumed(2, 0)))
        with pytest.raises(TimeoutError):
            await client.seat("00-" + "a" * 24).newer(2, 30)

    in_world(scenario)
