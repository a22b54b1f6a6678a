"""Clocks, computed once more from facts and from the spans without an owner alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from domain.kernel import Ask, Chosen, Pause, Resumed, asked
from domain.table.absence import of_seat
from domain.table.state import Table, attending, persons
from tests.sim.history import Logged, TableLog
from tests.sim.scenario import Evening

GRACE_MS = 10_000
READING_MS = 8_000
COMPUTER_MS = 3_000
PAUSE_MS = {"normal": 1_200, "schnell": 500, "sofort": 0}
TURBO_MS = 100
SLACK_MS = 5_000
"""What a question may stay open beyond its time while everything runs."""


def not_taken_over_early(evening: Evening) -> Iterator[str]:
    """No person's question is decided before deadline, grace and all downtime have passed.

    And no computer moves before the pause of the table's tempo.
    """
    for log in evening.history.all():
        for each in log.facts:
            end = _earliest(evening, log, each)
            if end is not None and each.stored.at < end:
                early = end - each.stored.at
                yield f"{log.table} {each.version}: decided {early} ms too early"


def _earliest(evening: Evening, log: TableLog, each: Logged) -> int | None:
    """Give the time before which nobody else may decide; None when it is the person himself."""
    before = log.states[each.version - 1]
    thinking_ms = before.rules.thinking_s * 1000
    match each.fact:
        case Chosen(decided_by="timeout"):
            if not thinking_ms:
                return 2**62
            return _after(evening, log, each, thinking_ms + GRACE_MS)
        case Resumed() if each.stored.by == "house" and attending(before):
            if not thinking_ms:
                return 2**62
            return _after(evening, log, each, thinking_ms + READING_MS)
        case Chosen(decided_by="computer", seat=seat):
            return 2**62 if seat in persons(before) else before.raised_at + _pause(before)
        case Chosen(decided_by="substitute", seat=seat):
            away = of_seat(before.absent, seat)
            allowed = away is not None and away.substituted
            return before.raised_at + _pause(before) if allowed else 2**62
        case _:
            return None


def _pause(table: Table) -> int:
    """Give how long people look before a computer moves; only Speeddive is played here."""
    if not attending(table):
        return 0
    pause = PAUSE_MS[table.rules.tempo]
    return min(pause, TURBO_MS) if table.turbo else pause


def _after(evening: Evening, log: TableLog, each: Logged, wait_ms: int) -> int:
    """Give when so much time has passed since the question, without the spans of no owner."""
    since = log.states[each.version - 1].raised_at
    gaps = evening.world.store.gaps.get(int(log.table[:2]), [])
    end, lost = since, 0
    for begin, until in sorted(gaps):
        if end < until <= each.stored.at:
            lost += until - max(begin, end)
            end = until
    return since + wait_ms + lost


def answered_in_time(evening: Evening) -> Iterator[str]:
    """Once the troubles are over, no question waits longer than its clock, or for a computer."""
    for log in evening.history.all():
        playing = [log.states[head] for head in log.heads if log.states[head].phase == "playing"]
        for raised, states in groupby(playing, attrgetter("raised")):
            yield from _waited(evening, log, raised, list(states)[-1])


def _waited(evening: Evening, log: TableLog, raised: int, table: Table) -> Iterator[str]:
    closing = table.version + 1
    last = evening.world.loop.now_ms()
    closed_at = log.facts[closing - 1].stored.at if closing <= len(log.facts) else last
    end = _latest(log, table)
    if end is not None and closed_at > max(end, evening.calm_ms) + SLACK_MS:
        late = closed_at - max(end, evening.calm_ms)
        yield f"{log.table}: question {raised} was open {late} ms too long"


def _latest(log: TableLog, table: Table) -> int | None:
    """Give when the table must have gone on; None when it may wait for a person for ever."""
    waiting = log.waiting(table.version)
    assert waiting is not None
    asks: tuple[Ask[Any], ...] = asked(waiting)
    clock_ms = table.rules.thinking_s * 1000
    since = table.raised_at + table.credit_ms
    if isinstance(waiting, Pause):
        if not attending(table):
            return table.at
        return since + clock_ms + READING_MS if clock_ms else None
    if any(ask.seat in attending(table) for ask in asks):
        return since + clock_ms + GRACE_MS + COMPUTER_MS if clock_ms else None
    return table.at + _pause(table) + COMPUTER_MS
