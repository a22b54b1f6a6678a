"""Decisions of operators: a stopped table goes on, or any table ends without a result."""

from __future__ import annotations

from typing import assert_never

from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table import events as e
from domain.table.case import Case, Decided, ended, plain, unknown
from domain.table.starting import call_off
from domain.table.state import ENDED


def decide(case: Case, command: c.OfOperators) -> Decided:
    """Decide a command of an operator, whose reason everybody may read; raises Refused."""
    table = case.table
    if table.phase == "new":
        raise unknown()
    if table.phase in ENDED:
        raise ended(table)
    match command:
        case c.Unsuspend(why):
            return _unsuspend(case, why)
        case c.Void(why):
            return plain(case, *call_off(table), e.TableVoided(why), e.SeedRevealed(table.seed))
    assert_never(command)


def _unsuspend(case: Case, why: str) -> Decided:
    """Let the table go on where it stood: nothing of what failed was stored."""
    if case.table.phase != "suspended":
        raise Refused(Code.NOT_SUSPENDED, "The table is not stopped; it needs no operator.")
    decided = plain(case, e.TableResumed(why))
    table = decided.table
    waiting = case.game.waiting(table.play) if table.phase == "playing" else None
    return Decided(decided.facts, table, waiting)
