"""`logbuch verify --all` and the accounts: every meddling with Taler is named."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from contracts import topics
from contracts.stakes import HoldRequest
from domain.account import booking
from domain.account.events import Booked, Posting
from services.kit.settings import Settings
from services.kit.store.chain import Entry, extend
from services.kit.store.database import Connection, Database
from services.kit.store.model import Append, IndexRow, Unit
from services.kit.store.recorder import Recorder
from services.ledger.bank import Bank
from services.ledger.taler import Taler
from services.ops import tables, verify
from services.ops.verify import Report
from tests.ops.conftest import Store
from tests.ops.tables import finished

TABLE = "01-" + "a" * 24
POT = f"pot-{TABLE}"


@pytest.fixture
async def database(log_url: str, store: Store) -> AsyncIterator[Database]:
    """Two people with their stakes in a pot, and a table that was played without."""
    await store([finished(1)])
    async with Database(log_url) as database:
        bank = Bank(database, Taler(100, 40))
        assert (await bank.hold(HoldRequest(TABLE, 1, 25, ("p_anna", "p_ben")))).held
        yield database


async def found(database: Database) -> list[tuple[str, int, str]]:
    report = await verify.verify(database, None)
    assert report.tables == report.clean == 1
    return [(each.table, each.version, each.kind) for each in report.findings]


async def test_sound_accounts_are_clean(
    database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    report = await verify.verify(database, None)
    alone = await verify.verify(
        database, (await tables.list_tables(database, None, 1)).rows[0].table
    )

    assert report.findings == []
    assert report.accounts == 4
    assert report.events == alone.events + 2 + 2 + 2 + 1
    assert alone.accounts == 0
    verify._print(report)
    assert capsys.readouterr().out.endswith("4 accounts: 4 clean, and they add up to zero\n")
    verify._print(Report(1, 1, [], 5, 0))
    assert "accounts" not in capsys.readouterr().out


async def test_other_tools_see_tables_alone(database: Database, settings: Settings) -> None:
    assert settings.database_url == database.url
    assert len((await tables.list_tables(database, None, 50)).rows) == 1


@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        (
            (
                "UPDATE stored_events SET state = convert_to(replace(convert_from(state, 'UTF8'),"
                " '\"balance\":75', '\"balance\":95'), 'UTF8')"
                " WHERE originator_id = 'account-p_anna' AND originator_version = 2"
            ),
            ("account-p_anna", 2, "chain"),
        ),
        (
            (
                "DELETE FROM stored_events WHERE originator_id = 'account-p_anna'"
                " AND originator_version = 2"
            ),
            ("account-p_anna", 2, "gap"),
        ),
        ("DELETE FROM log_index WHERE stream = 'account-p_ben'", ("account-p_ben", 1, "index")),
        (
            "UPDATE log_index SET kind = 'audit' WHERE stream = 'account-p_ben'",
            ("account-p_ben", 2, "index"),
        ),
    ],
)
async def test_a_changed_log_of_an_account_is_named(
    database: Database, link: Connection, damage: str, finding: tuple[str, int, str]
) -> None:
    await link.execute(damage)

    assert await found(database) == [finding]


async def test_an_account_that_vanished_is_missed_by_the_others(
    database: Database, link: Connection
) -> None:
    for table, column in (("stored_events", "originator_id"), ("log_index", "stream")):
        await link.execute(f"DELETE FROM {table} WHERE {column} = 'account-{POT}'")

    assert await found(database) == [(f"account-{POT}", 1, "booking")]


MEDDLING = {
    "Taler from nowhere": booking.opening("p_anna", 900),
    "a transaction that is no sum": booking.Transaction(
        "correction:1", "correction", (Posting("p_anna", 900), Posting("house", -1))
    ),
    "another account overdrawn": booking.Transaction(
        "correction:1", "correction", (Posting("p_anna", -80), Posting("p_ben", 80))
    ),
}


@pytest.mark.parametrize("how", MEDDLING)
async def test_a_booking_with_a_perfect_chain_is_found_all_the_same(
    database: Database, link: Connection, recorder: Recorder, how: str
) -> None:
    """Somebody writes into the log as the ledger does, but only to his own account."""
    transaction = MEDDLING[how]
    amount = next(side.amount for side in transaction.postings if side.account == "p_anna")
    booked = Booked(transaction.name, transaction.kind, amount, 75 + amount, transaction.postings)
    stream = "account-p_anna"
    head = await link.fetchval("SELECT head_hash FROM log_index WHERE stream = $1", stream)
    entry = Entry(*topics.encode(booked), 2_000_000_000_000, "ledger", "x", "")
    rows, hashes = extend(stream, 2, head, [entry], topics.check)
    index = IndexRow(stream, "account", 0, "", "open", 3, hashes[-1], None)
    await recorder.append(Unit((Append(stream, 2, rows, index),)))

    assert (stream, 3, "booking") in await found(database)
