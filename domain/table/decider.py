"""Decides commands: the facts that follow, or a refusal that changes nothing."""

from __future__ import annotations

from typing import Any, assert_never

from domain.kernel import AnyGame, Waiting
from domain.table import commands as c
from domain.table import gathering, operating, playing, presence, rematch, starting
from domain.table.case import Case, Decided
from domain.table.state import Table


def awaited(game: AnyGame, table: Table) -> Waiting[Any] | None:
    """Give who is awaited in the running game, None when none is running."""
    return game.waiting(table.play) if table.phase == "playing" else None


def decide(case: Case, command: c.Command) -> Decided:
    """Decide one command on one table; raises Refused, and then nothing has changed."""
    before_game = case.table.phase in {"gathering", "starting"}
    match command:
        case c.Play():
            return playing.play(case, command)
        case c.Decide():
            return playing.decide_for(case, command)
        case c.GoOn():
            return playing.go_on(case, command)
        case c.Turbo():
            return playing.set_turbo(case, command)
        case c.Tick():
            return gathering.pass_time(case) if before_game else playing.pass_time(case)
        case c.Open() | c.Reopen() | c.Again() | c.Join() | c.Start() | c.Collect():
            return _seat(case, command)
        case c.Leave():
            return gathering.get_up(case) if before_game else playing.leave(case)
        case c.Credit():
            return playing.credit(case, command)
        case c.Suspend(reason):
            return playing.suspend(case, reason)
        case _:
            return _beside(case, command)


def _beside(case: Case, command: c.OfPresence | c.OfOperators) -> Decided:
    match command:
        case c.NoteOffline() | c.NoteBack() | c.Substitute():
            return presence.decide(case, command)
        case c.Unsuspend() | c.Void():
            return operating.decide(case, command)
    assert_never(command)


def _seat(
    case: Case, command: c.Open | c.Reopen | c.Again | c.Join | c.Start | c.Collect
) -> Decided:
    match command:
        case c.Reopen():
            return rematch.reopen(case, command)
        case c.Again():
            return rematch.again(case)
        case c.Open():
            return gathering.open_table(case, command)
        case c.Join():
            return gathering.join(case, command)
        case c.Start():
            return starting.start(case, command)
        case c.Collect():
            return starting.collect(case, command)
    assert_never(command)
