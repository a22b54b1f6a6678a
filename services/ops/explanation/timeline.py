"""A table's time cut into spans in which one thing was waited for, from its facts alone.

A *stop* is a span that counts for no clock: nobody served the table, or it was suspended. Whatever
lies outside of stops is told by who was asked then and how much of his time was used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from domain.games import GAMES
from domain.kernel import AnyGame, Ask, Pause, Seat, Waiting, asked
from domain.table import events as e
from domain.table.clocks import due, stand_in
from domain.table.decider import awaited
from domain.table.state import Table, fold
from services.kit.console.failure import Failure
from services.ops.explanation.story import Line, Story

ENDLESS_MS = 2**62


class Stop(NamedTuple):
    """A span (ms) that counts for no clock, and the fact that says so."""

    fact: int
    from_ms: int
    to_ms: int
    why: str


class Limits(NamedTuple):
    """How long a person may think about a question, and when the computer takes over (ms)."""

    thinking_ms: int
    takeover_ms: int


class Moment(NamedTuple):
    """The table from a fact on, until the next fact of another time (ms)."""

    line: Line
    table: Table
    waiting: Waiting[Any] | None
    until: int


class Span(NamedTuple):
    """Milliseconds that went into one thing; `seats` are those whose people were thinking."""

    what: str
    seats: tuple[Seat, ...]
    ms: int


def game_of_story(story: Story) -> AnyGame:
    """Give the game; raises Failure when this release cannot replay it."""
    game = GAMES.get(story.opened.game)
    if game is None or any(line.fact is None for line in story.lines):
        raise Failure(f"table {story.table} is of a newer release, which can explain it")
    return game


def tables(game: AnyGame, story: Story) -> list[Table]:
    """Give the table after each fact."""
    found, table = [], Table(story.table)
    for line in story.lines:
        table = fold(game, table, [(line.at, line.fact)])
        found.append(table)
    return found


def moments(game: AnyGame, story: Story, states: Sequence[Table], until: int) -> Iterator[Moment]:
    """Yield the states that lasted: within one append no time passes, so nobody is asked there."""
    ends = [line.at for line in story.lines[1:]] + [until]
    for line, table, end in zip(story.lines, states, ends, strict=True):
        if end > line.at:
            yield Moment(line, table, awaited(game, table), end)


def stops(story: Story, until: int) -> list[Stop]:
    """Give all stops in order; one that still lasts ends at `until`."""
    found: list[Stop] = []
    suspended: Line | None = None
    for line in story.lines:
        match line.fact:
            case e.DowntimeCredited(from_ms, to_ms):
                found.append(Stop(line.number, from_ms, to_ms, "nobody served the table"))
            case e.TableSuspended():
                suspended = line
            case e.TableResumed() | e.TableVoided() if suspended is not None:
                found.append(Stop(line.number, suspended.at, line.at, "the table was stopped"))
                suspended = None
            case _:
                continue
    if suspended is not None:
        found.append(Stop(suspended.number, suspended.at, until, "the table is stopped"))
    return sorted(found, key=lambda stop: stop.from_ms)


def stopped_ms(stopped: Sequence[Stop], from_ms: int, to_ms: int) -> int:
    """Give how much of a span lies in stops."""
    return sum(max(0, min(to_ms, stop.to_ms) - max(from_ms, stop.from_ms)) for stop in stopped)


def limits(table: Table, ask: Ask[Any]) -> Limits:
    """Give the limits of a question, counted from its raising without stops."""
    times = due(table, ask.clock)
    if times.deadline is None or times.takeover is None:
        return Limits(ENDLESS_MS, ENDLESS_MS)
    since = table.raised_at + table.credit_ms
    return Limits(times.deadline - since, times.takeover - since)


def shares(stopped: Sequence[Stop], moment: Moment, ask: Ask[Any]) -> list[Span]:
    """Give how the time of a moment went for one question: thinking, grace, computer."""
    table, line = moment.table, moment.line
    begun = line.at - table.raised_at - stopped_ms(stopped, table.raised_at, line.at)
    ended = begun + moment.until - line.at - stopped_ms(stopped, line.at, moment.until)
    if stand_in(table, ask.seat) is not None:
        return [Span("computer", (), ended - begun)]
    thinking_ms, takeover_ms = limits(table, ask)
    bounds = (("thinking", 0, thinking_ms), ("grace", thinking_ms, takeover_ms))
    spans = [
        Span(what, (ask.seat,), max(0, min(ended, last) - max(begun, first)))
        for what, first, last in bounds
    ]
    return [*spans, Span("computer", (), ended - begun - sum(span.ms for span in spans))]


def spans(stopped: Sequence[Stop], moment: Moment) -> list[Span]:
    """Give what a moment's time went into: every millisecond into one thing."""
    still_ms = stopped_ms(stopped, moment.line.at, moment.until)
    live_ms = moment.until - moment.line.at - still_ms
    phase = moment.table.phase
    if phase == "suspended":
        return [Span("stopped", (), still_ms)]
    found = [Span("downtime", (), still_ms)]
    if phase != "playing":
        return [*found, Span("gathering", (), live_ms)]
    if isinstance(moment.waiting, Pause):
        return [*found, Span("summary", (), live_ms)]
    assert moment.waiting is not None, "somebody is always awaited"
    people = [ask for ask in asked(moment.waiting) if stand_in(moment.table, ask.seat) is None]
    if not people:
        return [*found, Span("computer", (), live_ms)]
    seats = tuple(sorted({ask.seat for ask in people}))
    # Questions that are open at once run under one clock.
    first = shares(stopped, moment, people[0])
    return found + [Span(span.what, seats if span.seats else (), span.ms) for span in first]
