"""Stakes over the bus: the table asks on `ledger.hold`, and gets a `HoldAnswer` or a `Rejected`.

Only the table services may ask. Without an answer they ask again: the same attempt of the same
table has the same answer for ever. Settlements need no message, they follow from the log.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from contracts.replies import Rejected

PLAYERS_MAX = 16
ATTEMPT_MAX = 1_000_000


class HoldRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The fact `StartRequested` as a question: take the stake of each of these players, or none."""

    table: Annotated[str, Meta(pattern=r"^[0-3][0-9]-[0-9a-f]{24}$")]
    attempt: Annotated[int, Meta(ge=1, le=ATTEMPT_MAX)]
    stake: Literal[10, 25, 50, 100]
    players: Annotated[
        tuple[Annotated[str, Meta(max_length=40)], ...], Meta(min_length=1, max_length=PLAYERS_MAX)
    ]


class HoldAnswer(Struct, frozen=True, tag="hold"):
    """Whether the stakes of all are in the pot. If not, nobody paid.

    `short` are those who have too few Taler; it is empty when the start was called off meanwhile.
    """

    table: str
    attempt: int
    held: bool
    short: tuple[str, ...] = ()


HoldReply: TypeAlias = HoldAnswer | Rejected

_DECODER = msgspec.json.Decoder(HoldReply)


def decode_hold(data: bytes) -> HoldReply:
    """Give the answer; raises msgspec.DecodeError when it is none."""
    return _DECODER.decode(data)
