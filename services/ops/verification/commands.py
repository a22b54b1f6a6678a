"""Which command must have led to the facts that follow a position: it can then be decided again."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from msgspec import Struct

from domain.kernel import Chosen, Resumed
from domain.table import commands as c
from domain.table import events as e
from domain.table.state import Table, place_of


class Line(Struct, frozen=True, gc=False):
    """One stored fact, decoded: its number, time (ms), author and content."""

    number: int
    at: int
    by: str
    fact: Any


def command_before(table: Table, lines: list[Line], at: int) -> c.Command | None:
    """Give the command that led from `table` to `lines[at:]`; None if no command begins so."""
    fact = lines[at].fact
    match fact:
        case Chosen():
            return _move(fact)
        case e.WentOn():
            return c.GoOn(table.raised)
        case e.TurboSet(on):
            return c.Turbo(on)
        case Resumed() | e.TableCancelled():
            return c.Tick()
        case e.SeatFreed() | e.PlayerLeft():
            return c.Leave()
        case e.DowntimeCredited(from_ms, to_ms):
            return c.Credit(from_ms, to_ms)
        case e.TableSuspended(reason):
            return c.Suspend(reason)
        case _:
            return _seating(table, lines, at) or _beside(lines, at)


def _opening(lines: list[Line], at: int) -> c.Command:
    """Tell a table that somebody opened from one that follows another and keeps its places."""
    fact = lines[at].fact
    opening = c.Open(fact.game, fact.options, fact.rules)
    if not fact.former:
        return opening
    facts = [line.fact for line in lines[at:]]
    place = next((each.occupant.place for each in facts if isinstance(each, e.SeatTaken)), 0)
    kept = tuple((each.place, each.player) for each in facts if isinstance(each, e.SeatHeld))
    return c.Reopen(opening, fact.former, place, kept)


def _called_off(lines: list[Line], at: int) -> c.Command:
    """Tell by the next fact why a start was left: somebody got up, an operator, or time."""
    match lines[at].fact if at < len(lines) else None:
        case e.SeatFreed():
            return c.Leave()
        case e.TableVoided(why):
            return c.Void(why)
        case _:
            return c.Tick()


def _move(fact: Chosen[Any]) -> c.Command:
    if fact.decided_by == "human":
        return c.Play(fact.prompt, fact.move)
    how = (fact.strategy, fact.strategy_version, fact.rng_seed)
    return c.Decide(fact.seat, fact.prompt, fact.move, *how)


def _beside(lines: list[Line], at: int) -> c.Command | None:
    """Give what is no move in the game: about presence, and from operators."""
    match lines[at].fact:
        case e.SeatOffline():
            return _note_offline(lines[at:])
        case e.SeatBack(seat):
            return c.NoteBack(seat)
        case e.SeatSubstituted(seat):
            return c.Substitute(seat)
        case e.TableResumed(why):
            return c.Unsuspend(why)
        case e.TableVoided(why):
            return c.Void(why)
        case _:
            return None


def _note_offline(lines: list[Line]) -> c.NoteOffline:
    """Take together who was found to be offline at once."""
    found = [line.fact for line in takewhile(lambda line: _is_offline(line, lines[0]), lines)]
    return c.NoteOffline(tuple((fact.seat, fact.since_ms) for fact in found))


def _is_offline(line: Line, first: Line) -> bool:
    return isinstance(line.fact, e.SeatOffline) and line.at == first.at


def _seating(table: Table, lines: list[Line], at: int) -> c.Command | None:
    fact = lines[at].fact
    match fact:
        case e.TableOpened():
            return _opening(lines, at)
        case e.SuccessorOpened():
            return c.Again()
        case e.HoldEnded():
            return c.Leave() if lines[at].by == fact.player else c.Tick()
        case e.SeatTaken(occupant, client_seed) if occupant.kind != "computer":
            return c.Join(occupant.place, client_seed)
        case e.StartRequested():
            return c.Start(fact.client_seed)
        case e.StartCancelled():
            return _called_off(lines, at + 1)
        case e.StakesHeld(attempt):
            return c.Collect(attempt, held=True)
        case e.StakesDenied(attempt, short):
            return c.Collect(attempt, held=False, short=short)
        case e.SeatTaken() | e.ChanceSealed():
            return _start(table, lines, at)
        case _:
            return None


def _start(table: Table, lines: list[Line], at: int) -> c.Start:
    """Find the opener's own share of the chance among the sealed ones.

    The others' shares were stored when they joined; what is sealed beyond them is his.
    """
    own = place_of(table, lines[at].by)
    sealed = next((line.fact for line in lines[at:] if isinstance(line.fact, e.ChanceSealed)), None)
    if own is None or sealed is None:
        return c.Start()
    before = sum(bool(seed) for seed in table.place_seeds[:own])
    after = sum(bool(seed) for seed in table.place_seeds[own + 1 :])
    mine = sealed.client_seeds[before : len(sealed.client_seeds) - after]
    return c.Start(mine[0] if mine else "")
