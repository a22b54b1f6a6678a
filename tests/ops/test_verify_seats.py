"""`logbuch verify --all` and where people sit: what their streams say must be in the tables' logs."""

from __future__ import annotations

import pytest

from contracts import subjects, topics
from contracts.subjects import seat_stream
from domain.table.events import Seated, TurboSet
from services.kit.store.chain import Entry, decode, extend
from services.kit.store.database import Connection, Database
from services.kit.store.model import Append, IndexRow, Unit
from services.kit.store.recorder import Recorder
from services.ops import verify
from services.table.seats import seat_append
from services.table.standing import Standing
from tests.ops.conftest import Store
from tests.ops.tables import Played, finished

OPENER, OTHER = "p_test_1", "p_test_2"
STREAM = seat_stream(OPENER)


async def sit(recorder: Recorder, player: str, *tables: Played) -> bytes:
    """Store what the tables' owners store when a person sits down; gives the last hash."""
    standing = Standing(0, b"", "")
    for played in tables:
        row = played.appends[0 if player == OPENER else 1].rows[0]
        entry = Entry("", b"", decode(row).at, player, f"c_{standing.head}", "d")
        append = seat_append(standing, entry, played.table.table_id)
        await recorder.append(Unit((append,)))
        assert append.index is not None
        standing = Standing(append.index.head, append.index.head_hash, "")
    return standing.head_hash


@pytest.fixture
async def database(log_url: str, store: Store, recorder: Recorder) -> Database:
    """Two people who have played twice together."""
    tables = finished(1), finished(2)
    await store(tables)
    for player in (OPENER, OTHER):
        await sit(recorder, player, *tables)
    return Database(log_url)


async def found(database: Database) -> list[tuple[str, int, str]]:
    async with database:
        report = await verify.verify(database, None)
    assert (report.tables, report.clean) == (2, 2)
    return [(each.table, each.version, each.kind) for each in report.findings]


async def test_sound_streams_are_clean(
    database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    async with database:
        report = await verify.verify(database, None)

    assert (report.findings, report.seats) == ([], 2)
    verify._print(report)
    assert "2 people's seats: 2 clean\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        (
            (
                "UPDATE stored_events SET state ="
                " set_byte(state, length(state) - 5, get_byte(state, length(state) - 5) # 1)"
                " WHERE originator_id = $1 AND originator_version = 1"
            ),
            (STREAM, 1, "chain"),
        ),
        (
            "DELETE FROM stored_events WHERE originator_id = $1 AND originator_version = 2",
            (STREAM, 2, "gap"),
        ),
        (
            (
                "UPDATE stored_events SET topic = 'table.Sat.1'"
                " WHERE originator_id = $1 AND originator_version = 2"
            ),
            (STREAM, 2, "undecodable"),
        ),
        ("DELETE FROM log_index WHERE stream = $1", (STREAM, 1, "index")),
        ("UPDATE log_index SET kind = 'sofa' WHERE stream = $1", (STREAM, 2, "index")),
        ("UPDATE log_index SET partition = 99 - partition WHERE stream = $1", (STREAM, 2, "index")),
    ],
)
async def test_a_changed_stream_is_named(
    database: Database, link: Connection, damage: str, finding: tuple[str, int, str]
) -> None:
    assert (await link.execute(damage, STREAM)).endswith(" 1")

    assert await found(database) == [finding]


NOWHERE = finished(3).table.table_id
FORGED = {
    "a table that is not there": Seated(NOWHERE),
    "a table where he sat at another time": Seated(finished(1).table.table_id),
    "no table": Seated("somewhere"),
    "no fact of this kind": TurboSet(on=True),
}


@pytest.mark.parametrize("what", FORGED)
async def test_a_fact_with_a_perfect_chain_is_held_against_the_tables(
    database: Database, link: Connection, recorder: Recorder, what: str
) -> None:
    head_hash = await link.fetchval("SELECT head_hash FROM log_index WHERE stream = $1", STREAM)
    entry = Entry(*topics.encode(FORGED[what]), 2_000_000_000_000, OPENER, "c", "d")
    rows, hashes = extend(STREAM, 2, head_hash, [entry], topics.check)
    partition = subjects.partition_of(NOWHERE)
    index = IndexRow(STREAM, "seat", partition, "", "seated", 3, hashes[-1], None)
    await recorder.append(Unit((Append(STREAM, 2, rows, index),)))

    assert await found(database) == [(STREAM, 3, "seat")]


async def test_nobody_is_seated_where_another_sits(
    log_url: str, store: Store, recorder: Recorder
) -> None:
    """A whole stream under a third name: its chain is sound, but the table does not know him."""
    tables = finished(1), finished(2)
    await store(tables)
    await sit(recorder, "p_test_3", *tables)

    assert await found(Database(log_url)) == [(seat_stream("p_test_3"), 1, "seat")]
