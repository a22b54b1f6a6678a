"""Who somebody is: accounts and guests over HTTP, tickets for the bus, names of players.

A client logs in over HTTP, keeps the session cookie, and puts the `ticket` of a `Session` into
`auth_token` when it connects to the bus.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from contracts.replies import Rejected

NAMES_MAX = 32
PLAYER_ID_MAX = 40
Kind: TypeAlias = Literal["guest", "person"]


class Trouble(StrEnum):
    """Why the gateway refused over HTTP; clients switch on the code."""

    MALFORMED = "malformed"
    TOO_LARGE = "too_large"
    FOREIGN_ORIGIN = "foreign_origin"
    BAD_NAME = "bad_name"
    BAD_PASSWORD = "bad_password"  # noqa: S105 - a code
    NAME_TAKEN = "name_taken"
    WRONG_LOGIN = "wrong_login"
    NOT_LOGGED_IN = "not_logged_in"
    TOO_MANY = "too_many"
    BUSY = "busy"
    UNAVAILABLE = "unavailable"
    NOT_FOUND = "not_found"
    INTERNAL = "internal"


class Problem(Struct, frozen=True):
    """Nothing has changed: `sentence` is for developers, `text` is for players (German)."""

    code: Trouble
    sentence: str
    text: str


class Login(Struct, frozen=True, forbid_unknown_fields=True):
    """Name and password: the body of `register` and `login`."""

    name: Annotated[str, Meta(max_length=100)]
    password: Annotated[str, Meta(max_length=1000)]


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of `guest`, `session` and `logout`."""


class Me(Struct, frozen=True):
    """Who the session belongs to; `player` is the id that stands in subjects and facts."""

    player: str
    name: str
    kind: Kind


class Session(Struct, frozen=True):
    """A ticket for the bus at `socket`, good until `expires` (ms since the epoch).

    `inbox` is the prefix to connect with. A newer ticket makes the older ones of the same player
    worthless as soon as somebody connects with it.
    """

    player: str
    name: str
    kind: Kind
    ticket: str
    expires: int
    socket: str
    inbox: str


class TicketQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """An operator's tool wants to be this test player."""

    player: Annotated[str, Meta(max_length=PLAYER_ID_MAX)]


class Ticket(Struct, frozen=True, tag="ticket"):
    """What to put into `auth_token`, good until `expires` (ms since the epoch)."""

    player: str
    ticket: str
    expires: int


class NamesQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Whose names are wanted."""

    players: Annotated[
        tuple[Annotated[str, Meta(max_length=PLAYER_ID_MAX)], ...], Meta(max_length=NAMES_MAX)
    ]


class Names(Struct, frozen=True, tag="names"):
    """Name by player; who has none is missing."""

    names: dict[str, str]


TicketReply: TypeAlias = Ticket | Rejected
NamesReply: TypeAlias = Names | Rejected
