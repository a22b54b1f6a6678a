"""What people, computers and the house want of a table, decoded and bounded already."""

from __future__ import annotations

from typing import Any, TypeAlias

from msgspec import Struct

from domain.kernel import Seat
from domain.table.events import TableRules


class Open(Struct, frozen=True, gc=False):
    """Open a table and sit down at its first place."""

    game: str
    options: dict[str, str | int | bool]
    rules: TableRules


class Reopen(Struct, frozen=True, gc=False):
    """Open the table that follows `former`, with the same settings.

    Whoever wants it sits on his old `place`; `kept` is (place, player) of each of the others.
    """

    opening: Open
    former: str
    place: int
    kept: tuple[tuple[int, str], ...]


class Again(Struct, frozen=True, gc=False):
    """Play once more with the same people, after the game."""


class Join(Struct, frozen=True, gc=False):
    """Sit down: at this place, or at the first free one."""

    place: int | None = None
    client_seed: str = ""


class Start(Struct, frozen=True, gc=False):
    """Begin the game; only the opener may."""

    client_seed: str = ""


class Collect(Struct, frozen=True, gc=False):
    """The ledger has answered the table: the stakes of this start are held, or `short` lack them."""

    attempt: int
    held: bool
    short: tuple[str, ...] = ()


class Leave(Struct, frozen=True, gc=False):
    """Get up before the start, or leave the running game to the computer."""


class Play(Struct, frozen=True, gc=False):
    """Answer the question number `prompt` with a move of the game."""

    prompt: int
    move: Any


class GoOn(Struct, frozen=True, gc=False):
    """Click "Weiter" on the summary that was raised by fact number `prompt`."""

    prompt: int


class Turbo(Struct, frozen=True, gc=False):
    """Let the computers hurry, or no longer; for whoever plays with nobody else."""

    on: bool


class Decide(Struct, frozen=True, gc=False):
    """The computer answers for a seat: its own, a leaver's, or one whose time has run out."""

    seat: Seat
    prompt: int
    move: Any
    strategy: str
    strategy_version: int
    rng_seed: str = ""


class Credit(Struct, frozen=True, gc=False):
    """A new owner gives back the time in which nobody served the table."""

    from_ms: int
    to_ms: int


class Tick(Struct, frozen=True, gc=False):
    """Time has passed: a pause may be over, a table that never started may have to close."""


class NoteOffline(Struct, frozen=True, gc=False):
    """The owner has had no sign of these seats' people since these times (seat, ms)."""

    silent: tuple[tuple[Seat, int], ...]


class NoteBack(Struct, frozen=True, gc=False):
    """The owner has heard of a seat's person again."""

    seat: Seat


class Substitute(Struct, frozen=True, gc=False):
    """Let the computer play for a seat that has long been offline."""

    seat: Seat


class Unsuspend(Struct, frozen=True, gc=False):
    """Let a stopped table go on; for operators."""

    why: str


class Void(Struct, frozen=True, gc=False):
    """End the table without a result; for operators."""

    why: str


class Suspend(Struct, frozen=True, gc=False):
    """Stop the table after a fault of the rules."""

    reason: str


OfPresence: TypeAlias = NoteOffline | NoteBack | Substitute
OfOperators: TypeAlias = Unsuspend | Void
Command: TypeAlias = (
    Open
    | Reopen
    | Again
    | Join
    | Start
    | Collect
    | Leave
    | Play
    | GoOn
    | Turbo
    | Decide
    | Credit
    | Tick
    | Suspend
    | OfPresence
    | OfOperators
)
