"""People play whole games through the real bus and the real store."""

import asyncio
import random
import secrets
from typing import Any

import msgspec
import pytest

from contracts import subjects
from contracts.replies import Accepted, Rejected, StoredEvents
from domain.refusals import Code, Refused
from domain.table.events import TableRules
from services.kit.bus import Denied
from services.kit.client import PlayerClient
from services.kit.nats_bus import NatsBus
from services.kit.store.reader import Reader
from tests.table.conftest import Connect, Own, Sit

served = pytest.mark.usefixtures("owner")
TWO = TableRules(places=2, computers=False, thinking_s=0)


async def opened(first: PlayerClient, *others: PlayerClient) -> str:
    rules = TableRules(places=len(others) + 1, computers=False, thinking_s=0)
    table = (await first.open("speeddive", rules, {"bilanz": False})).table
    for other in others:
        await other.join(table, client_seed=f"seed-of-{other.player}")
    await first.start(table, client_seed="mine")
    return table


async def play(client: PlayerClient, table: str, rng: random.Random) -> None:
    """Play at random to the end."""
    seat, version = client.seat(table), 0
    while True:
        view = await seat.newer(version, within_s=10)
        version = view.version
        if view.ended:
            return
        for question in view.questions:
            moves = question.options.moves
            await client.move(table, question.prompt, moves[rng.randrange(len(moves))])


@served
async def test_two_people_play_a_whole_game(sit: Sit, reader: Reader) -> None:
    anna, ben = await sit("p_anna"), await sit("p_ben")
    table = await opened(anna, ben)

    await asyncio.gather(play(anna, table, random.Random(1)), play(ben, table, random.Random(2)))

    rows = await reader.stream(subjects.stream_of(table))
    assert [row.originator_version for row in rows] == list(range(1, len(rows) + 1))
    for client in (anna, ben):
        assert await client.seat(table).resume()
        assert client.seat(table).complete
    stored = {(ack.first, ack.last) for client in (anna, ben) for ack in client.acks}
    assert all(1 <= first <= last <= len(rows) for first, last in stored)
    index = await reader.index_row(subjects.stream_of(table))
    assert index is not None
    assert (index.status, index.head) == ("finished", len(rows))
    assert index.head_hash.hex() == anna.seat(table).head


@served
async def test_the_log_is_released_after_the_game_and_not_before(sit: Sit) -> None:
    anna, ben = await sit("p_anna"), await sit("p_ben")
    table = await opened(anna, ben)
    with pytest.raises(Refused) as refused:
        await anna.send(table, "log", since=0)
    assert refused.value.code == Code.SEALED

    await asyncio.gather(play(anna, table, random.Random(1)), play(ben, table, random.Random(2)))

    answer = await anna.send(table, "log", since=0)
    assert isinstance(answer, StoredEvents)
    assert [version for version, _, _ in answer.events] == list(range(1, answer.head + 1))


@served
async def test_a_repeat_gets_the_stored_outcome_and_other_content_is_refused(sit: Sit) -> None:
    anna, ben = await sit("p_anna"), await sit("p_ben")
    table = await opened(anna, ben)
    view = await anna.seat(table).resume()
    if not view.questions:
        anna, ben = ben, anna
        view = await anna.seat(table).resume()
    question = view.questions[0]
    fields = {"prompt": question.prompt, "move": question.options.moves[0]}

    first = await anna.send(table, "move", "command-1", **fields)
    again = await anna.send(table, "move", "command-1", **fields)

    assert isinstance(first, Accepted)
    assert first.last > first.first
    assert again == first
    with pytest.raises(Refused) as refused:
        await anna.send(table, "move", "command-1", prompt=1, move=question.options.moves[0])
    assert refused.value.code == Code.COMMAND_REUSED
    with pytest.raises(Refused) as refused:  # another player's id never yields an outcome
        await ben.send(table, "move", "command-1", **fields)
    assert refused.value.code in {Code.STALE_PROMPT, Code.NOT_YOUR_TURN}


@served
async def test_bad_commands_are_refused_and_change_nothing(
    sit: Sit, connect: Connect, reader: Reader
) -> None:
    anna, ben, eve = await sit("p_anna"), await sit("p_ben"), await sit("p_eve")
    table = await opened(anna, ben)
    before = await reader.stream(subjects.stream_of(table))
    view = await anna.seat(table).resume()
    on_turn, other = (anna, ben) if view.questions else (ben, anna)
    view = await on_turn.seat(table).resume()
    prompt = view.questions[0].prompt
    dive = msgspec.Raw(b'{"type":"Dive"}')
    unknown = "00-" + "0" * 24

    async def code(client: PlayerClient, where: str, verb: str, **fields: Any) -> Code:
        with pytest.raises(Refused) as refused:
            await client.send(where, verb, **fields)
        assert refused.value.sentence
        return refused.value.code

    assert await code(on_turn, unknown, "move", prompt=1, move=dive) == Code.UNKNOWN_TABLE
    assert await code(on_turn, unknown, "resume") == Code.UNKNOWN_TABLE
    assert await code(eve, table, "move", prompt=prompt, move=dive) == Code.NOT_SEATED
    assert await code(other, table, "move", prompt=prompt, move=dive) == Code.NOT_YOUR_TURN
    assert await code(on_turn, table, "move", prompt=prompt - 1, move=dive) == Code.STALE_PROMPT
    aim = msgspec.Raw(b'{"type":"ChooseTaucher","target":1}')
    assert await code(on_turn, table, "move", prompt=prompt, move=aim) in {
        Code.NOT_OFFERED,
        Code.MALFORMED,
    }
    assert await code(on_turn, table, "move", prompt=prompt, move=[]) == Code.MALFORMED
    assert await code(on_turn, table, "move", prompt=prompt) == Code.MALFORMED
    assert await code(on_turn, table, "move", prompt=prompt, move=dive, x=1) == Code.MALFORMED
    assert await code(on_turn, table, "join", client_seed="y" * 9000) == Code.TOO_LARGE
    assert await code(eve, table, "join") == Code.NOT_GATHERING
    assert await code(eve, table, "start") == Code.NOT_GATHERING
    decide = {"seat": 0, "prompt": prompt, "move": dive, "strategy": "x", "strategy_version": 1}
    with pytest.raises(Denied):  # by the server, before any service hears of it
        await code(on_turn, table, "fly", prompt=prompt, move=dive)
    with pytest.raises(Denied):
        await code(eve, table, "decide", **decide)

    deep = b'{"command_id":"12345678","prompt":1,"move":' + b"[" * 3000 + b"]" * 3000 + b"}"
    bus = await connect("p_deep")
    answer = await bus.request(subjects.command("p_deep", table, "move"), deep, 2)
    assert msgspec.json.decode(answer, type=Rejected | Accepted).code in {  # type: ignore[union-attr]
        Code.MALFORMED,
        Code.NOT_SEATED,
    }
    wrong = await bus.request("cmd.p_deep.00.zz-0.move", b"{}", 2)
    assert msgspec.json.decode(wrong)["code"] == Code.BAD_TABLE_ID
    assert await reader.stream(subjects.stream_of(table)) == before


@served
async def test_an_answer_goes_to_the_senders_own_inbox_only(connect: Connect, sit: Sit) -> None:
    """PITFALLS C1.2: a forged reply subject makes no service publish for its sender."""
    anna, ben = await sit("p_anna"), await sit("p_ben")
    table = await opened(anna, ben)
    eve, victim = await connect("p_eve"), await connect("p_victim")
    forged: list[bytes] = []
    told: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    await victim.subscribe("view.p_victim.x", lambda message: forged.append(message.data))
    await eve.subscribe("_INBOX.p_eve.wrong_reply", lambda message: told.set_result(message.data))

    body = b'{"command_id":"12345678"}'
    subject = subjects.command("p_eve", table, "resume")
    await eve.client.publish(subject, body, reply="view.p_victim.x")

    answer = msgspec.json.decode(await asyncio.wait_for(told, 2))
    assert answer["code"] == Code.WRONG_REPLY
    assert forged == []


async def test_a_new_owner_shows_everybody_where_the_table_stands(own: Own, sit: Sit) -> None:
    """A person without clock who is awaited gets view and question again without asking."""
    first = await own(1)
    anna, ben = await sit("p_anna"), await sit("p_ben")
    table = await opened(anna, ben)
    view = await anna.seat(table).resume()
    on_turn = anna if view.questions else ben
    shown: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    first.valid = False
    await on_turn.bus.subscribe(
        subjects.view(on_turn.player, table),
        lambda message: None if shown.done() else shown.set_result(message.data),
    )
    await own(2)

    told = msgspec.json.decode(await asyncio.wait_for(shown, 5))
    assert told["version"] == view.version
    assert told["view"]["questions"]


async def test_a_stale_owner_stores_nothing_and_says_nothing(own: Own, sit: Sit) -> None:
    """The old owner still believes in its lease; the store does not."""
    await own(1)
    anna, ben = await sit("p_anna"), await sit("p_ben")
    table = await opened(anna, ben)

    await own(2)
    await asyncio.gather(play(anna, table, random.Random(1)), play(ben, table, random.Random(2)))

    assert (await anna.seat(table).resume()).phase == "finished"


@served
async def test_the_last_seat_goes_to_one_of_many(sit: Sit) -> None:
    """R144: four at once for one seat."""
    anna = await sit("p_anna")
    table = (await anna.open("speeddive", TWO)).table
    others = [await sit(f"p_other{n}") for n in range(4)]

    answers = await asyncio.gather(*(other.join(table) for other in others), return_exceptions=True)

    assert sum(isinstance(answer, Accepted) for answer in answers) == 1
    refused = [answer.code for answer in answers if isinstance(answer, Refused)]
    assert refused == [Code.TABLE_FULL] * 3


@served
async def test_a_player_who_sends_too_fast_is_told_and_harms_nobody_else(
    connect: Connect, sit: Sit
) -> None:
    anna, ben = await sit("p_anna"), await sit("p_ben")
    table = await opened(anna, ben)
    flood, calm, machine = [await connect(name) for name in ("p_eve", "p_cleo", "p_test_1")]

    async def asked(bus: NatsBus, player: str) -> str:
        body = msgspec.json.encode({"command_id": secrets.token_hex(8)})
        data = await bus.request(subjects.command(player, table, "resume"), body, 10)
        answer = msgspec.json.decode(data)
        return str(answer["code"]) if answer["type"] == "rejected" else "answered"

    codes = await asyncio.gather(*(asked(flood, "p_eve") for _ in range(200)))
    others = await asyncio.gather(
        *(asked(calm, "p_cleo") for _ in range(20)),
        *(asked(machine, "p_test_1") for _ in range(99)),
    )

    assert set(codes) == {"answered", Code.TOO_FAST}
    assert codes.count("answered") >= 60
    assert set(others) == {"answered"}
    async with asyncio.timeout(30):
        while await asked(flood, "p_eve") == Code.TOO_FAST:  # noqa: ASYNC110 - time heals it
            await asyncio.sleep(0.05)
