"""What a person has put into a table's pot, as his own account tells him."""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec

from contracts.account import BOOKINGS_MAX, Account, AccountQuery, decode_account
from contracts.subjects import account
from services.kit.bus import NoAnswer, NoResponder
from services.kit.client import PlayerClient

PATIENCE_S: Final = 60.0
_ANSWER_S: Final = 5.0
_AGAIN_S: Final = 0.1


def in_pot(told: Account, table: str) -> int | None:
    """Give what lies in a table's pot of a player; None when he has paid more than once."""
    mine = [each for each in told.bookings if each.table == table]
    held = [each.amount for each in mine if each.kind == "hold"]
    back = [each.amount for each in mine if each.kind == "release"]
    if len(held) - len(back) not in {0, 1}:
        return None
    return -sum(held) - sum(back)


async def account_of(person: PlayerClient) -> Account:
    """Ask for a person's account until it is told; raises TimeoutError."""
    query = msgspec.json.encode(AccountQuery(BOOKINGS_MAX))
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                data = await person.bus.request(account(person.player), query, _ANSWER_S)
                told = decode_account(data)
                if isinstance(told, Account):
                    return told
            except (NoAnswer, NoResponder):
                pass  # it is asked for again below
            await asyncio.sleep(_AGAIN_S)
