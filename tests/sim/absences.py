"""Who was offline, and for whom the computer stood in, checked by facts and spans without owner."""

from __future__ import annotations

from collections.abc import Iterator

from domain.table.events import SeatBack, SeatOffline, SeatSubstituted
from services.ops.explanation.reckoning import account
from services.ops.explanation.story import Line, Story
from tests.sim.history import TableLog
from tests.sim.scenario import Evening

OFFLINE_MS = 60_000
SUBSTITUTE_MS = 300_000


def nobody_is_replaced_early(evening: Evening) -> Iterator[str]:
    """Offline is after a minute under one owner, replaced after five, without spans of no owner."""
    for log in evening.history.all():
        gaps = evening.world.store.gaps.get(int(log.table[:2]), [])
        since: dict[int, int] = {}
        for each in log.facts:
            at = each.stored.at
            match each.fact:
                case SeatOffline(seat, since_ms):
                    since[seat] = since_ms
                    if at - since_ms < OFFLINE_MS:
                        yield f"{log.table} {each.version}: offline after {at - since_ms} ms"
                    if any(since_ms < until <= at for _, until in gaps):
                        yield f"{log.table} {each.version}: offline because nobody served"
                case SeatSubstituted(seat):
                    lost = sum(max(0, min(at, to) - max(since[seat], begin)) for begin, to in gaps)
                    if at - since[seat] - lost < SUBSTITUTE_MS:
                        yield f"{log.table} {each.version}: replaced too early"
                case SeatBack(seat):
                    del since[seat]
                case _:
                    continue


def clock_accounts_add_up(evening: Evening) -> Iterator[str]:
    """`explain clock` finds a place for every millisecond of every table."""
    for log in evening.history.all():
        if log.facts:
            found = account(_story(log), evening.world.loop.now_ms())
            if not found.sound:
                yield f"{log.table}: {sum(part.ms for part in found.parts)} of {found.total_ms}"


def _story(log: TableLog) -> Story:
    lines = tuple(Line(0, each.version, each.stored.at, each.fact) for each in log.facts)
    return Story(log.table, log.facts[0].fact, lines, ())
