"""Settlements follow from the log, once: TABLE-R04 through the ledger."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from domain.table.events import Occupant, StakesDenied, TableCancelled, TableSuspended, TableVoided
from services.kit.follow import Follower, Link
from services.kit.nats_bus import NatsBus
from services.kit.store import within
from services.kit.store.database import Database
from services.kit.store.model import StoreUnavailable, Unit
from services.kit.store.news import News
from services.ledger.bank import Bank
from services.ledger.stakes import StakesModel
from tests.ledger.books import balances, facts, sound, states
from tests.ledger.conftest import Stake, UpToDate
from tests.ledger.staked import person

COMPUTER = Occupant("computer_2", "computer", 2)


async def test_climb_e31_the_best_human_gets_the_pot(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    table = await staked()
    assert await table.hold(bank, "p_x", "p_y", stake=10)

    seats = (person("p_x"), person("p_y", 1), COMPUTER, Occupant("computer_3", "computer", 3))
    await table.end(*seats, ranks=(3, 4, 1, 2), stake=10)
    await settled()

    own = await balances(database)
    assert (own["p_x"], own["p_y"], own[f"pot-{table.table.table_id}"]) == (110, 90, 0)
    assert await states(database) == {1: "settled"}
    await sound(database)


async def test_dive_e23_two_tied_winners_share_a_pot_of_75(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b", "p_c")

    seats = (person("p_b"), person("p_c", 1), person("p_a", 2))
    await table.end(*seats, ranks=(1, 3, 1))
    await settled()

    own = await balances(database)
    assert (own["p_b"], own["p_a"], own["p_c"]) == (113, 112, 75)
    await sound(database)


async def test_all_left_and_the_house_gets_the_pot(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b")

    gone = (person("p_a", left=True), person("p_b", 1, left=True))
    await table.end(*gone, ranks=(1, 2))
    await settled()

    assert (await balances(database))["house"] == -150
    assert await facts(database, "forfeit") == 2
    await sound(database)


@pytest.mark.parametrize(
    "end", [TableCancelled("empty"), TableCancelled("expired"), TableVoided("Alle sind fort")]
)
async def test_a_table_without_result_gives_everything_back(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate, end: Any
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b")

    await table.tell(end)
    await settled()

    own = await balances(database)
    assert (own["p_a"], own["p_b"]) == (100, 100)
    assert await states(database) == {1: "released"}


async def test_a_suspended_table_keeps_its_pot(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b")

    await table.tell(TableSuspended("a fault"))
    await settled()

    assert await states(database) == {1: "held"}


async def test_a_start_that_is_called_off_gives_the_stakes_back_and_the_next_one_holds_again(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b", stake=100)
    await table.cancel()
    await settled()
    assert (await balances(database))["p_a"] == 100

    assert await table.hold(bank, "p_a", "p_b", stake=100, attempt=2)

    assert await states(database) == {1: "released", 2: "held"}
    await sound(database)


async def test_a_hold_that_comes_after_the_start_was_called_off_is_refused(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    table = await staked()
    await table.cancel()
    await settled()

    late = await bank.hold(table.request())

    assert not late.held
    assert late.short == ()
    assert await states(database) == {1: "barred"}
    assert "p_anna" not in await balances(database)
    await sound(database)


async def test_a_hold_and_its_cancellation_at_once_leave_nothing_in_the_pot(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    for nr in range(8):
        table = await staked(f"t{nr}")
        await table.cancel()
        await asyncio.gather(bank.hold(table.request()), settled())
        await settled()
        assert (await balances(database))[f"pot-{table.table.table_id}"] == 0
    await sound(database)


async def test_a_crash_between_hold_and_start_loses_nothing(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    """The table died with the answer on its way: its next owner asks again, or calls it off."""
    asked, called_off = await staked("a"), await staked("b")
    for table in (asked, called_off):
        await bank.hold(table.request(stake=50))

    assert (await bank.hold(asked.request(stake=50))).held
    await called_off.cancel()
    await settled()

    own = await balances(database)
    assert own["p_anna"] == 50
    assert own[f"pot-{called_off.table.table_id}"] == 0
    await sound(database)


async def test_a_denial_needs_no_second_thought(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    table = await staked()
    await bank.hold(table.request("p_a", "g_b"))
    before = await facts(database)

    await table.tell(StakesDenied(1, ("g_b",)))
    await settled()

    assert await facts(database) == before
    assert await states(database) == {1: "denied"}


async def test_a_table_that_was_denied_keeps_nothing_of_a_hold(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b")

    await table.tell(StakesDenied(1, ("p_b",)))
    await settled()

    assert await states(database) == {1: "released"}


async def test_a_game_without_stake_moves_nothing(
    database: Database, staked: Stake, settled: UpToDate
) -> None:
    table = await staked()
    await table.end(person("p_anna"), COMPUTER, ranks=(1, 2), stake=0)
    await table.tell(TableCancelled("empty"))

    await settled()

    assert await balances(database) == {}
    assert await facts(database) == 0


@pytest.mark.parametrize(
    ("stake", "seats"),
    [
        (50, (person("p_a"), person("p_b", 1))),
        (25, (person("p_a"), person("p_c", 1))),
        (25, (person("p_a"), COMPUTER)),
        (0, (person("p_a"), person("p_b", 1))),
    ],
)
async def test_a_result_that_does_not_fit_the_hold_moves_nothing(  # noqa: PLR0917 - fixtures
    bank: Bank,
    database: Database,
    staked: Stake,
    settled: UpToDate,
    stake: int,
    seats: tuple[Occupant, Occupant],
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b")

    await table.end(*seats, ranks=(1, 2), stake=stake)
    await settled()

    assert await states(database) == {1: "held"}
    assert (await balances(database))[f"pot-{table.table.table_id}"] == 50


async def test_the_same_facts_again_change_nothing(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    table, off = await staked("a"), await staked("b")
    await table.hold(bank, "p_a", "p_b")
    await off.cancel()
    await table.end(person("p_a"), person("p_b", 1), ranks=(1, 2))
    await settled()
    before = await balances(database), await facts(database)

    for _ in range(2):
        async with database.connection() as link:
            await link.execute("UPDATE projections SET position = 0 WHERE name = 'stakes'")
        await settled()

    assert (await balances(database), await facts(database)) == before
    await sound(database)


async def test_a_death_while_settling_leaves_everything_to_the_next_one(
    bank: Bank,
    database: Database,
    staked: Stake,
    settled: UpToDate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = await staked()
    await table.hold(bank, "p_a", "p_b")
    await table.end(person("p_a"), person("p_b", 1), ranks=(1, 2))
    before = await balances(database), await facts(database)
    whole = within.append

    async def killed(link: Link, unit: Unit) -> None:
        await whole(link, unit)
        await link.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    monkeypatch.setattr(within, "append", killed)
    with pytest.raises(StoreUnavailable):
        await settled()
    monkeypatch.undo()
    assert (await balances(database), await facts(database)) == before

    await settled()

    assert (await balances(database))["p_a"] == 125
    await sound(database)


async def test_two_ledgers_settle_each_table_once(  # noqa: PLR0917 - fixtures
    bank: Bank,
    database: Database,
    staked: Stake,
    settled: UpToDate,
    news: News,
    other_news: News,
    bus: NatsBus,
) -> None:
    """Both follow at once while people at the same tables ask for their next stakes."""
    tables = [await staked(f"t{nr}") for nr in range(5)]
    for table in tables:
        assert await table.hold(bank, "p_a", "p_b", stake=10)
    followers = [Follower(database, each, StakesModel(), bus) for each in (news, other_news)]

    async def follow(follower: Follower) -> None:
        while await states(database) != {1: "settled"} or await facts(database, "settlement") < 10:
            await follower.step()

    following = [asyncio.create_task(follow(each)) for each in followers]
    for nr, table in enumerate(tables):
        await table.end(person("p_a"), person("p_b", 1), ranks=(1 + nr % 2, 2 - nr % 2), stake=10)
    async with asyncio.timeout(30):
        await asyncio.gather(*following)
    await settled()

    own = await balances(database)
    assert (own["p_a"], own["p_b"]) == (110, 90)
    assert await facts(database, "settlement") == 10
    await sound(database)


async def test_settling_and_holding_do_not_wait_for_each_other_in_a_circle(
    bank: Bank, database: Database, staked: Stake, settled: UpToDate
) -> None:
    """Each of the tables has the same people; all is settled in one transaction."""
    old = [await staked(f"old{nr}") for nr in range(4)]
    for table in old:
        await table.hold(bank, "p_a", "p_b", "p_c", stake=10)
        await table.end(
            person("p_a"), person("p_b", 1), person("p_c", 2), ranks=(2, 1, 3), stake=10
        )
    new = [await staked(f"new{nr}") for nr in range(4)]

    answers, _ = await asyncio.gather(
        asyncio.gather(*(bank.hold(each.request("p_c", "p_b", "p_a", stake=10)) for each in new)),
        settled(),
    )

    assert all(answer.held for answer in answers)
    own = await balances(database)
    assert (own["p_a"], own["p_b"], own["p_c"]) == (20, 140, 20)
    await sound(database)
