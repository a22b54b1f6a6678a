"""`logbuch ledger check|rebuild|accounts`: what is damaged is named, what is computed is mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from contracts import topics
from deploy.embedded.supervisor import Stack
from domain.account import booking
from domain.account.settlement import Settlement
from domain.table.events import GameFinished
from services import __main__ as program
from services.kit.follow import Contradiction
from services.kit.settings import Settings
from services.kit.store import within
from services.kit.store.database import Database
from services.ledger import stakes
from services.ledger.bank import Bank
from services.ledger.checking import check
from services.ledger.page import Page
from tests.ledger.books import balances, sound
from tests.ledger.conftest import Stake, UpToDate
from tests.ledger.staked import Staked, person

POT = "pot-{}"


@pytest.fixture
def settings(log_url: str, stack: Stack) -> Settings:
    return Settings(Path("unused"), log_url, stack.nats_url, secrets=stack.secrets)


@pytest.fixture
async def played(bank: Bank, staked: Stake, settled: UpToDate) -> Staked:
    """A game that Anna won from Ben, one that is running, and a start that was called off."""
    won, running, off = await staked("won"), await staked("running"), await staked("off")
    await won.hold(bank, "p_anna", "p_ben")
    await running.hold(bank, "p_anna", "p_ben")
    await off.cancel()
    await won.end(person("p_anna"), person("p_ben", 1), ranks=(1, 2))
    await settled()
    return won


async def call(settings: Settings, *words: str) -> int:
    outcome: int = await program._parse(["ledger", *words]).run(
        program._parse(["ledger", *words]), settings
    )
    return outcome


@pytest.mark.usefixtures("played")
async def test_all_is_well(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert await call(settings, "check") == 0
    assert await call(settings, "rebuild") == 0
    assert await call(settings, "check", "--json") == 0

    out = capsys.readouterr().out.splitlines()
    assert out[1] == "the accounts are what the log gives: 6 accounts, sum 0"
    report = json.loads(out[-1])
    assert (report["equal"], report["findings"], report["total"]) == (True, [], 0)
    assert (report["accounts"], report["holds"]) == (6, 3)


DAMAGE = {
    "UPDATE ledger_accounts SET balance = balance + 1 WHERE account = 'p_anna'": "account p_anna is 101/",
    "DELETE FROM ledger_accounts WHERE account = 'p_ben'": "account p_ben is missing, but",
    "INSERT INTO ledger_accounts VALUES ('p_eve', 900)": "account p_eve is 900/0/0, but",
    "UPDATE ledger_accounts SET topped_up = 5 WHERE account = 'p_anna'": "account p_anna is 100/5/",
    "DELETE FROM ledger_holds": "hold ",
    "UPDATE ledger_holds SET state = 'held' WHERE state = 'settled'": "hold ",
}


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize("damage", DAMAGE)
async def test_a_row_that_is_not_what_the_log_says_is_named_and_mended(
    settings: Settings, database: Database, capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    before = await balances(database)
    async with database.connection() as link:
        await link.execute(damage)

    assert await call(settings, "check") == 1

    assert capsys.readouterr().out.startswith(DAMAGE[damage])
    assert await call(settings, "rebuild") == 1
    assert await call(settings, "check") == 0
    assert await balances(database) == before
    await sound(database)


async def test_a_rebuild_decides_nothing_again(
    bank: Bank, played: Staked, settings: Settings, database: Database, settled: UpToDate
) -> None:
    before = await balances(database)
    async with database.connection() as link:
        await link.execute("DELETE FROM ledger_accounts")
        await link.execute("DELETE FROM ledger_holds")
    await call(settings, "rebuild")

    assert await balances(database) == before
    assert (await bank.hold(played.request("p_anna", "p_ben"))).held is False
    async with database.connection() as link:
        await link.execute("UPDATE projections SET position = 0 WHERE name = 'stakes'")
    await settled()
    assert await balances(database) == before


async def test_a_pot_that_an_ended_table_left_is_named(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b")
    await table.end(person("p_a"), person("p_b", 1), ranks=(1, 2), stake=50)

    assert (await check(database.url, swap=False)).findings == []
    await settled()

    pot = POT.format(table.table.table_id)
    assert (await check(database.url, swap=False)).findings == [
        f"{pot} still holds 50 Taler, but the table is finished"
    ]


async def test_a_pot_that_somebody_emptied_stops_the_settlements_until_a_rebuild(
    bank: Bank, settings: Settings, database: Database, staked: Stake, settled: UpToDate
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b")
    await table.end(person("p_a"), person("p_b", 1), ranks=(1, 2))
    async with database.connection() as link:
        await link.execute("UPDATE ledger_accounts SET balance = 5 WHERE account LIKE 'pot-%'")

    for _ in range(2):
        with pytest.raises(Contradiction):
            await settled()
    await call(settings, "rebuild")
    await settled()

    assert (await balances(database))["p_a"] == 125
    await sound(database)


async def test_a_pot_that_was_paid_to_the_wrong_one_is_named(
    bank: Bank,
    database: Database,
    staked: Stake,
    settled: UpToDate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b")
    await table.end(person("p_a"), person("p_b", 1), ranks=(1, 2))

    def wrong(finished: GameFinished) -> Settlement:
        assert finished.stake == 25
        return Settlement(50, {"p_b": 50})

    monkeypatch.setattr(stakes, "settle", wrong)
    await settled()

    pot = POT.format(table.table.table_id)
    found = (await check(database.url, swap=False)).findings
    assert found == [f"{pot} was not paid out as the rules say"]


async def test_facts_that_do_not_add_up_are_named(bank: Bank, database: Database) -> None:
    await bank.account("p_a", 0)
    async with database.connection() as link, link.transaction():
        await within.prepare(link)
        page = Page(link)
        await page.lock(["p_a"])
        sides = booking.opening("p_a", 5).postings
        booked = booking.book({"p_a": 100, "house": 0}, booking.opening("p_a", 5))["p_a"]
        wrong = replace(booked, transaction="correction:1", postings=sides)
        page.note("p_a", "correction:1", wrong)
        await page.store()

    assert (await check(database.url, swap=False)).findings == [
        "account house has no booking of correction:1, which others have",
        "all accounts together hold 5 Taler, not 0",
    ]
    assert topics.TOPICS[type(wrong)] == "account.Booked.v1"


@pytest.mark.usefixtures("played")
async def test_accounts_are_listed(
    settings: Settings, capsys: pytest.CaptureFixture[str], played: Staked
) -> None:
    assert await call(settings, "accounts") == 0
    assert await call(settings, "accounts", "--json", "--limit", "1") == 0

    *lines, last = capsys.readouterr().out.splitlines()
    running = lines[2].split()[-1]
    assert running.startswith("pot-")
    assert running != POT.format(played.table.table_id)
    assert lines == [
        "       Taler   in pots  account",
        "        -200         0  house",
        f"          50         0  {running}",
        "         100        25  p_anna",
        "          50        25  p_ben",
        "6 accounts hold 0 Taler together",
    ]
    listing = json.loads(last)
    assert [line["account"] for line in listing["accounts"]] == ["house"]
    assert (listing["count"], listing["total"], listing["more"]) == (6, 0, True)
