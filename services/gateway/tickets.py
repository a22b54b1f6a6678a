"""Tickets: what a client logs in to the bus with, signed so that any gateway can judge it."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from contracts.gateway import Kind
from services.gateway.tokens import BadToken, Key, read
from services.kit.clock import now_ms

LIFE_MS: Final = 12 * 3_600_000
"""Longer than any game: the server ends a connection when its ticket ends."""
_AUDIENCE: Final = "logbuch"


class Pass(Struct, frozen=True):
    """Who the holder is.

    `number` grows from ticket to ticket: a connection with a greater one makes the smaller ones of
    the same player worthless. `session` names the login that it came from; a test player's has none.
    """

    player: str
    kind: Kind
    session: str
    number: int
    exp: int
    """Seconds since the epoch, as tokens have it."""
    aud: str = ""


class Tickets:
    """Writes and judges tickets."""

    def __init__(self, seed: str) -> None:
        """Sign with the key of this seed."""
        self._key = Key(seed)

    def write(self, player: str, kind: Kind, session: str, number: int) -> tuple[str, int]:
        """Give a ticket and when it ends, in ms since the epoch."""
        expires = now_ms() + LIFE_MS
        seconds = expires // 1000
        claims = Pass(player, kind, session, number, seconds, _AUDIENCE)
        return self._key.sign({name: getattr(claims, name) for name in Pass.__struct_fields__}), (
            seconds * 1000
        )

    def judge(self, ticket: str) -> Pass:
        """Give what a ticket says; raises BadToken when it is forged or has ended."""
        found = read(ticket, Pass, self._key.public)
        if found.aud != _AUDIENCE:
            raise BadToken("not a ticket")
        if found.exp * 1000 <= now_ms():
            raise BadToken("the ticket has ended")
        return found
