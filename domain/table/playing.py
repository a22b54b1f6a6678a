"""Decisions while the game runs: moves of people and computers, "Weiter", Turbo, leaving, time."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain.kernel import Ask, DecidedBy, Over, Pause, act, asked
from domain.options import admits
from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table import events as e
from domain.table.case import (
    Case,
    Decided,
    ended,
    moved,
    plain,
    resume,
    shuffler,
    unchanged,
    unknown,
)
from domain.table.clocks import decided_by, due
from domain.table.state import Table, attending, persons, seat_of


def play(case: Case, command: c.Play) -> Decided:
    """Answer a question for the person's own seat."""
    return _answer(case, _own_questions(case), command, "human")


def advisable(case: Case, prompt: int, part: str) -> Ask[Any]:
    """Give the person's own question that Rat may answer; raises Refused (TABLE-A07).

    Where a question in play and an offer have one number and part, it is the question.
    """
    open_parts = [ask for number, ask in _own_questions(case) if number == prompt]
    if not open_parts:
        raise _stale()
    asks = [ask for ask in open_parts if ask.part == part]
    if not asks:
        names = ", ".join([f'"{ask.part}"' for ask in open_parts])
        raise Refused(Code.NOT_OFFERED, f"That part is not asked; its question has {names} open.")
    others = len(persons(case.table)) > 1
    if others and (case.game.rat == "alone" or case.table.rules.stake):
        raise Refused(Code.NO_RAT, "Rat is not given here while other people play.")
    return asks[0]


def decide_for(case: Case, command: c.Decide) -> Decided:
    """Answer for a seat that the computer plays, or whose time has run out."""
    must_play(case.table)
    now, table = case.actor.at, case.table
    for_seat = [each for each in numbered(case) if each[1].seat == command.seat]
    mine = [each for each in for_seat if decided_by(table, each[1], now) != "human"]
    if not mine:
        raise Refused(Code.NOT_YOUR_TURN, "No computer is asked for this seat now.")
    return _answer(case, mine, command, decided_by(table, mine[0][1], now))


def go_on(case: Case, command: c.GoOn) -> Decided:
    """Note a "Weiter"; the last one ends the pause."""
    seat = own_seat(case)
    if not isinstance(case.waiting, Pause) or command.prompt != case.table.raised:
        raise Refused(Code.STALE_PROMPT, "That summary is closed; play goes on.")
    if seat in case.table.gone_on:
        return unchanged(case)
    if others_look(case.table, seat):
        return plain(case, e.WentOn(seat))
    return resume(case, case.waiting, e.WentOn(seat))


def leave(case: Case) -> Decided:
    """Hand the person's seat to the computer for the rest of the game (TABLE-R06)."""
    seat = own_seat(case)
    others = any(
        occupant.kind != "computer" and occupant.player != case.actor.player
        for occupant in case.table.seats
    )
    left = e.PlayerLeft(seat, case.actor.player, others)
    if isinstance(case.waiting, Pause) and not others_look(case.table, seat):
        return resume(case, case.waiting, left)
    return plain(case, left)


def set_turbo(case: Case, command: c.Turbo) -> Decided:
    """Change the computers' pace from the open question on, where no other person looks on."""
    seat = own_seat(case)
    if set(persons(case.table)) - {seat}:
        sentence = "Turbo is for whoever plays with computers alone; here the tempo holds."
        raise Refused(Code.NOT_SOLO, sentence)
    if command.on == case.table.turbo:
        return unchanged(case)
    return plain(case, e.TurboSet(command.on))


def pass_time(case: Case) -> Decided:
    """End a pause whose clock has run out, or that nobody looks at."""
    if isinstance(case.waiting, Pause):
        end = due(case.table, "summary").takeover
        if not attending(case.table) or (end is not None and case.actor.at >= end):
            return resume(case, case.waiting)
    return unchanged(case)


def credit(case: Case, command: c.Credit) -> Decided:
    """Give back a span without an owner, as far as it is not given yet and it counted.

    It counts for a clock that runs, and against a seat that is offline.
    """
    table = case.table
    counts = table.rules.thinking_s or any(
        not each.substituted and each.since_ms < command.to_ms for each in table.absent
    )
    since = max(command.from_ms, table.raised_at, table.credited_to)
    if table.phase != "playing" or not counts or command.to_ms <= since:
        return unchanged(case)
    return plain(case, e.DowntimeCredited(since, command.to_ms))


def suspend(case: Case, reason: str) -> Decided:
    """Stop a table that still lives; everybody may read `reason`."""
    if case.table.phase not in {"gathering", "starting", "playing"}:
        return unchanged(case)
    return plain(case, e.TableSuspended(reason))


def numbered(case: Case) -> tuple[tuple[int, Ask[Any]], ...]:
    """Give every open question with the number that its answer must name."""
    if case.waiting is None or isinstance(case.waiting, Over):
        return ()
    table = case.table
    in_play = tuple((table.raised, ask) for ask in asked(case.waiting))
    return in_play + tuple((table.offers_raised, ask) for ask in case.game.offers(table.play))


def must_play(table: Table) -> None:
    """Refuse unless the game is running."""
    match table.phase:
        case "playing":
            return
        case "new":
            raise unknown()
        case "gathering" | "starting":
            raise Refused(Code.NOT_PLAYING, "The game has not begun; wait for the start.")
        case _:
            raise ended(table)


def _answer(
    case: Case, mine: list[tuple[int, Ask[Any]]], command: c.Play | c.Decide, by: DecidedBy
) -> Decided:
    current = [ask for number, ask in mine if number == command.prompt]
    if not current:
        raise _stale()
    ask = next((each for each in current if admits(each.options, command.move)), None)
    if ask is None:
        raise Refused(Code.NOT_OFFERED, "That move was not offered; pick one of the options.")
    chosen = case.game.chosen_type(ask.seat, command.prompt, command.move, by, ask.part)
    if isinstance(command, c.Decide):
        chosen = replace(
            chosen,
            strategy=command.strategy,
            strategy_version=command.strategy_version,
            rng_seed=command.rng_seed,
        )
    shuffle = shuffler(case, case.table)
    settled = act(case.game, case.table.play, ask, command.move, shuffle)
    return moved(case, case.table, (chosen,), settled, shuffle)


def own_seat(case: Case) -> int:
    """Give the seat of whoever acts; raises Refused when he has none."""
    must_play(case.table)
    seat = seat_of(case.table, case.actor.player)
    if seat is None:
        raise Refused(Code.NOT_SEATED, "You do not play at this table; you can watch it.")
    return seat


def _own_questions(case: Case) -> list[tuple[int, Ask[Any]]]:
    seat = own_seat(case)
    mine = [each for each in numbered(case) if each[1].seat == seat]
    if not mine:
        raise Refused(Code.NOT_YOUR_TURN, "You are not asked now; wait for your prompt.")
    return mine


def _stale() -> Refused:
    return Refused(Code.STALE_PROMPT, "That question is closed; answer the newest prompt.")


def others_look(table: Table, seat: int) -> bool:
    """Tell whether somebody on another seat still looks at the summary."""
    return bool(set(attending(table)) - table.gone_on - {seat})
