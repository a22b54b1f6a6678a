"""The public form of the log: numbers without holes, nothing hidden, one entry for each event."""

from __future__ import annotations

from datetime import datetime

import msgspec
import pytest

from contracts import events, topics
from contracts.envelope import chain_hash
from contracts.subjects import stream_of
from domain.games import GAMES
from domain.table.visibility import seen
from services.kit.publish import PublicLog, seen_by_all, topics_of
from services.kit.store.chain import Entry as Stored
from services.kit.store.chain import decode
from services.kit.store.database import Database
from services.kit.store.model import Append, IndexRow, Notification, StoredEvent, Unit
from services.kit.store.reader import Reader
from services.kit.store.recorder import Recorder
from tests.ledger.conftest import Play
from tests.ledger.played import SEED


@pytest.fixture
def reader(database: Database) -> Reader:
    return Reader(database)


async def test_every_fact_of_a_game_has_its_entry(table: Play, reader: Reader) -> None:
    played = table()
    await played.begin(2)
    await played.finish()
    log = await reader.notifications(0)

    entries = await PublicLog(reader, 7).entries(log)

    assert len(entries) == len(log)
    table_id = played.table.table_id
    for number, (entry, event) in enumerate(zip(entries, log, strict=True), 1):
        fact = events.decode(entry.data)
        assert entry.subject == f"log.speeddive.{table_id}"
        assert entry.msg_id == fact.id == f"7:{table_id}:{number}"
        assert (fact.number, fact.position) == (number, str(event.id))
        assert fact.hash == chain_hash(*event[1:]).hex()
        stored = decode(StoredEvent(*event[1:]))
        public = seen(GAMES["speeddive"], topics.decode(event.topic, stored.data), None)
        assert (fact.type, topics.decode(fact.type, fact.data)) == (event.topic, public)
        time = datetime.fromisoformat(msgspec.json.decode(entry.data)["time"])
        assert round(time.timestamp() * 1000) == stored.at


async def test_it_is_an_envelope_of_cloudevents(table: Play, reader: Reader) -> None:
    played = table()
    await played.open()

    entry = (await PublicLog(reader, 7).entries(await reader.notifications(0)))[0]

    envelope = msgspec.json.decode(entry.data)
    assert envelope["specversion"] == "1.0"
    assert envelope["source"] == "logbuch"
    assert envelope["time"] == "2023-11-14T22:13:20.000Z"
    assert envelope["subject"] == played.table.table_id


async def test_neither_seed_nor_pile_nor_salt_gets_out(table: Play, reader: Reader) -> None:
    played = table()
    await played.begin(2)
    log = await reader.notifications(0)

    out = b"".join(entry.data for entry in await PublicLog(reader, 7).entries(log))

    assert SEED.encode() not in out
    assert b'"order":["' not in out.replace(b'"what":"dealer","order":["', b"")
    for event in log:
        assert decode(StoredEvent(*event[1:])).salt.encode() not in out


async def test_the_game_of_a_table_is_found_in_the_middle_of_its_stream(
    table: Play, reader: Reader
) -> None:
    played = table()
    await played.begin(2)
    log = await reader.notifications(2)

    first = (await PublicLog(reader, 7).entries(log))[0]

    assert log[0].topic == "table.SeatTaken.v1"
    assert first.subject == f"log.speeddive.{played.table.table_id}"


async def test_unknown_and_broken_facts_are_blanks(table: Play, reader: Reader) -> None:
    played = table()
    await played.open()
    future = Stored("table.SomethingNew.v9", b'{"card":"12"}', 5, "test", "", "")
    broken = Stored("table.WentOn.v1", b'{"seat":"12"}', 5, "test", "", "")
    ageless = Stored("table.WentOn.v1", b'{"type":"WentOn","seat":1}', -5, "test", "", "")
    await played.store_raw([future, broken, ageless], played.table)
    public = PublicLog(reader, 7)

    facts = [
        events.decode(entry.data)
        for entry in (await public.entries(await reader.notifications(0)))[3:]
    ]

    assert [fact.type for fact in facts] == [events.BLANK] * 3
    assert [bytes(fact.data) for fact in facts] == [b"null"] * 3
    assert [fact.number for fact in facts] == [4, 5, 6]
    assert public.undecodable == 2


async def test_other_streams_are_left_out(recorder: Recorder, reader: Reader) -> None:
    for stream, kind in (
        ("account-1", "account"),
        ("audit-1", "audit"),
        ("table-foreign", "table"),
    ):
        row = StoredEvent(stream, 1, "account.Opened.v1", b"{}")
        index = IndexRow(stream, kind, 0, "", "open", 1, bytes(32), None)
        await recorder.append(Unit((Append(stream, 0, (row,), index),)))

    assert await PublicLog(reader, 7).entries(await reader.notifications(0)) == []


async def test_a_table_without_index_is_left_out(reader: Reader) -> None:
    foreign = Notification(1, stream_of(f"00-{'0' * 24}"), 2, "table.WentOn.v1", b"{}")

    assert await PublicLog(reader, 7).entries([foreign]) == []


def test_fields_of_a_newer_writer_do_not_pass() -> None:
    data = b'{"type":"WentOn","seat":1,"hand":["12"]}'

    fact = seen_by_all("speeddive", "table.WentOn.v1", data)

    assert b"hand" not in msgspec.json.encode(fact)


def test_a_game_of_a_newer_release_shows_its_table_facts_alone() -> None:
    assert seen_by_all("poker", "table.WentOn.v1", b'{"type":"WentOn","seat":1}') is not None
    with pytest.raises(topics.UnknownTopicError):
        seen_by_all("poker", "speeddive.CardDrawn.v1", b'{"type":"CardDrawn","seat":1,"card":"2"}')


def test_old_topics_of_a_wanted_fact_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    upcasters = {"table.WentOn.v0": None, "table.WentOnAndOn.v1": None}
    monkeypatch.setattr(topics, "UPCASTERS", upcasters)

    assert topics_of([topics.TYPES["table.WentOn.v1"]]) == ["table.WentOn.v1", "table.WentOn.v0"]
