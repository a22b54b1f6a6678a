"""What a game brought whom on its leaderboard, number by number (TABLE-R03)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from contracts.subjects import is_registered
from domain.entering import LEAVER_POINTS, MINIMUM_TIME, SeatPoints, seat_points
from domain.table.events import GameFinished, PlayerLeft, TableCancelled, TableVoided
from services.kit.store.database import Database
from services.ops.explanation.story import Line, Story
from services.ops.wording import aligned, bold

_BASES: Final = {
    "speeddive": "the final total",
    "speedclimb": "100 x completed camps or stages / all of them, rounded half up",
    "snorkeling": "the final total",
    "speeddrill": "the final total, of both colours where there are two",
}
_NO_RESULT: Final = {
    "open": "the game is not over",
    "cancelled": "the table was closed before any game",
    "voided": "an operator ended the table without a result",
}
_ROHSTOFFE: Final = "0.6 x the final total, rounded half up"


class SeatScore(Struct, frozen=True):
    """One seat: `entered` are its points on the leaderboard, null without an entry.

    `fact` is the number of the table's fact that decided it, 0 while nothing has.
    """

    seat: int
    player: str
    kind: str
    rank: int | None
    score: int | None
    base: int | None
    bonus: int | None
    entered: int | None
    why: str
    fact: int


class ScoreAccount(Struct, frozen=True):
    """All seats of a game; times in ms. `minimum_s` is 0 for games without a shortest time.

    `finished` is the number of the fact with the result, 0 where there is none: `state` says
    whether there may still be one. `base_is` says what the base is made of.
    """

    table: str
    game: str
    state: Literal["open", "finished", "cancelled", "voided"]
    finished: int
    took_ms: int
    minimum_s: int
    base_is: str
    seats: tuple[SeatScore, ...]
    sound: bool = True


async def explain(_database: Database, story: Story) -> ScoreAccount:
    """Account for the points of every seat, from the facts alone."""
    left = {line.fact.seat: line for line in story.lines if isinstance(line.fact, PlayerLeft)}
    end = next((line for line in story.lines if isinstance(line.fact, GameFinished)), None)
    opened = story.opened
    if end is None:
        seats = tuple(_leaver(line) for _, line in sorted(left.items()))
        state = _without_result(story)
        return ScoreAccount(story.table, opened.game, state, 0, 0, 0, _base_is(story), seats)
    result: GameFinished = end.fact
    return ScoreAccount(
        story.table,
        opened.game,
        "finished",
        end.number,
        end.at - result.started_ms,
        result.min_game_s if opened.game in MINIMUM_TIME else 0,
        _base_is(story),
        tuple(_seat(each, result, end, left) for each in seat_points(result, end.at)),
    )


def lines(account: ScoreAccount) -> list[str]:
    """Give the account for people."""
    head = bold(f"{account.game} at table {account.table}: points on the leaderboard")
    if not account.finished:
        return [head, f"{_NO_RESULT[account.state]}; only who left has an entry", *_table(account)]
    took = f"the game took {account.took_ms / 1000:.1f} s"
    rule = f"; under {account.minimum_s} s it is not entered" if account.minimum_s else ""
    result = f"result: fact {account.finished}; {took}{rule}"
    return [head, result, f"base: {account.base_is}", *_table(account)]


def _without_result(story: Story) -> Literal["open", "cancelled", "voided"]:
    for line in story.lines:
        match line.fact:
            case TableCancelled():
                return "cancelled"
            case TableVoided():
                return "voided"
    return "open"


def _table(account: ScoreAccount) -> list[str]:
    head = ["SEAT", "PLAYER", "PLACE", "SCORE", "BASE", "BONUS", "ENTERED", "FACT", "WHY"]
    rows = [
        [
            str(each.seat),
            each.player,
            *map(_number, (each.rank, each.score, each.base, each.bonus, each.entered)),
            str(each.fact),
            each.why,
        ]
        for each in account.seats
    ]
    return aligned([head, *rows]) if rows else []


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _base_is(story: Story) -> str:
    if story.opened.options.get("mode") == "ROHSTOFFE":
        return _ROHSTOFFE
    return _BASES.get(story.opened.game, "as the game says")


def _seat(each: SeatPoints, result: GameFinished, end: Line, left: Mapping[int, Line]) -> SeatScore:
    occupant = result.seats[each.seat]
    if each.seat in left and occupant.left:
        leaver = _leaver(left[each.seat])
        entered, why, fact = leaver.entered, leaver.why, leaver.fact
    elif each.why_not:
        entered, why, fact = None, each.why_not, end.number
    else:
        bonus = f"{each.bonus} for place {each.rank} of {len(result.seats)}"
        entered, why, fact = each.points, f"base {each.base} and {bonus}", end.number
    return SeatScore(
        each.seat,
        each.player,
        occupant.kind,
        each.rank,
        result.scores[each.seat],
        each.base,
        each.bonus,
        entered,
        why,
        fact,
    )


def _leaver(line: Line) -> SeatScore:
    fact: PlayerLeft = line.fact
    registered = is_registered(fact.player)
    if not registered:
        entered, why = None, "a guest left; guests get no entries"
    elif fact.others:
        entered, why = LEAVER_POINTS, "left other people before the end, and gets nothing else"
    else:
        entered, why = None, "left before the end; no other person took part, so it costs nothing"
    kind = "person" if registered else "guest"
    nothing = (None,) * 4
    return SeatScore(fact.seat, fact.player, kind, *nothing, entered, why, line.number)
