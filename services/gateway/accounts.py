"""Players, their logins and their tickets, in PostgreSQL."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NamedTuple

import asyncpg

from contracts.gateway import Kind
from contracts.subjects import is_test
from services.gateway.names import key_of
from services.gateway.tickets import LIFE_MS, Pass
from services.kit.store.database import Database, Pooled

SESSION_S: Final = 30 * 24 * 3600
"""How long a login lasts after its last renewal."""
_ID_BYTES: Final = 10


class NameTaken(Exception):
    """Somebody else has this name, or one that looks the same."""


class Player(NamedTuple):
    """A person with an account, or a guest."""

    player: str
    kind: Kind
    name: str


class Accounts:
    """Everything raises StoreUnavailable when the database is away."""

    def __init__(self, database: Database) -> None:
        """Keep the accounts in this database."""
        self._database = database

    async def add_guest(self) -> Player:
        """Make a guest, who gets a name like "Gast 4711"; several may have the same."""
        player = Player(_new_id("g_"), "guest", f"Gast {secrets.randbelow(9_000) + 1_000}")
        async with self._database.connection() as link:
            await link.execute(
                "INSERT INTO gateway_players (player, kind, name) VALUES ($1, $2, $3)", *player
            )
        return player

    async def add_person(self, name: str, password: str) -> Player:
        """Make an account with a password that is hashed already; raises NameTaken."""
        player = Player(_new_id("p_"), "person", name)
        async with self._database.connection() as link:
            made = await link.fetchval(
                "INSERT INTO gateway_players (player, kind, name, name_key, password)"
                " VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name_key) DO NOTHING RETURNING player",
                *player,
                key_of(name),
                password,
            )
        if made is None:
            raise NameTaken
        return player

    async def find(self, name: str) -> tuple[Player, str] | None:
        """Give the account of this name and its hashed password."""
        async with self._database.connection() as link:
            row = await link.fetchrow(
                "SELECT player, kind, name, password FROM gateway_players WHERE name_key = $1",
                key_of(name),
            )
        return None if row is None else (_player(row), row["password"])

    async def set_password(self, player: str, password: str) -> None:
        """Replace a hashed password, when it was hashed in a way that is no longer good enough."""
        async with self._database.connection() as link:
            await link.execute(
                "UPDATE gateway_players SET password = $2 WHERE player = $1", player, password
            )

    async def log_in(self, player: str) -> str:
        """Begin a session and give its cookie; nobody can make the cookie from what is stored."""
        cookie = secrets.token_urlsafe(32)
        async with self._database.connection() as link:
            await link.execute(
                "INSERT INTO gateway_sessions (id, player, expires_at)"
                " VALUES ($1, $2, now() + $3 * interval '1 second')",
                session_of(cookie),
                player,
                SESSION_S,
            )
        return cookie

    async def who(self, cookie: str) -> Player | None:
        """Give whose session it is, if it has not ended."""
        async with self._database.connection() as link:
            row = await link.fetchrow(
                "SELECT player, kind, name FROM gateway_sessions JOIN gateway_players USING (player)"
                " WHERE id = $1 AND expires_at > now()",
                session_of(cookie),
            )
        return None if row is None else _player(row)

    async def renew(self, cookie: str) -> int:
        """Prolong a session and give the number of its next ticket."""
        async with self._database.connection() as link:
            await link.execute(
                "UPDATE gateway_sessions SET expires_at = now() + $2 * interval '1 second'"
                " WHERE id = $1",
                session_of(cookie),
                SESSION_S,
            )
            return await _next_number(link)

    async def next_number(self) -> int:
        """Give the number of a ticket that belongs to no session."""
        async with self._database.connection() as link:
            return await _next_number(link)

    async def log_out(self, cookie: str) -> str | None:
        """End a session and give whose it was; its tickets are worthless from now on."""
        async with self._database.connection() as link:
            player: str | None = await link.fetchval(
                "DELETE FROM gateway_sessions WHERE id = $1 RETURNING player", session_of(cookie)
            )
        return player

    async def admit(self, ticket: Pass) -> str:
        """Give "" when the holder may come in, else why not.

        From then on tickets of this player with a smaller number are worthless.
        """
        async with self._database.connection() as link:
            if not (is_test(ticket.player) and ticket.session == ""):
                alive = await link.fetchval(
                    "SELECT true FROM gateway_sessions"
                    " WHERE id = $1 AND player = $2 AND expires_at > now()",
                    ticket.session,
                    ticket.player,
                )
                if not alive:
                    return "the session has ended"
            newest = await link.fetchval(
                "INSERT INTO gateway_admitted AS a (player, number, at) VALUES ($1, $2, now())"
                " ON CONFLICT (player) DO UPDATE SET number = excluded.number, at = now()"
                " WHERE a.number <= excluded.number RETURNING true",
                ticket.player,
                ticket.number,
            )
        return "" if newest else "a newer ticket of this player is in use"

    async def names(self, players: Sequence[str]) -> dict[str, str]:
        """Give the name of each of the players who has one."""
        async with self._database.connection() as link:
            rows = await link.fetch(
                "SELECT player, name FROM gateway_players WHERE player = ANY($1)", players
            )
        return {row["player"]: row["name"] for row in rows}

    async def forget(self) -> None:
        """Remove sessions that have ended, and what is known of tickets that have."""
        async with self._database.connection() as link:
            await link.execute("DELETE FROM gateway_sessions WHERE expires_at < now()")
            await link.execute(
                "DELETE FROM gateway_admitted WHERE at < now() - $1 * interval '1 millisecond'",
                LIFE_MS,
            )

    async def reachable(self) -> None:
        """Return when the database answers."""
        async with self._database.connection() as link:
            await link.execute("SELECT 1")


def session_of(cookie: str) -> str:
    """Give the id of the session with this cookie."""
    return sha256(cookie.encode()).hexdigest()


async def _next_number(link: Pooled) -> int:
    number: int = await link.fetchval("SELECT nextval('gateway_ticket_numbers')")
    return number


def _new_id(prefix: str) -> str:
    return prefix + secrets.token_hex(_ID_BYTES)


def _player(row: asyncpg.Record) -> Player:
    return Player(row["player"], row["kind"], row["name"])
