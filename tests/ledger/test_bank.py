"""Accounts and holds on a real PostgreSQL: all or none, once, whoever asks at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from contracts.stakes import HoldAnswer, HoldRequest
from domain.account.booking import Transaction
from domain.account.events import Posting
from domain.account.recount import DAY_MS
from domain.refusals import Code, Refused
from services.kit.clock import clock_from
from services.kit.store import within
from services.kit.store.database import Database, Pooled
from services.kit.store.model import StoreUnavailable, Unit
from services.ledger.bank import Bank
from services.ledger.page import Page
from services.ledger.taler import Taler
from tests.ledger.books import balances, facts, sound, states

TABLE, OTHER = "01-" + "a" * 24, "02-" + "b" * 24


def request(*players: str, table: str = TABLE, stake: int = 25, attempt: int = 1) -> HoldRequest:
    return HoldRequest(table, attempt, stake, players)  # type: ignore[arg-type]


@pytest.fixture
async def second(log_url: str) -> AsyncIterator[Bank]:
    """Another replica, with connections of its own."""
    async with Database(log_url) as database:
        yield Bank(database, Taler(100, 40))


async def test_a_hold_takes_the_stakes_of_all(bank: Bank, database: Database) -> None:
    answer = await bank.hold(request("p_a", "p_b"))

    assert answer == HoldAnswer(TABLE, 1, held=True)
    pot = f"pot-{TABLE}"
    assert await balances(database) == {"house": -200, "p_a": 75, "p_b": 75, pot: 50}
    account = await bank.account("p_a", 20)
    assert (account.balance, account.held) == (75, 25)
    assert [(each.kind, each.amount, each.table) for each in account.bookings] == [
        ("hold", -25, TABLE),
        ("opening", 100, ""),
    ]
    await sound(database)


async def test_one_who_cannot_pay_is_named_and_nobody_pays(bank: Bank, database: Database) -> None:
    await bank.hold(request("p_a", table=OTHER, stake=50))

    answer = await bank.hold(request("p_b", "p_a", stake=100))

    assert answer == HoldAnswer(TABLE, 1, held=False, short=("p_a",))
    assert (await balances(database))["p_b"] == 100
    await sound(database)


async def test_a_guest_has_no_taler(bank: Bank, database: Database) -> None:
    answer = await bank.hold(request("p_a", "g_b"))

    assert answer == HoldAnswer(TABLE, 1, held=False, short=("g_b",))
    with pytest.raises(Refused) as refused:
        await bank.account("g_b", 20)
    assert refused.value.code == Code.GUEST_NO_STAKE
    assert "g_b" not in await balances(database)
    await sound(database)


@pytest.mark.parametrize("players", [("p_a", "p_a"), ("p_a", "house"), ("p_a", f"pot-{TABLE}")])
async def test_players_are_different_tokens_of_players(
    bank: Bank, database: Database, players: tuple[str, ...]
) -> None:
    with pytest.raises(Refused):
        await bank.hold(request(*players))

    assert await facts(database) == 0


@pytest.mark.parametrize("stake", [25, 100])
async def test_the_same_attempt_has_the_same_answer_for_ever(
    bank: Bank, database: Database, stake: int
) -> None:
    await bank.hold(request("p_a", table=OTHER))
    first = await bank.hold(request("p_a", "p_b", stake=stake))
    before = await balances(database), await facts(database)

    again = [await bank.hold(request("p_a", "p_b", stake=stake)) for _ in range(3)]

    assert again == [first] * 3
    assert first.held == (stake == 25)
    assert (await balances(database), await facts(database)) == before


async def test_a_newer_attempt_gives_back_what_an_older_one_held(
    bank: Bank, database: Database
) -> None:
    """The table asks anew only after it has called off the start before."""
    await bank.hold(request("p_a", "p_b", stake=100))

    answer = await bank.hold(request("p_a", stake=100, attempt=2))
    late = await bank.hold(request("p_a", "p_b", stake=100, attempt=1))

    assert answer.held
    assert not late.held
    assert await states(database) == {1: "released", 2: "held"}
    own = await balances(database)
    assert (own["p_a"], own["p_b"], own[f"pot-{TABLE}"]) == (0, 100, 100)
    await sound(database)


async def test_an_attempt_that_was_overtaken_holds_nothing(bank: Bank, database: Database) -> None:
    await bank.hold(request("p_a", attempt=2))

    late = await bank.hold(request("p_a", attempt=1))

    assert late == HoldAnswer(TABLE, 1, held=False)
    assert await states(database) == {2: "held"}


async def test_two_tables_cannot_take_one_balance(
    bank: Bank, second: Bank, database: Database
) -> None:
    """Two stakes of 100 from 100, at once and at two ledgers, many times (PITFALLS C4.10)."""
    for nr in range(10):
        player = f"p_{nr}"
        first, other = await asyncio.gather(
            bank.hold(request(player, table=f"01-{nr:024x}", stake=100)),
            second.hold(request(player, table=f"02-{nr:024x}", stake=100)),
        )
        assert first.held != other.held
        assert (await balances(database))[player] == 0
    await sound(database)


async def test_ledgers_never_hold_twice_nor_wait_for_each_other_in_a_circle(
    bank: Bank, second: Bank, database: Database
) -> None:
    """The same players at many tables, in all orders, each asked for at both ledgers at once."""
    people = ["p_a", "p_b", "p_c", "p_d"]
    requests = [
        request(*people[nr % 4 :], *people[: nr % 4], table=f"03-{nr:024x}", stake=10)
        for nr in range(12)
    ]

    answers = await asyncio.gather(
        *(which.hold(each) for each in requests for which in (bank, second))
    )

    for one, same in zip(answers[::2], answers[1::2], strict=True):
        assert one == same
    held = sum(answer.held for answer in answers[::2])
    assert held == 10
    assert {await_[1] for await_ in (await balances(database)).items() if await_[0] in people} == {
        0
    }
    assert await facts(database, "hold") == held * 5
    assert await facts(database, "opening") == 8
    await sound(database)


async def test_an_account_is_opened_once(bank: Bank, second: Bank, database: Database) -> None:
    await asyncio.gather(*(which.account("p_a", 5) for which in (bank, second) * 5))

    assert await balances(database) == {"house": -100, "p_a": 100}
    assert await facts(database) == 2


async def test_who_has_few_is_topped_up_once_a_day(
    bank: Bank, second: Bank, database: Database
) -> None:
    days = 20_000
    with clock_from(lambda: days * DAY_MS + 5):
        await spend(bank, database, 90)
        await asyncio.gather(*(which.account("p_a", 5) for which in (bank, second) * 5))
        assert (await balances(database))["p_a"] == 40
        await spend(bank, database, 30)
        assert (await bank.account("p_a", 5)).balance == 10
    with clock_from(lambda: (days + 1) * DAY_MS):
        account = await bank.account("p_a", 1)
    assert account.balance == 40
    assert [(each.kind, each.amount) for each in account.bookings] == [("top_up", 30)]
    await sound(database)


async def test_a_hold_tops_up_as_well(bank: Bank, database: Database) -> None:
    await spend(bank, database, 95)

    assert (await bank.hold(request("p_a", stake=25))).held

    assert (await balances(database))["p_a"] == 15


async def test_nobody_is_topped_up_because_his_taler_lie_in_a_pot(
    bank: Bank, database: Database
) -> None:
    await bank.hold(request("p_a", stake=100))

    account = await bank.account("p_a", 5)

    assert (account.balance, account.held) == (0, 100)
    assert await facts(database, "top_up") == 0


async def test_without_first_taler_an_account_is_open_all_the_same(database: Database) -> None:
    bank = Bank(database, Taler(0, 0))

    account = await bank.account("p_a", 5)

    assert [(each.kind, each.amount) for each in account.bookings] == [("opening", 0)]
    assert not (await bank.hold(request("p_a"))).held
    await sound(database)


async def test_a_death_before_the_commit_leaves_nothing_behind(
    bank: Bank, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows, hold and facts are one transaction: killed at its very end, none of it happened."""
    whole = within.append

    async def killed(link: Pooled, unit: Unit) -> object:
        await whole(link, unit)
        await link.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        raise AssertionError("the session is gone")

    monkeypatch.setattr(within, "append", killed)
    with pytest.raises(StoreUnavailable):
        await bank.hold(request("p_a"))
    monkeypatch.undo()

    assert await balances(database) == {}
    assert await states(database) == {}
    assert await facts(database) == 0
    assert (await bank.hold(request("p_a"))).held
    await sound(database)


async def test_the_database_itself_refuses_an_overdrawn_account(database: Database) -> None:
    async with database.connection() as link:
        await link.execute("INSERT INTO ledger_accounts (account, balance) VALUES ('house', -5)")
        with pytest.raises(asyncpg.CheckViolationError):
            await link.execute("INSERT INTO ledger_accounts (account, balance) VALUES ('p_a', -5)")


async def spend(bank: Bank, database: Database, amount: int) -> None:
    """Let Taler of p_a vanish into the house, as a lost game does."""
    await bank.account("p_a", 0)
    async with database.connection() as link, link.transaction():
        await within.prepare(link)
        page = Page(link)
        await page.lock(["p_a", "house"])
        sides = (Posting("p_a", -amount), Posting("house", amount))
        page.book(Transaction(f"correction:{amount}:{page.balance('p_a')}", "correction", sides))
        await page.store()
