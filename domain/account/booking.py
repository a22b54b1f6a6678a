"""Transactions: Taler that move between accounts, so that the sum over all of them stays zero."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from domain.account.events import HOUSE, Booked, Kind, Posting, pot_of
from domain.account.settlement import Settlement


class Overdrawn(Exception):
    """An account would fall below zero, and nothing is booked."""


class Transaction(Struct, frozen=True):
    """Postings that belong together; `name` says which transaction this is, and it is so once."""

    name: str
    kind: Kind
    postings: tuple[Posting, ...]
    table: str = ""
    attempt: int = 0
    cause: int = 0


def opening(player: str, amount: int) -> Transaction:
    """Give a new player his first Taler."""
    return Transaction(f"opening:{player}", "opening", _from(HOUSE, {player: amount}))


def top_up(player: str, amount: int, day: str) -> Transaction:
    """Give a player with few Taler some; `day` is the date (UTC), once on each."""
    return Transaction(f"top_up:{player}:{day}", "top_up", _from(HOUSE, {player: amount}))


def hold(table: str, attempt: int, stake: int, players: tuple[str, ...]) -> Transaction:
    """Put the stake of each player into the pot."""
    pot = Posting(pot_of(table), stake * len(players))
    sides = (*(Posting(player, -stake) for player in players), pot)
    return Transaction(f"hold:{table}:{attempt}", "hold", sides, table, attempt)


def release(held: Transaction, cause: int) -> Transaction:
    """Give everybody back what a hold took from him."""
    sides = tuple(Posting(side.account, -side.amount) for side in held.postings)
    name = f"release:{held.table}:{held.attempt}"
    return Transaction(name, "release", sides, held.table, held.attempt, cause)


def payout(held: Transaction, settlement: Settlement, cause: int) -> Transaction:
    """Pay the pot to whom it belongs, or to the house when nobody stayed."""
    table, attempt = held.table, held.attempt
    to = settlement.payouts or {HOUSE: settlement.pot}
    kind: Kind = "settlement" if settlement.payouts else "forfeit"
    name = f"settlement:{table}"  # a forfeit too: a pot is paid once
    return Transaction(name, kind, _from(pot_of(table), to), table, attempt, cause)


def book(balances: Mapping[str, int], transaction: Transaction) -> dict[str, Booked]:
    """Give the fact for each account of a transaction; raises Overdrawn.

    `balances` are those of all accounts that it touches.
    """
    postings = transaction.postings
    accounts = [side.account for side in postings]
    assert len(set(accounts)) == len(accounts), "an account stands twice in a transaction"
    assert sum(side.amount for side in postings) == 0, "Taler appear or vanish"
    booked = {}
    for account, amount in ((side.account, side.amount) for side in postings):
        balance = balances[account] + amount
        if balance < 0 and account != HOUSE:
            raise Overdrawn(account)
        booked[account] = Booked(
            transaction.name,
            transaction.kind,
            amount,
            balance,
            postings,
            transaction.table,
            transaction.attempt,
            transaction.cause,
        )
    return booked


def _from(giver: str, to: Mapping[str, int]) -> tuple[Posting, ...]:
    sides = [Posting(account, amount) for account, amount in to.items()]
    return (Posting(giver, -sum(to.values())), *sides)
