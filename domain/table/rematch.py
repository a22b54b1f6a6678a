"""Once more with the same people: the next table, and the places it holds for them (RULES.md 1.7)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table import events as e
from domain.table.case import Case, Decided, close, ended, person, plain, unknown
from domain.table.clocks import RETURN_MS
from domain.table.state import Table, persons, seat_of


def again(case: Case) -> Decided:
    """Open the one table that follows; both tables' facts are stored in one unit (TABLE-R06)."""
    table = case.table
    _must_be_over(table)
    seat = seat_of(table, case.actor.player)
    if seat is None:
        raise Refused(Code.NOT_SEATED, "Only who has played here to the end plays here again.")
    others = tuple(table.seats[other] for other in persons(table) if other != seat)
    command = c.Reopen(
        c.Open(table.game, table.options, table.rules),
        table.table_id,
        table.seats[seat].place,
        tuple((other.place, other.player) for other in others),
    )
    opened = reopen(replace(case, table=Table(case.house.successor), waiting=None), command)
    return replace(plain(case, e.SuccessorOpened(case.house.successor)), opened=opened)


def reopen(case: Case, command: c.Reopen) -> Decided:
    """Seat whoever wants to play again on his old place, and hold those of the others."""
    if case.table.phase != "new":
        raise Refused(Code.NOT_GATHERING, "This table is open already.")
    opening, player = command.opening, case.actor.player
    until = case.at + RETURN_MS
    return plain(
        case,
        e.TableOpened(opening.game, opening.options, opening.rules, player, command.former),
        e.SeedDrawn(case.house.commitment, case.house.seed),
        e.SeatTaken(person(case.actor, command.place)),
        *(e.SeatHeld(place, other, until) for place, other in command.kept),
    )


def give_up(case: Case, place: int) -> Decided:
    """Free the place that is held for a person, who does not want it."""
    return plain(case, *_end(case.table, (e.HoldEnded(place, case.actor.player),)))


def release(case: Case) -> Decided:
    """Free the places whose people have not come back in time (TABLE-A10)."""
    over = [hold for hold in case.table.holds if case.actor.at >= hold.until]
    ends = tuple(e.HoldEnded(hold.place, hold.player) for hold in over)
    return plain(case, *_end(case.table, ends))


def _end(table: Table, ends: tuple[e.HoldEnded, ...]) -> tuple[Any, ...]:
    """Close the table, too, where nobody sits and nobody can come back any more."""
    empty = all(occupant is None for occupant in table.places)
    if empty and len(ends) == len(table.holds):
        return (*ends, *close(table, "empty"))
    return ends


def _must_be_over(table: Table) -> None:
    match table.phase:
        case "finished" if not table.successor:
            return
        case "new":
            raise unknown()
        case "gathering" | "starting":
            raise Refused(Code.NOT_PLAYING, "The game has not begun; wait for the start.")
        case "playing":
            raise Refused(Code.NOT_OVER, "The game is not over; play it to its end first.")
        case _:
            raise ended(table)
