"""What happens on an account; each account has a stream of its own in the log.

An account is a player's token, `pot-<table>` or `house`. A booking moves whole Taler between
accounts: it is written into the stream of each account that it touches, in one append.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

HOUSE: Final = "house"
"""Where Taler come from and forfeited ones go; the only account that may be below zero."""
_POT: Final = "pot-"

Kind: TypeAlias = Literal[
    "opening", "top_up", "hold", "release", "settlement", "forfeit", "correction"
]
"""Why Taler move: a new account; a gift to somebody with few; a stake goes into the pot; all stakes
come back; the pot is paid out; the pot goes to the house; an operator puts something right."""


class AccountFact(Struct, frozen=True, tag=True, gc=False, omit_defaults=True):
    """A decision of the ledger; it is applied again and again, and never decided again."""


class Posting(Struct, frozen=True, gc=False):
    """What one account gets (or gives, below zero) in a booking."""

    account: str
    amount: int


class Booked(AccountFact, frozen=True, gc=False):
    """This account got `amount` and has `balance` now.

    `postings` are those of the whole transaction, this one among them; they add up to zero. No
    transaction is booked twice. `cause` is the number of the table's fact it follows from.
    """

    transaction: str
    kind: Kind
    amount: int
    balance: int
    postings: tuple[Posting, ...]
    table: str = ""
    attempt: int = 0
    cause: int = 0


class HoldDenied(AccountFact, frozen=True, gc=False):
    """In a pot: these of the people cannot pay the stake, so nobody paid."""

    table: str
    attempt: int
    stake: int
    players: tuple[str, ...]
    short: tuple[str, ...]


class HoldBarred(AccountFact, frozen=True, gc=False):
    """In a pot: the start was called off before anything was held; a late hold is refused."""

    table: str
    attempt: int
    cause: int


ACCOUNT_FACTS: tuple[type[Any], ...] = (Booked, HoldDenied, HoldBarred)


def pot_of(table: str) -> str:
    """Give the account of a table's pot."""
    return _POT + table


def is_pot(account: str) -> bool:
    """Tell whether the account is a table's pot."""
    return account.startswith(_POT)
