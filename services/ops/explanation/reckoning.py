"""Adds up where a table's time went, from its facts alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

from domain.kernel import Ask, Chosen, Pause, Resumed, asked
from domain.table import events as e
from domain.table.decider import awaited
from domain.table.state import ENDED, Table
from services.kit.clock import now_ms
from services.kit.store.database import Database
from services.ops.explanation import timeline
from services.ops.explanation.clock import (
    Answered,
    ClockAccount,
    Part,
    SeatTime,
    StopTime,
    Summary,
)
from services.ops.explanation.story import Line, Story

_ORDER: Final = ("gathering", "thinking", "grace", "computer", "summary", "downtime", "stopped")


async def explain(_database: Database, story: Story) -> ClockAccount:
    """Account for the time of a table; raises Failure."""
    return account(story, now_ms())


def account(story: Story, now: int) -> ClockAccount:
    """Account for the time until the table's end, or until `now`; raises Failure."""
    return _Reckoning(story, now).account()


class _Reckoning:
    """One table's facts and states, and what its time was spent on."""

    def __init__(self, story: Story, now: int) -> None:
        self.game = timeline.game_of_story(story)
        states = timeline.tables(self.game, story)
        # What comes after the end, such as that the people play again, took no time of the table.
        count = next((n for n, each in enumerate(states, 1) if each.phase in ENDED), len(states))
        self.story, self.states = story._replace(lines=story.lines[:count]), states[:count]
        self.final = self.states[-1]
        last = self.story.lines[-1].at
        self.until = last if self.final.phase in ENDED else max(last, now)
        self.stops = timeline.stops(self.story, self.until)
        self.parts: Counter[tuple[str, tuple[int, ...]]] = Counter()
        self.spent: defaultdict[tuple[int, int, str], Counter[str]] = defaultdict(Counter)
        for moment in timeline.moments(self.game, self.story, self.states, self.until):
            self._spend(moment)

    def _spend(self, moment: timeline.Moment) -> None:
        """Book the time of a moment once as a whole, and to each question that was open in it."""
        for span in timeline.spans(self.stops, moment):
            self.parts[span.what, span.seats] += span.ms
        for ask in asked(moment.waiting) if moment.waiting is not None else ():
            for span in timeline.shares(self.stops, moment, ask):
                self.spent[moment.table.raised, ask.seat, ask.part][span.what] += span.ms

    def account(self) -> ClockAccount:
        story, begun = self.story, self.story.lines[0].at
        total = self.until - begun
        questions = tuple(self._questions())
        parts = sorted(self.parts.items(), key=_in_order)
        return ClockAccount(
            story.table,
            story.opened.game,
            story.opened.rules.thinking_s,
            begun,
            self.until,
            total,
            tuple(Part(*key, ms) for key, ms in parts if ms),
            tuple(_seat(self.final, seat, questions) for seat in range(len(self.final.seats))),
            tuple(StopTime(*stop) for stop in self.stops),
            questions,
            tuple(self._summaries()),
            sum(self.parts.values()) == total and all(map(_adds_up, questions)),
        )

    def _questions(self) -> Iterator[Answered]:
        """Yield every question in play, answered or not; standing offers have no clock."""
        for before, line in zip(self.states, self.story.lines[1:], strict=False):
            match line.fact:
                case Chosen(seat=seat, part=part, prompt=prompt, decided_by=by):
                    asks = [
                        ask for ask in self._open(before) if (ask.seat, ask.part) == (seat, part)
                    ]
                    if asks and prompt == before.raised:
                        yield self._row(before, asks[0], line.at, by)
                case e.TableVoided():
                    for ask in self._open(before):
                        yield self._row(before, ask, line.at, "void")
                case _:
                    continue
        for ask in self._open(self.final):
            yield self._row(self.final, ask, self.until, "")

    def _row(self, table: Table, ask: Ask[Any], ended_at: int, by: str) -> Answered:
        times, since = self.spent[table.raised, ask.seat, ask.part], table.raised_at
        within = [each for each in self.stops if timeline.stopped_ms([each], since, ended_at)]
        return Answered(
            table.raised,
            ask.seat,
            ask.part,
            ask.kind,
            since,
            times["thinking"],
            times["grace"],
            times["computer"],
            timeline.stopped_ms(within, since, ended_at),
            tuple(each.fact for each in within),
            ended_at - since,
            by,
        )

    def _open(self, table: Table) -> tuple[Ask[Any], ...]:
        """Give the questions in play, also of a table that is stopped."""
        if table.phase not in {"playing", "suspended"} or table.play is None:
            return ()
        return asked(self.game.waiting(table.play))

    def _summaries(self) -> Iterator[Summary]:
        clicks: list[tuple[int, int]] = []
        lines = self.story.lines
        for before, last, line in zip(self.states, lines, lines[1:], strict=False):
            if isinstance(line.fact, e.WentOn):
                clicks.append((line.fact.seat, line.at - before.raised_at))
            elif isinstance(line.fact, Resumed):
                after_ms, by = line.at - before.raised_at, _ended_by(before, last, line)
                kind, shown = line.fact.kind, before.raised_at
                yield Summary(before.raised, kind, shown, after_ms, tuple(clicks), by)
                clicks.clear()
        waiting = awaited(self.game, self.final)
        if isinstance(waiting, Pause):
            raised_at = self.final.raised_at
            after_ms = self.until - raised_at
            yield Summary(self.final.raised, waiting.kind, raised_at, after_ms, tuple(clicks), "")


def _in_order(item: tuple[tuple[str, tuple[int, ...]], int]) -> tuple[int, int, tuple[int, ...]]:
    (what, seats), _ = item
    return _ORDER.index(what), len(seats), seats


def _ended_by(before: Table, last: Line, line: Line) -> str:
    """Say what ended a summary: what people did and its end are one append."""
    if isinstance(last.fact, e.WentOn | e.PlayerLeft | e.SeatSubstituted) and last.at == line.at:
        return "people"
    return "clock" if line.at > before.raised_at else "nobody"


def _seat(table: Table, seat: int, questions: Sequence[Answered]) -> SeatTime:
    mine = [each for each in questions if each.seat == seat]
    return SeatTime(
        seat,
        table.seats[seat].player,
        len(mine),
        sum(each.thinking_ms for each in mine),
        sum(each.grace_ms for each in mine),
        max((each.thinking_ms + each.grace_ms for each in mine), default=0),
        sum(each.by == "timeout" for each in mine),
        sum(each.by == "substitute" for each in mine),
    )


def _adds_up(each: Answered) -> bool:
    used_ms = each.thinking_ms + each.grace_ms + each.computer_ms
    return used_ms + each.credit_ms == each.after_ms
