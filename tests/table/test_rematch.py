"""Once more with the same people, over the real bus and store (RULES.md 1.7)."""

import asyncio
from collections import Counter

import msgspec
import pytest

from contracts import subjects, topics
from contracts.replies import Accepted
from domain.refusals import Code, Refused
from domain.table import events as e
from domain.table.clocks import RETURN_MS
from services.kit.client import PlayerClient
from services.kit.seen import SeenView
from services.kit.store import chain
from services.kit.store.model import StoredEvent
from services.kit.store.reader import Reader
from services.kit.store.recorder import Recorder
from services.ops.verification.stream import check_table
from tests.ops.tables import finished
from tests.table.conftest import Own, Owner, Sit

served = pytest.mark.usefixtures("owner")


async def over(recorder: Recorder, people: int = 2, seats: int = 3) -> str:
    """Store a table whose game is over; its people are `p_test_1`, `p_test_2` and so on."""
    played = finished(people=people, seats=seats)
    for unit in played.units:
        await recorder.append(unit)
    return played.table.table_id


async def seen(person: PlayerClient, table: str, phase: str) -> SeenView:
    view = await person.seat(table).newer(0, 20)
    while view.phase != phase:
        view = await person.seat(table).newer(view.version, 20)
    return view


async def facts_of(reader: Reader, table: str) -> list[object]:
    rows = await reader.stream(subjects.stream_of(table))
    return [topics.decode(row.topic, chain.decode(row).data) for row in rows]


@served
async def test_the_second_to_come_back_starts_the_next_game(
    sit: Sit, recorder: Recorder, reader: Reader
) -> None:
    table = await over(recorder)
    anna, ben = await sit("p_test_1"), await sit("p_test_2")
    before = await anna.seat(table).resume()
    opened = await ben.again(table)
    assert (await anna.seat(table).newer(before.version, 20)).successor == opened.table
    back = await anna.again(table)
    view = await seen(ben, opened.table, "playing")

    assert opened.table == back.table == subjects.successor_id(table)
    assert opened.commitment == view.commitment
    assert [each.player for each in view.seats] == [each.player for each in before.seats]
    for stream in (table, opened.table):
        index = await reader.index_row(subjects.stream_of(stream))
        rows = await reader.stream(subjects.stream_of(stream))
        assert check_table(stream, index, rows).finding is None


@served
async def test_a_thousand_at_once_open_one_table(
    sit: Sit, recorder: Recorder, reader: Reader
) -> None:
    """R089"""
    table = await over(recorder, people=4, seats=4)
    people = [await sit(f"p_test_{n}") for n in range(1, 5)]
    for each in people:
        each._patience_s = 60

    async def wants(person: PlayerClient) -> str:
        try:
            answer = await person.send(table, "again")
        except Refused as refused:
            return f"{refused.hint} {refused.code}"
        assert isinstance(answer, Accepted)
        return f"{answer.table} opened"

    told = Counter(await asyncio.gather(*(wants(each) for each in people * 250)))

    successor = subjects.successor_id(table)
    assert told == {f"{successor} opened": 1, f"{successor} finished": 999}
    assert sum(isinstance(fact, e.SuccessorOpened) for fact in await facts_of(reader, table)) == 1
    kinds = [type(fact) for fact in await facts_of(reader, successor)]
    assert kinds == [e.TableOpened, e.SeedDrawn, e.SeatTaken, *[e.SeatHeld] * 3]


async def test_a_repeat_gets_the_same_answer_also_from_the_next_owner(
    own: Own, sit: Sit, recorder: Recorder
) -> None:
    first = await own(1)
    table = await over(recorder)
    anna, ben = await sit("p_test_1"), await sit("p_test_2")
    opened = await anna.send(table, "again", "command-1")
    await ben.send(subjects.successor_id(table), "join", "command-1")
    first.valid = False
    await own(2)

    assert await anna.send(table, "again", "command-1") == opened
    assert isinstance(opened, Accepted)
    assert opened.table == subjects.successor_id(table)
    assert opened.commitment


async def test_held_places_outlive_their_owner_and_end_by_themselves(
    own: Own, sit: Sit, recorder: Recorder, reader: Reader, ahead: list[int]
) -> None:
    """TABLE-A10: nobody sends anything; the next owner finds in the log what is due."""
    first = await own(1)
    table = await over(recorder)
    anna, ben, eve = [await sit(f"p_test_{n}") for n in (1, 2, 3)]
    successor = (await anna.again(table)).table
    with pytest.raises(Refused) as refused:
        await eve.join(successor, 1)
    assert refused.value.code == Code.SEAT_HELD
    index = await reader.index_row(subjects.stream_of(successor))
    view = await anna.seat(successor).resume()
    assert index is not None
    assert index.next_wake_ms == view.holds[0].until

    first.valid = False
    ahead[0] = RETURN_MS
    await own(2)
    while view.holds:
        view = await anna.seat(successor).newer(view.version, 20)
    await eve.join(successor, 1)
    await anna.start(successor)

    assert (await facts_of(reader, successor))[5] == e.HoldEnded(1, "p_test_2")
    with pytest.raises(Refused) as refused:
        await ben.again(table)
    assert refused.value.code == Code.NOT_GATHERING


@served
async def test_who_asks_for_the_next_table_too_early_harms_nobody(
    sit: Sit, recorder: Recorder
) -> None:
    table = await over(recorder)
    anna, ben = await sit("p_test_1"), await sit("p_test_2")
    successor = subjects.successor_id(table)
    with pytest.raises(Refused) as refused:
        await ben.join(successor)
    assert refused.value.code == Code.UNKNOWN_TABLE
    await anna.again(table)
    await ben.join(successor)

    assert (await seen(anna, successor, "playing")).seats[1].player == "p_test_2"


async def test_a_slow_look_from_before_hides_no_table_that_was_opened_meanwhile(
    owner: Owner, sit: Sit, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await over(recorder)
    successor = subjects.successor_id(table)
    anna, ben, eve = [await sit(f"p_test_{n}") for n in (1, 2, 9)]
    looked, goes_on = asyncio.Event(), asyncio.Event()
    real = owner.store.stream

    async def stream(name: str, after: int = 0) -> list[StoredEvent]:
        rows = await real(name, after)
        if name == subjects.stream_of(successor) and not looked.is_set():
            looked.set()
            await goes_on.wait()
        return rows

    monkeypatch.setattr(owner.store, "stream", stream)
    early = asyncio.create_task(eve.seat(successor).resume())
    await looked.wait()
    await anna.send(table, "again")
    await anna.join(successor)
    goes_on.set()
    await early

    await ben.join(successor)


@served
async def test_alone_one_plays_again_at_once(sit: Sit, recorder: Recorder) -> None:
    table = await over(recorder, people=1)
    anna = await sit("p_test_1")

    opened = await anna.again(table)
    await anna.start(opened.table)

    view = await seen(anna, opened.table, "playing")
    assert [each.kind for each in view.seats] == ["person", "computer", "computer"]


@served
async def test_a_solo_table_is_opened_and_begins_with_both_shares_of_chance(
    sit: Sit, reader: Reader
) -> None:
    anna, ben = await sit("g_anna"), await sit("p_ben")
    started = await anna.solo("speeddrill", e.TableRules(3))
    with pytest.raises(Refused) as refused:
        await ben.join(started.table)
    facts = await facts_of(reader, started.table)

    assert refused.value.code == Code.NOT_GATHERING
    (sealed,) = [fact for fact in facts if isinstance(fact, e.ChanceSealed)]
    assert len(sealed.client_seeds) == 1
    body = {"command_id": "12345678", "game": "speeddrill", "rules": {"places": 3, "solo": True}}
    table = subjects.table_id("g_anna", "12345678")
    subject = subjects.command("g_anna", table, "open")
    answer = msgspec.json.decode(await anna.bus.request(subject, msgspec.json.encode(body), 5))
    assert answer["commitment"] == (await anna.seat(table).resume()).commitment
