"""Decisions about people who are not there: offline, back, and played by the computer (TABLE-A08)."""

from __future__ import annotations

from typing import assert_never

from domain.kernel import Pause
from domain.refusals import Code, Refused
from domain.table import absence
from domain.table import commands as c
from domain.table import events as e
from domain.table.case import Case, Decided, plain, resume, unchanged
from domain.table.playing import others_look, own_seat
from domain.table.state import persons


def decide(case: Case, command: c.OfPresence) -> Decided:
    """Decide a command about presence; raises Refused."""
    match command:
        case c.NoteOffline():
            return _note_offline(case, command)
        case c.NoteBack(seat):
            away = absence.of_seat(case.table.absent, seat)
            counts = away is not None and case.table.phase == "playing"
            return plain(case, e.SeatBack(seat)) if counts else unchanged(case)
        case c.Substitute(seat):
            return _substitute(case, seat)
    assert_never(command)


def _note_offline(case: Case, command: c.NoteOffline) -> Decided:
    """Mark who is missed: only where other people play, and nobody twice."""
    table = case.table
    people = set(persons(table))
    if table.phase != "playing" or len(people) < 2:  # noqa: PLR2004 - him and another
        return unchanged(case)
    there = people - {each.seat for each in table.absent}
    since = {seat: max(at, table.started_at) for seat, at in command.silent if seat in there}
    facts = [
        e.SeatOffline(seat, since_ms)
        for seat, since_ms in since.items()
        if case.at >= since_ms + absence.OFFLINE_MS
    ]
    return plain(case, *facts) if facts else unchanged(case)


def _substitute(case: Case, seat: int) -> Decided:
    """Let the computer play for somebody else who has been offline for long enough."""
    own = own_seat(case)
    away = absence.of_seat(case.table.absent, seat)
    if seat == own or away is None:
        raise Refused(Code.NOT_OFFLINE, "That seat is not offline; see `absent` in the view.")
    if away.substituted:
        return unchanged(case)
    if case.at < away.substitute_from:
        left_s = -((case.at - away.substitute_from) // 1000)
        raise Refused(Code.TOO_EARLY, f"Wait {left_s} s more; he may come back.")
    fact = e.SeatSubstituted(seat, case.actor.player)
    if isinstance(case.waiting, Pause) and not others_look(case.table, seat):
        return resume(case, case.waiting, fact)
    return plain(case, fact)
