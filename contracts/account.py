"""A player's Taler over the bus: ask on `account.<player>`, get an `Account` or a `Rejected`.

Only the player himself may ask. Whoever asks for the first time gets his first Taler, and whoever
has few is given some once a day (UTC). Guests have no account.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct

from contracts.replies import Rejected
from domain.account.events import Kind

BOOKINGS_MAX = 50


class AccountQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How many of the last bookings are wanted; `{}` asks for twenty."""

    limit: Annotated[int, Meta(ge=0, le=BOOKINGS_MAX)] = 20


class Booking(Struct, frozen=True):
    """The player's Taler changed by `amount` to `balance`; `at` in ms since the epoch.

    `hold`: the stake went into the pot of `table`; `settlement`: the pot, or a share of it, was
    his; `release`: he got the stake back. Whoever loses has no booking at the end.
    """

    number: int
    at: int
    kind: Kind
    amount: int
    balance: int
    table: str


class Account(Struct, frozen=True, tag="account"):
    """What the player has, and what of his lies in pots (`held`); the newest booking comes first."""

    player: str
    balance: int
    held: int
    bookings: tuple[Booking, ...]


AccountReply: TypeAlias = Account | Rejected

_DECODER = msgspec.json.Decoder(AccountReply)


def decode_account(data: bytes) -> AccountReply:
    """Give the answer; raises msgspec.DecodeError when it is none."""
    return _DECODER.decode(data)
