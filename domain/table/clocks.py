"""When questions fall due: a clock belongs to a question, not to a turn (TABLE-R01).

Every time is derived from facts, so a new owner of the table finds the same deadlines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from domain.kernel import Ask, Clock, DecidedBy, Pause, Seat, Waiting, asked
from domain.table import absence
from domain.table.events import Tempo
from domain.table.state import Table, attending, persons

GRACE_MS = 10_000
READING_MS = 8_000
RODS_MS = 45_000
EXPIRY_MS = 30 * 60_000
"""A table that has not started by then closes."""
RETURN_MS = 2 * 60_000
"""Places are held so long for those who played together before (RULES.md 1.7)."""
HOLD_MS = 1_000
"""A ledger that has not answered by then is asked again for the stakes."""
COMPUTER_MS = 1_000
"""A computer that has not answered by then is asked again."""
TEMPO_MS: Mapping[Tempo, int] = {"normal": 1_200, "schnell": 500, "sofort": 0}
TURBO_MS = 100


class Due(Struct, frozen=True, gc=False):
    """`deadline` is what a clock shows; from `takeover` on the computer decides. Both in ms."""

    deadline: int | None
    takeover: int | None


NEVER = Due(None, None)


def due(table: Table, clock: Clock) -> Due:
    """Give the times for the open questions of this kind of clock."""
    thinking_ms = table.rules.thinking_s * 1_000
    if thinking_ms == 0 or clock == "none":
        return NEVER
    since = table.raised_at + table.credit_ms
    match clock:
        case "turn":
            return Due(since + thinking_ms, since + thinking_ms + GRACE_MS)
        case "rods":
            return Due(since + RODS_MS, since + RODS_MS)
        case "summary":
            end = since + READING_MS + thinking_ms
            return Due(end, end)


def decided_by(table: Table, ask: Ask[Any], now_ms: int) -> DecidedBy:
    """Tell who may decide this question now; in "timeout" and "substitute" a person may, too."""
    by = stand_in(table, ask.seat)
    if by is not None:
        return by
    takeover = due(table, ask.clock).takeover
    return "timeout" if takeover is not None and now_ms >= takeover else "human"


def is_computer(table: Table, seat: Seat) -> bool:
    """Tell whether a computer plays this seat, from the start or for a leaver."""
    occupant = table.seats[seat]
    return occupant.kind == "computer" or occupant.left


def stand_in(table: Table, seat: Seat) -> DecidedBy | None:
    """Give as what a computer plays this seat at the moment, None when its person does."""
    if is_computer(table, seat):
        return "computer"
    away = absence.of_seat(table.absent, seat)
    return "substitute" if away is not None and away.substituted else None


def pause_ms(table: Table, waiting: Waiting[Any]) -> int:
    """Give how long after the open question was raised computers are asked (ms).

    People are to see what happens one by one. So there is no pause where several answer sealed
    (rods), nor once no person plays at the table any more, nor for a time-out: he has waited.
    """
    if not isinstance(waiting, Ask) or not attending(table):
        return 0
    pause = TEMPO_MS[table.rules.tempo]
    return min(pause, TURBO_MS) if table.turbo else pause


def next_wake(table: Table, waiting: Waiting[Any] | None) -> int | None:
    """Give the time (ms) at which the table needs its owner's attention, None if only people can.

    Never None while a computer is awaited, nor while somebody may go offline.
    """
    wakes = (next_due(table, waiting), next_offline(table))
    return min((wake for wake in wakes if wake is not None), default=None)


def next_offline(table: Table) -> int | None:
    """Give the first time (ms) at which somebody may be found to be offline.

    None where nobody would wait for him: at a table without other people, or where all are gone.
    """
    people = persons(table)
    watched = table.phase == "playing" and len(people) > 1 and len(table.absent) < len(people)
    return table.at + absence.OFFLINE_MS if watched else None


def next_due(table: Table, waiting: Waiting[Any] | None) -> int | None:
    """Give the time (ms) at which a question, a summary or the wait for a start falls due."""
    if table.phase == "gathering":
        return min([table.opened_at + EXPIRY_MS, *(hold.until for hold in table.holds)])
    if table.phase == "starting":
        return min(table.at + HOLD_MS, table.opened_at + EXPIRY_MS)
    if table.phase != "playing" or waiting is None:
        return None
    if isinstance(waiting, Pause):
        return due(table, "summary").takeover if attending(table) else table.at
    computer = table.raised_at + (pause_ms(table, waiting) or COMPUTER_MS)
    wakes = [
        computer if stand_in(table, ask.seat) else due(table, ask.clock).takeover
        for ask in asked(waiting)
    ]
    return min((wake for wake in wakes if wake is not None), default=None)
