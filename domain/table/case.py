"""One command on one table: what it needs to be decided, and how its facts are joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from domain.kernel import (
    SETTLE_MAX,
    AnyGame,
    Cards,
    Over,
    Pause,
    Resumed,
    Settled,
    Shuffle,
    Waiting,
    settle,
)
from domain.refusals import Code, Refused
from domain.table import events as e
from domain.table.state import Table, attending, fold

FACTS_MAX = 2 * SETTLE_MAX
"""More facts than this in one append can only be a fault of the rules."""
FairShuffle: TypeAlias = Callable[[str, str, tuple[str, ...], int, Cards], Cards]
"""(seed, table id, client seeds, number of the shuffle, cards) -> the order (contracts/fairness)."""


class Actor(Struct, frozen=True, gc=False):
    """Who sends a command and when (ms); guests are not `registered`."""

    player: str
    at: int
    registered: bool = True
    test: bool = False


class House(Struct, frozen=True, gc=False):
    """What the house adds: how it shuffles, and for a new table its secret seed (hex).

    `successor` is the id of the table that follows this one when its people play again.
    """

    shuffle: FairShuffle
    seed: str = ""
    commitment: str = ""
    successor: str = ""


class Case(Struct, frozen=True, gc=False):
    """A command's surroundings; `waiting` is who is awaited at `table` (see `awaited`)."""

    game: AnyGame
    table: Table
    waiting: Waiting[Any] | None
    actor: Actor
    house: House

    @property
    def at(self) -> int:
        """The time of the facts: it never runs backwards within a table (ms)."""
        return max(self.actor.at, self.table.at)


class Decided(Struct, frozen=True, gc=False):
    """The facts of an accepted command (none if it was fulfilled already), and what follows.

    `opened` is what the same command decides for the table that follows this one: both are stored
    in one unit.
    """

    facts: tuple[Any, ...]
    table: Table
    waiting: Waiting[Any] | None
    opened: Decided | None = None


def unchanged(case: Case) -> Decided:
    """Accept a command that was fulfilled already."""
    return Decided((), case.table, case.waiting)


def person(actor: Actor, place: int) -> e.Occupant:
    """Give who acts as one who sits at a place."""
    return e.Occupant(actor.player, "person" if actor.registered else "guest", place)


def close(table: Table, reason: Literal["empty", "expired"]) -> tuple[Any, ...]:
    """Give the facts with which a table closes before its game."""
    return (e.TableCancelled(reason), e.SeedRevealed(table.seed))


def plain(case: Case, *facts: Any) -> Decided:
    """Accept with table facts that leave the game where it is."""
    table = fold(case.game, case.table, [(case.at, fact) for fact in facts])
    return Decided(facts, table, case.waiting if table.phase == "playing" else None)


def shuffler(case: Case, table: Table) -> Shuffle:
    """Count the house's shuffles: number k gives the same order however often it is asked for."""
    number = table.shuffles

    def shuffle(cards: Cards) -> Cards:
        nonlocal number
        number += 1
        return case.house.shuffle(table.seed, table.table_id, table.client_seeds, number, cards)

    return shuffle


def resume(case: Case, pause: Pause, *before: Any) -> Decided:
    """End a pause, after the table facts `before`."""
    ready = fold(case.game, case.table, [(case.at, fact) for fact in before])
    shuffle = shuffler(case, ready)
    settled = settle(case.game, ready.play, (Resumed(pause.kind),), shuffle)
    return moved(case, ready, before, settled, shuffle)


def moved(
    case: Case, ready: Table, before: tuple[Any, ...], settled: Settled[Any, Any], shuffle: Shuffle
) -> Decided:
    """Join the table's and the game's facts; skip a pause nobody is there for; end the game.

    `ready` is the table after the facts `before`.
    """
    game, table = case.game, case.table
    facts = before + settled.facts
    while isinstance(settled.waiting, Pause) and not attending(ready):
        assert len(facts) < FACTS_MAX, f"{game.name}: pauses without end"
        resumed = (Resumed(settled.waiting.kind),)
        settled = settle(game, settled.state, resumed, shuffle)
        facts += settled.facts
    if isinstance(settled.waiting, Over):
        facts += (_finished(ready, settled.waiting), e.SeedRevealed(ready.seed))
    after = fold(game, table, [(case.at, fact) for fact in facts], settled.state)
    return Decided(facts, after, settled.waiting if after.phase == "playing" else None)


def _finished(ready: Table, over: Over) -> e.GameFinished:
    return e.GameFinished(
        over.ranks,
        over.scores,
        over.leaderboard_base,
        ready.seats,
        ready.game,
        ready.started_at,
        ready.rules.min_game_s,
        ready.staked,
    )


def ended(table: Table) -> Refused:
    """Refuse because the table takes no commands any more."""
    if table.phase == "suspended":
        sentence = "The table is stopped after a fault; an operator looks at it."
        return Refused(Code.SUSPENDED, sentence)
    return Refused(Code.FINISHED, "This table is over; go to another one.", table.successor)


def unknown() -> Refused:
    """Refuse because nobody ever opened the table."""
    return Refused(Code.UNKNOWN_TABLE, "There is no such table; look at the open ones.")


def must_gather(table: Table) -> None:
    """Refuse unless people sit down at the table."""
    match table.phase:
        case "gathering":
            return
        case "new":
            raise unknown()
        case "starting":
            raise Refused(Code.STARTING, "The stakes are being collected; wait a moment.")
        case "playing":
            raise Refused(Code.NOT_GATHERING, "The game has begun; pick another table.")
        case _:
            raise ended(table)
