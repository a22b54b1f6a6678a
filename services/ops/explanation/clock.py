"""Where a table's time went, to the millisecond (TABLE-R01): questions, summaries, stops, sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from services.ops.wording import aligned, bold, clock

_TOLD: Final = {
    "gathering": "waiting for the start",
    "thinking": "thinking",
    "grace": "grace after the clock",
    "computer": "computers and their pauses",
    "summary": "summaries",
    "downtime": "nobody served the table",
    "stopped": "the table was stopped",
}


class Part(Struct, frozen=True):
    """All the time that went into one thing; for thinking and grace, of these seats at once."""

    what: str
    seats: tuple[int, ...]
    ms: int


class Answered(Struct, frozen=True):
    """One question: how long which clock ran, what was given back (facts `credits`), who answered.

    `by` is human, computer, timeout or substitute; "" while it is open, "void" if it was never
    answered. `after_ms` counts from its raising and is the sum of the four before it.
    """

    number: int
    seat: int
    part: str
    kind: str
    raised_at: int
    thinking_ms: int
    grace_ms: int
    computer_ms: int
    credit_ms: int
    credits: tuple[int, ...]
    after_ms: int
    by: str


class Summary(Struct, frozen=True):
    """One summary; `clicks` are (seat, ms after its raising).

    `by` says what ended it: people, clock, nobody (there was none to look at it), "" still open.
    """

    number: int
    kind: str
    raised_at: int
    after_ms: int
    clicks: tuple[tuple[int, int], ...]
    by: str


class SeatTime(Struct, frozen=True):
    """One seat's sums over its questions; where several think at once, each has the time."""

    seat: int
    player: str
    questions: int
    thinking_ms: int
    grace_ms: int
    longest_ms: int
    timeouts: int
    substituted: int


class StopTime(Struct, frozen=True):
    """A span that counted for no clock, and the fact that says so."""

    fact: int
    from_ms: int
    to_ms: int
    why: str


class ClockAccount(Struct, frozen=True):
    """All of a table's time from its opening; times in ms since the epoch, spans in ms.

    `parts` add up to `total_ms`. A running table is accounted for until now. `sound` is False when
    anything does not add up.
    """

    table: str
    game: str
    thinking_s: int
    opened_at: int
    until: int
    total_ms: int
    parts: tuple[Part, ...]
    seats: tuple[SeatTime, ...]
    stops: tuple[StopTime, ...]
    questions: tuple[Answered, ...]
    summaries: tuple[Summary, ...]
    sound: bool


def lines(account: ClockAccount) -> list[str]:
    """Give the account for people."""
    players = [each.player for each in account.seats]
    thinking = f"{account.thinking_s} s a question" if account.thinking_s else "no clock"
    begun, ended = clock(account.opened_at, date=True), clock(account.until, date=True)
    told = [
        bold(f"{account.game} at table {account.table}: {thinking}"),
        f"{_s(account.total_ms)} s from {begun} to {ended}",
        "",
        *_parts(account, players),
        "",
        *_seats(account),
    ]
    if account.stops:
        told += ["", *_stops(account)]
    if account.questions:
        told += ["", *_asked(account, players)]
    if account.summaries:
        told += ["", *_shown(account)]
    return told if account.sound else [*told, "", "this does not add up: see `logbuch verify`"]


def _parts(account: ClockAccount, players: Sequence[str]) -> list[str]:
    rows = [
        (
            f"{_TOLD[each.what]} {' and '.join(players[seat] for seat in each.seats)}".rstrip(),
            _s(each.ms),
            f"{100 * each.ms / max(1, account.total_ms):.1f} %",
        )
        for each in account.parts
    ]
    return _table(("TIME FOR", "SECONDS", "SHARE"), [*rows, ("total", _s(account.total_ms), "")])


def _seats(account: ClockAccount) -> list[str]:
    head = ("SEAT", "QUESTIONS", "THINKING", "GRACE", "LONGEST", "TIME-OUTS", "SUBSTITUTED")
    rows = [
        (
            f"{each.seat} {each.player}",
            str(each.questions),
            *map(_s, (each.thinking_ms, each.grace_ms, each.longest_ms)),
            str(each.timeouts),
            str(each.substituted),
        )
        for each in account.seats
    ]
    return _table(head, rows)


def _stops(account: ClockAccount) -> list[str]:
    rows = [
        (str(each.fact), clock(each.from_ms), _s(each.to_ms - each.from_ms), each.why)
        for each in account.stops
    ]
    return _table(("FACT", "GIVEN BACK FROM", "SECONDS", "WHY"), rows)


def _asked(account: ClockAccount, players: Sequence[str]) -> list[str]:
    head = ("QUESTION", "SEAT", "KIND", "RAISED", "THINKING", "GRACE", "COMPUTER", "BACK", "BY")
    rows = [
        (
            str(each.number),
            f"{each.seat} {players[each.seat]}",
            f"{each.kind} {each.part}".rstrip(),
            clock(each.raised_at),
            *map(_s, (each.thinking_ms, each.grace_ms, each.computer_ms, each.credit_ms)),
            each.by or "still open",
        )
        for each in account.questions
    ]
    return _table(head, rows)


def _shown(account: ClockAccount) -> list[str]:
    rows = [
        (
            str(each.number),
            each.kind,
            clock(each.raised_at),
            _s(each.after_ms),
            ", ".join(f"{seat} after {_s(ms)}" for seat, ms in each.clicks) or "-",
            each.by or "still open",
        )
        for each in account.summaries
    ]
    return _table(("SUMMARY", "KIND", "RAISED", "SECONDS", "WEITER", "ENDED BY"), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    first, *others = aligned([head, *rows])
    return [bold(first), *others]


def _s(ms: int) -> str:
    return f"{ms / 1000:.3f}"
