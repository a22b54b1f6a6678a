"""Every meddling with the log is found, and the first bad event is named."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import chain
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace

from contracts import subjects, topics
from contracts.fairness import commitment
from domain.kernel import Chosen, Shuffled
from domain.table import commands as c
from domain.table import events as e
from services.kit.console.failure import Failure
from services.kit.store.chain import Entry, decode, extend
from services.kit.store.database import Connection, Database
from services.kit.store.migrate import migrate
from services.kit.store.model import IndexRow, StoredEvent
from services.kit.store.recorder import Recorder
from services.ops.verification.stream import Checked, check_table
from services.ops.verify import verify
from tests.ops.tables import BEGIN_MS, Played, finished, running

FINISHED, RUNNING = finished(1), running(2, facts=60)
PLAYED = {"finished": FINISHED, "running": RUNNING}


@pytest.fixture(scope="module")
async def log_url(module_database_url: str) -> str:
    """One database with both tables for the whole module; what a test changes is mended."""
    await migrate(module_database_url)
    async with Recorder(module_database_url) as recorder:
        for unit in (*FINISHED.units, *RUNNING.units):
            await recorder.append(unit)
    connection = await asyncpg.connect(module_database_url)
    for table in TABLES:
        await connection.execute(f"CREATE TABLE sound_{table} AS SELECT * FROM {table}")
    await connection.close()
    return module_database_url


TABLES = {
    "stored_events": "originator_id, originator_version, topic, state, notification_id",
    "log_index": "stream, kind, partition, game, status, head, head_hash, next_wake_ms",
}


@pytest.fixture
async def database(log_url: str, link: Connection) -> AsyncIterator[Database]:
    async with Database(log_url) as database:
        yield database
    for table, columns in TABLES.items():
        await link.execute(f"DELETE FROM {table}")
        await link.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM sound_{table}")


def version_at(played: Played, where: str) -> int:
    last = played.table.version
    return {"first": 1, "middle": last // 2, "last": last}[where]


async def test_tables_as_they_were_written_are_clean(database: Database) -> None:
    report = await verify(database, None)
    assert (report.tables, report.clean, report.findings) == (2, 2, [])
    assert report.events == FINISHED.table.version + RUNNING.table.version


CHANGES = {
    "topic": "topic = overlay(topic placing 'X' from 3 for 1)",
    "topic to another known one": "topic = 'speeddive.DiveBegun.v1'",
    "originator_version": "originator_version = originator_version + 65536",
    "state": "state = set_byte(state, length(state) / 2, get_byte(state, length(state) / 2) # 1)",
    "salt": "state = set_byte(state, position('\"salt\":\"' in convert_from(state, 'UTF8')) + 8,"
    " CASE get_byte(state, position('\"salt\":\"' in convert_from(state, 'UTF8')) + 8)"
    " WHEN 48 THEN 49 ELSE 48 END)",
}


@pytest.mark.parametrize("phase", PLAYED)
@pytest.mark.parametrize("where", ["first", "middle", "last"])
@pytest.mark.parametrize("column", CHANGES)
async def test_a_changed_byte_is_found(
    database: Database, link: Connection, phase: str, where: str, column: str
) -> None:
    played = PLAYED[phase]
    version = version_at(played, where)
    changed = await link.execute(
        f"UPDATE stored_events SET {CHANGES[column]}"
        " WHERE originator_id = $1 AND originator_version = $2",
        subjects.stream_of(played.table.table_id),
        version,
    )
    assert changed == "UPDATE 1"
    report = await verify(database, None)
    assert (report.tables, report.clean) == (2, 1)
    assert [(each.table, each.version) for each in report.findings] == [
        (played.table.table_id, version)
    ]


@pytest.mark.parametrize("phase", PLAYED)
async def test_a_deleted_last_event_is_found(
    database: Database, link: Connection, phase: str
) -> None:
    played = PLAYED[phase]
    table, last = played.table.table_id, played.table.version
    await link.execute(
        "DELETE FROM stored_events WHERE originator_id = $1 AND originator_version = $2",
        subjects.stream_of(table),
        last,
    )
    report = await verify(database, table)
    assert [(each.version, each.kind) for each in report.findings] == [(last, "gap")]


async def test_events_without_index_row_are_found(database: Database, link: Connection) -> None:
    await link.execute("DELETE FROM log_index WHERE status = 'playing'")
    (finding,) = (await verify(database, None)).findings
    assert (finding.table, finding.kind) == (RUNNING.table.table_id, "index")


async def test_an_index_row_without_events_is_found(database: Database, link: Connection) -> None:
    stream = subjects.stream_of(RUNNING.table.table_id)
    await link.execute("DELETE FROM stored_events WHERE originator_id = $1", stream)
    (finding,) = (await verify(database, None)).findings
    assert (finding.table, finding.version, finding.kind) == (RUNNING.table.table_id, 1, "gap")


@pytest.mark.parametrize("table", ["00-abc", "x", "00-" + "0" * 24])
async def test_a_table_that_is_not_there_is_one_clear_line(database: Database, table: str) -> None:
    with pytest.raises(Failure, match="logbuch tables"):
        await verify(database, table)


# What a forger with our code could write: a sound chain over facts that the rules do not give.


def forged(played: Played, version: int, fact: Any) -> Checked:
    """Check the table with another fact in the place of number `version`."""
    rows = [row for append in played.appends for row in append.rows]
    return checked(played, rows, {version: fact})


def checked(played: Played, rows: list[StoredEvent], facts: dict[int, Any]) -> Checked:
    entries = []
    for row in rows:
        stored = decode(row)
        entry = (row.topic, bytes(stored.data))
        if row.originator_version in facts:
            entry = topics.encode(facts[row.originator_version])
        entries.append(Entry(*entry, stored.at, stored.by, stored.command_id, stored.digest))
    stream = subjects.stream_of(played.table.table_id)
    new, hashes = extend(stream, 0, b"", entries, topics.check)
    head_hash = hashes[-1]
    last = played.appends[-1].index
    assert last is not None
    index = IndexRow(*last[:5], len(new), head_hash, last.next_wake_ms)
    return check_table(played.table.table_id, index, new)


def facts_of(played: Played) -> dict[int, Any]:
    rows = chain.from_iterable(append.rows for append in played.appends)
    return {row.originator_version: topics.decode(row.topic, decode(row).data) for row in rows}


def number_of(played: Played, kind: type, nth: int = 0) -> tuple[int, Any]:
    return [pair for pair in facts_of(played).items() if isinstance(pair[1], kind)][nth]


def finding(result: Checked) -> tuple[int, str]:
    assert result.finding is not None
    return result.finding.version, result.finding.kind


def test_a_shuffle_that_is_not_the_seeds_is_found() -> None:
    number, fact = number_of(FINISHED, Shuffled, 1)
    other = replace(fact, order=(*fact.order[1:], fact.order[0]))
    assert finding(forged(FINISHED, number, other)) == (number, "shuffle")


def test_a_seed_that_does_not_fit_its_commitment_is_found() -> None:
    number, fact = number_of(FINISHED, e.SeedDrawn)
    assert finding(forged(FINISHED, number, replace(fact, seed="ab" * 32))) == (number, "seed")


def test_a_seed_chosen_afterwards_is_found_by_its_shuffles() -> None:
    """Seed and commitment fit each other, but the piles came from another seed."""
    number, _ = number_of(RUNNING, e.SeedDrawn)
    other = e.SeedDrawn(commitment("ab" * 32), "ab" * 32)
    shuffle, _ = number_of(RUNNING, Shuffled)
    assert finding(forged(RUNNING, number, other)) == (shuffle, "shuffle")


def test_another_seed_at_the_end_is_found() -> None:
    number, _ = number_of(FINISHED, e.SeedRevealed)
    assert finding(forged(FINISHED, number, e.SeedRevealed("ab" * 32))) == (number, "seed")


def test_a_client_seed_that_nobody_gave_is_found() -> None:
    number, fact = number_of(FINISHED, e.ChanceSealed)
    other = e.ChanceSealed((*fact.client_seeds, "more"))
    assert finding(forged(FINISHED, number, other)) == (number, "rules")


def test_an_answer_to_a_closed_question_is_found() -> None:
    number, fact = number_of(FINISHED, Chosen, 3)
    other = replace(fact, prompt=fact.prompt - 1)
    assert finding(forged(FINISHED, number, other)) == (number, "prompt")


def test_dice_that_a_computer_chose_itself_are_found() -> None:
    facts = facts_of(FINISHED)
    number = next(n for n, f in facts.items() if isinstance(f, Chosen) and f.rng_seed)
    other = replace(facts[number], rng_seed="ab" * 8)
    assert finding(forged(FINISHED, number, other)) == (number, "strategy")


def test_another_result_is_found() -> None:
    number, fact = number_of(FINISHED, e.GameFinished)
    other = replace(fact, scores=tuple(score + 1 for score in fact.scores))
    assert finding(forged(FINISHED, number, other)) == (number, "result")


def test_a_consequence_that_the_rules_do_not_give_is_found() -> None:
    facts = facts_of(FINISHED)
    number = next(n for n, fact in facts.items() if type(fact).__name__ == "RoundScored")
    other = replace(facts[number], ends_game=True)
    assert finding(forged(FINISHED, number, other)) == (number, "rules")


def test_a_fact_that_no_command_begins_with_is_found() -> None:
    rows = [row for append in FINISHED.appends for row in append.rows]
    number, _ = number_of(FINISHED, Chosen, 2)
    without = [row for row in rows if row.originator_version != number]
    assert finding(checked(FINISHED, without, {})) == (number, "rules")


def test_a_move_in_anothers_name_is_found() -> None:
    facts = facts_of(FINISHED)
    number = next(n for n, f in facts.items() if isinstance(f, Chosen) and f.decided_by == "human")
    other = replace(facts[number], decided_by="timeout")
    assert finding(forged(FINISHED, number, other)) == (number, "rules")


def test_findings_name_no_card() -> None:
    facts = facts_of(FINISHED)
    number = next(n for n, fact in facts.items() if type(fact).__name__ == "CardDrawn")
    result = forged(FINISHED, number, replace(facts[number], card="12345"))
    assert result.finding is not None
    assert "12345" not in result.finding.detail


def test_rules_of_another_version_are_told_and_no_finding() -> None:
    number, fact = number_of(FINISHED, e.GameStarted)
    result = forged(FINISHED, number, replace(fact, rules_version=0))
    assert (result.finding, result.rules_rerun) == (None, False)


def test_a_table_from_before_an_option_was_known_is_clean() -> None:
    number, fact = number_of(FINISHED, e.TableOpened)
    older = {name: value for name, value in fact.options.items() if name != "brutal"}
    assert older != fact.options
    result = forged(FINISHED, number, replace(fact, options=older))
    assert (result.finding, result.rules_rerun) == (None, True)


@pytest.mark.parametrize("options", [{"target": 150}, {"colour": 1}, {"brutal": True}])
def test_options_that_the_rules_refuse_are_found(options: dict[str, Any]) -> None:
    number, fact = number_of(FINISHED, e.TableOpened)
    changed = replace(fact, options={**fact.options, **options})
    assert forged(FINISHED, number, changed).finding is not None


def test_every_command_can_be_decided_again() -> None:
    """Leaving, credits, expiry, pauses whose time ran out, a table that everybody left."""
    played = Played(7, people=2, seats=4)
    played.gather()
    for _ in range(5):
        played.step()
    played.do("house", c.Credit(BEGIN_MS, BEGIN_MS + 5_000))
    played.do("p_test_2", c.Leave())
    while type(played.waiting).__name__ != "Pause":
        played.step()
    played.now += 10 * 60_000
    played.do("house", c.Tick())
    played.do("p_test_1", c.Leave())
    played.play()

    empty = Played(8, people=2)
    empty.do("p_test_1", c.Open("speeddive", {}, empty.rules))
    empty.do("p_test_2", c.Join(client_seed="x"))
    empty.do("p_test_1", c.Leave())
    empty.do("p_test_2", c.Leave())

    expired = Played(9)
    expired.do("p_test_1", c.Open("speeddive", {}, expired.rules))
    expired.now += 60 * 60_000
    expired.do("house", c.Tick())

    suspended = running(10)
    suspended.do("house", c.Suspend("a fault of the rules"))

    resumed = running(11)
    resumed.do("house", c.Suspend("a fault of the rules"))
    resumed.do("ops", c.Unsuspend("mended"))
    resumed.play()

    voided = Played(12)
    voided.rules = replace(voided.rules, stake=25)
    voided.gather()
    assert voided.table.phase == "starting"
    voided.do("ops", c.Void("a wish of all"))

    for each in (played, empty, expired, suspended, resumed, voided):
        rows = [row for append in each.appends for row in append.rows]
        result = check_table(each.table.table_id, each.appends[-1].index, rows)
        assert result.finding is None
        assert result.rules_rerun
