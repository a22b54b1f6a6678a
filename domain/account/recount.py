"""What all accounts hold and which stakes are held: a fold over the facts, which decides nothing."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from domain.account.events import HOUSE, Booked, HoldBarred, HoldDenied, is_pot

DAY_MS: Final = 86_400_000
HoldState: TypeAlias = Literal["held", "denied", "barred", "released", "settled"]
_CLOSING: Final[dict[str, HoldState]] = {
    "release": "released",
    "settlement": "settled",
    "forfeit": "settled",
}


class Account(Struct, frozen=True, gc=False):
    """Where an account stands; `topped_up` is the day of its last top-up (days since 1970, UTC)."""

    balance: int
    topped_up: int
    at: int


class Hold(Struct, frozen=True, gc=False):
    """What became of the request to hold the stakes for one attempt to start a table."""

    stake: int
    players: tuple[str, ...]
    state: HoldState
    short: tuple[str, ...] = ()


class Recount:
    """Accounts and holds after some facts; those of one account come in their order.

    `wrong` holds the first thing of each account that cannot be: its version, and what it is.
    `payouts` are the bookings that emptied a pot, by its account, as the end of a game asks for.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self.accounts: dict[str, Account] = {}
        self.holds: dict[tuple[str, int], Hold] = {}
        self.wrong: dict[str, tuple[int, str]] = {}
        self.payouts: dict[str, Booked] = {}
        self._open: dict[str, tuple[Booked, set[str]]] = {}
        self._done: set[str] = set()

    def apply(self, account: str, version: int, at: int, fact: Any) -> None:
        """Apply the next fact of an account; `at` in ms since the epoch."""
        before = self.accounts.get(account) or Account(0, 0, 0)
        match fact:
            case Booked():
                why = self._wrong(account, before, fact)
                topped_up = at // DAY_MS if fact.kind == "top_up" else before.topped_up
                self.accounts[account] = Account(fact.balance, topped_up, at)
                if is_pot(account):
                    self._move(account, fact)
            case HoldDenied(table, attempt, stake, players, short):
                why = ""
                self.accounts[account] = Account(before.balance, before.topped_up, at)
                self.holds[table, attempt] = Hold(stake, players, "denied", short)
            case HoldBarred(table, attempt):
                why = ""
                self.accounts[account] = Account(before.balance, before.topped_up, at)
                self.holds[table, attempt] = Hold(0, (), "barred")
            case _:
                why = f"a {type(fact).__name__} is no fact of an account"
        if at < before.at:
            why = why or f"it is {before.at - at} ms before its predecessor"
        if why:
            self.wrong.setdefault(account, (version, why))

    def unfinished(self) -> dict[str, str]:
        """Give account and transaction of bookings that are missing on another account."""
        return {
            side.account: name
            for name, (booked, seen) in self._open.items()
            for side in booked.postings
            if side.account not in seen
        }

    @property
    def total(self) -> int:
        """The sum over all accounts, which is zero."""
        return sum(account.balance for account in self.accounts.values())

    def _wrong(self, account: str, before: Account, booked: Booked) -> str:
        """Say what of a booking cannot be, "" when all is well."""
        mine = [side.amount for side in booked.postings if side.account == account]
        if sum(side.amount for side in booked.postings) != 0:
            return "the transaction does not add up to zero"
        if mine != [booked.amount]:
            return "the amount is not what the transaction says"
        if booked.balance != before.balance + booked.amount:
            return f"the balance is {booked.balance}, not {before.balance} and {booked.amount}"
        if booked.balance < 0 and account != HOUSE:
            return f"the account is overdrawn: {booked.balance}"
        return self._other_sides(account, booked)

    def _other_sides(self, account: str, booked: Booked) -> str:
        """Hold a booking against those of the same transaction on other accounts."""
        name = booked.transaction
        first, seen = self._open.get(name, (booked, set()))
        if name in self._done or account in seen:
            return f"{name} is booked twice"
        self._open[name] = first, seen
        if (first.kind, first.postings) != (booked.kind, booked.postings):
            return f"another account knows {name} with another content"
        seen.add(account)
        if len(seen) == len(booked.postings):
            del self._open[name]
            self._done.add(name)
        return ""

    def _move(self, pot: str, booked: Booked) -> None:
        key = (booked.table, booked.attempt)
        if booked.kind == "hold":
            others = [side for side in booked.postings if side.account != pot]
            stake = -others[0].amount if others else 0
            players = tuple(side.account for side in others)
            self.holds[key] = Hold(stake, players, "held")
        elif booked.kind in _CLOSING and key in self.holds:
            if _CLOSING[booked.kind] == "settled":
                self.payouts[pot] = booked
            held = self.holds[key]
            self.holds[key] = Hold(held.stake, held.players, _CLOSING[booked.kind])
