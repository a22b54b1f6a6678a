"""Transactions add up to zero and overdraw nobody; a recount finds what cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from domain.account import booking
from domain.account.booking import Overdrawn, Transaction, book
from domain.account.events import HOUSE, Booked, HoldBarred, HoldDenied, Posting, pot_of
from domain.account.recount import DAY_MS, Account, Hold, Recount
from domain.account.settlement import Settlement

POT = pot_of("t")
HOLD = booking.hold("t", 1, 25, ("p_a", "p_b", "p_c"))


class Books(Recount):
    """Books transactions as a ledger does."""

    def __init__(self) -> None:
        super().__init__()
        self.versions: dict[str, int] = {}

    def do(self, transaction: Transaction, at: int = 0) -> dict[str, Booked]:
        balances = {
            side.account: self.accounts.get(side.account, Account(0, 0, 0)).balance
            for side in transaction.postings
        }
        facts = book(balances, transaction)
        for account, fact in facts.items():
            self.note(account, fact, at)
        return facts

    def note(self, account: str, fact: Any, at: int = 0) -> None:
        self.versions[account] = self.versions.get(account, 0) + 1
        self.apply(account, self.versions[account], at, fact)

    def balances(self) -> dict[str, int]:
        return {name: account.balance for name, account in self.accounts.items()}


@pytest.fixture
def books() -> Books:
    books = Books()
    for player in ("p_a", "p_b", "p_c"):
        books.do(booking.opening(player, 30))
    return books


def test_a_hold_takes_the_stake_of_each_into_the_pot(books: Books) -> None:
    books.do(HOLD)

    assert books.balances() == {HOUSE: -90, "p_a": 5, "p_b": 5, "p_c": 5, POT: 75}
    assert books.holds == {("t", 1): Hold(25, ("p_a", "p_b", "p_c"), "held")}
    assert books.total == 0


def test_a_release_gives_back_what_was_held(books: Books) -> None:
    books.do(HOLD)
    books.do(booking.release(HOLD, 9))

    assert books.balances() == {HOUSE: -90, "p_a": 30, "p_b": 30, "p_c": 30, POT: 0}
    assert books.holds["t", 1].state == "released"


def test_dive_e23_the_pot_is_paid_in_two_unequal_halves(books: Books) -> None:
    books.do(HOLD)
    facts = books.do(booking.payout(HOLD, Settlement(75, {"p_a": 38, "p_b": 37}), 412))

    assert books.balances() == {HOUSE: -90, "p_a": 43, "p_b": 42, "p_c": 5, POT: 0}
    assert books.holds["t", 1].state == "settled"
    assert facts["p_a"].cause == 412
    assert books.wrong == {}
    assert books.unfinished() == {}


def test_a_forfeited_pot_goes_to_the_house(books: Books) -> None:
    books.do(HOLD)
    books.do(booking.payout(HOLD, Settlement(75, {}), 412))

    assert books.balances() == {HOUSE: -15, "p_a": 5, "p_b": 5, "p_c": 5, POT: 0}
    assert books.total == 0


def test_nobody_but_the_house_is_overdrawn(books: Books) -> None:
    books.do(HOLD)

    with pytest.raises(Overdrawn):
        books.do(booking.hold("u", 1, 10, ("p_a",)))


def test_taler_neither_appear_nor_vanish() -> None:
    sides = (Posting(HOUSE, -5), Posting("p_a", 6))

    with pytest.raises(AssertionError):
        book({HOUSE: 0, "p_a": 0}, Transaction("x", "correction", sides))


def test_what_moves_no_taler_is_remembered(books: Books) -> None:
    books.note(POT, HoldDenied("t", 1, 50, ("p_a", "p_b"), ("p_b",)))
    books.note(POT, HoldBarred("t", 2, 9))

    assert books.holds == {
        ("t", 1): Hold(50, ("p_a", "p_b"), "denied", ("p_b",)),
        ("t", 2): Hold(0, (), "barred"),
    }
    assert books.balances()[POT] == 0


def test_the_day_of_a_top_up_is_known_again(books: Books) -> None:
    books.do(booking.top_up("p_a", 70, "1970-01-03"), at=2 * DAY_MS + 5)

    assert books.accounts["p_a"] == Account(100, 2, 2 * DAY_MS + 5)
    assert books.accounts["p_b"].topped_up == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"balance": 1}, "the balance is 1, not 30 and -25"),
        ({"amount": -20, "balance": 10}, "the amount is not what the transaction says"),
        ({"postings": (Posting("p_a", -25),)}, "the transaction does not add up to zero"),
        ({"kind": "correction"}, "another account knows hold:t:1 with another content"),
    ],
)
def test_a_recount_finds_a_booking_that_cannot_be(
    books: Books, change: dict[str, Any], why: str
) -> None:
    facts = book({"p_a": 30, "p_b": 30, "p_c": 30, POT: 0}, HOLD)
    books.note(POT, facts[POT])

    books.note("p_a", replace(facts["p_a"], **change))

    assert books.wrong == {"p_a": (2, why)}


def test_a_recount_finds_an_account_below_zero(books: Books) -> None:
    sides = (Posting("p_a", -40), Posting("p_b", 40))

    books.note("p_a", Booked("x", "correction", -40, -10, sides))

    assert books.wrong == {"p_a": (2, "the account is overdrawn: -10")}


def test_a_recount_finds_a_transaction_that_is_booked_twice(books: Books) -> None:
    books.do(booking.opening("p_d", 30))
    again = Booked("opening:p_d", "opening", 30, 60, booking.opening("p_d", 30).postings)

    books.note("p_d", again)

    assert books.wrong == {"p_d": (2, "opening:p_d is booked twice")}


def test_a_recount_finds_a_booking_whose_other_side_is_missing(books: Books) -> None:
    facts = book({HOUSE: -90, "p_d": 0}, booking.opening("p_d", 30))

    books.note(HOUSE, facts[HOUSE])

    assert books.unfinished() == {"p_d": "opening:p_d"}
    assert books.total == -30


def test_a_recount_finds_time_that_runs_back_and_what_is_no_fact_of_an_account() -> None:
    books = Books()
    books.note("p_a", object())
    books.note(POT, HoldBarred("t", 1, 1), at=5)
    books.note(POT, HoldBarred("t", 2, 1), at=3)

    assert books.wrong["p_a"] == (1, "a object is no fact of an account")
    assert books.wrong[POT] == (2, "it is 2 ms before its predecessor")
