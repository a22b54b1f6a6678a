"""Decisions before the game: open, sit down, get up, start."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import ValidationError, convert, to_builtins

from domain.kernel import begin
from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table import events as e
from domain.table.case import (
    Actor,
    Case,
    Decided,
    ended,
    moved,
    plain,
    shuffler,
    unchanged,
    unknown,
)
from domain.table.clocks import EXPIRY_MS
from domain.table.state import Table, fold, place_of

MIN_GAME_S = e.TableRules(places=0).min_game_s


def open_table(case: Case, command: c.Open) -> Decided:
    """Open the table with its opener on the first place, and commit to the house's seed."""
    if case.table.phase != "new":
        raise Refused(Code.NOT_GATHERING, "This table is open already; open another one.")
    game, rules, actor = case.game, command.rules, case.actor
    try:
        options = to_builtins(convert(command.options, game.options_type))
    except ValidationError as error:
        raise Refused(Code.BAD_OPTIONS, f"The options do not fit {game.name}: {error}.") from None
    if not game.seats_min <= rules.places <= game.seats_max:
        sentence = f"{game.name} is played on {game.seats_min} to {game.seats_max} places."
        raise Refused(Code.BAD_OPTIONS, sentence)
    if not 1 <= len(rules.strengths) <= rules.places:
        raise Refused(Code.BAD_OPTIONS, "Name one strength, or one for each computer.")
    if rules.min_game_s != MIN_GAME_S and not actor.test:
        raise Refused(Code.BAD_OPTIONS, "Only test players may change `min_game_s`; leave it out.")
    if rules.tempo == "sofort" and not actor.test:
        raise Refused(Code.BAD_OPTIONS, "Only test players play without pauses; take `schnell`.")
    _may_stake(actor, rules)
    return plain(
        case,
        # All options are stored: the defaults of a later version do not change this game.
        e.TableOpened(command.game, options, rules, actor.player),
        e.SeedDrawn(case.house.commitment, case.house.seed),
        e.SeatTaken(_person(actor, 0)),
    )


def join(case: Case, command: c.Join) -> Decided:
    """Seat a person; whoever sits already keeps his seat."""
    table = case.table
    _must_gather(table)
    if place_of(table, case.actor.player) is not None:
        return unchanged(case)
    free = [place for place, occupant in enumerate(table.places) if occupant is None]
    _may_stake(case.actor, table.rules)
    place = command.place if command.place is not None else next(iter(free), None)
    if place is not None and not 0 <= place < len(table.places):
        sentence = f"The table has places 0 to {len(table.places) - 1}."
        raise Refused(Code.BAD_OPTIONS, sentence)
    if place is None or place not in free:
        raise Refused(Code.TABLE_FULL, "That seat is taken; pick a free one or another table.")
    return plain(case, e.SeatTaken(_person(case.actor, place), command.client_seed))


def start(case: Case, command: c.Start) -> Decided:
    """Fill free places with computers if the rules say so, seal chance and begin the game."""
    game, table = case.game, case.table
    _must_gather(table)
    own = place_of(table, case.actor.player)
    if own is None:
        raise Refused(Code.NOT_SEATED, "You have no seat at this table; join it first.")
    if case.actor.player != table.opener:
        raise Refused(Code.NOT_OPENER, f"Only {table.opener}, who opened the table, starts it.")
    facts: list[Any] = list(_computers(table)) if table.rules.computers else []
    seated = sum(occupant is not None for occupant in table.places) + len(facts)
    if seated < game.seats_min:
        sentence = f"{game.name} needs {game.seats_min} players; wait for others or add computers."
        raise Refused(Code.TOO_FEW_SEATS, sentence)
    full = fold(game, table, [(case.at, fact) for fact in facts])
    seats = tuple(occupant for occupant in full.places if occupant is not None)
    own_seed = command.client_seed or full.place_seeds[own]
    seeds = (*full.place_seeds[:own], own_seed, *full.place_seeds[own + 1 :])
    facts.append(e.ChanceSealed(tuple(seed for seed in seeds if seed)))
    facts.append(e.GameStarted(game.rules_version, seats))
    ready = fold(game, table, [(case.at, fact) for fact in facts])
    options = convert(table.options, game.options_type)
    shuffle = shuffler(case, ready)
    begun = begin(game, options, tuple(seat.place for seat in seats), shuffle)
    return moved(case, ready, tuple(facts), begun, shuffle)


def get_up(case: Case) -> Decided:
    """Free the person's place; the table closes with the last one."""
    place = place_of(case.table, case.actor.player)
    if place is None:
        return unchanged(case)
    freed = e.SeatFreed(place, case.actor.player)
    if sum(occupant is not None for occupant in case.table.places) == 1:
        return plain(case, freed, *_cancel(case.table, "empty"))
    return plain(case, freed)


def expire(case: Case) -> Decided:
    """Close a table that has waited too long for its start."""
    if case.actor.at < case.table.opened_at + EXPIRY_MS:
        return unchanged(case)
    return plain(case, *_cancel(case.table, "expired"))


def _person(actor: Actor, place: int) -> e.Occupant:
    return e.Occupant(actor.player, "person" if actor.registered else "guest", place)


def _computers(table: Table) -> list[e.SeatTaken]:
    strengths = table.rules.strengths
    free = [place for place, occupant in enumerate(table.places) if occupant is None]
    return [
        e.SeatTaken(
            e.Occupant(f"computer_{place}", "computer", place, strengths[n % len(strengths)])
        )
        for n, place in enumerate(free)
    ]


def _cancel(table: Table, reason: Literal["empty", "expired"]) -> tuple[Any, ...]:
    return (e.TableCancelled(reason), e.SeedRevealed(table.seed))


def _may_stake(actor: Actor, rules: e.TableRules) -> None:
    """Refuse a guest where a stake is played for (TABLE-A06)."""
    if rules.stake and not actor.registered:
        sentence = "Guests play without stake; take a table without one, or log in."
        raise Refused(Code.GUEST_NO_STAKE, sentence)


def _must_gather(table: Table) -> None:
    match table.phase:
        case "gathering":
            return
        case "new":
            raise unknown()
        case "playing":
            raise Refused(Code.NOT_GATHERING, "The game has begun; pick another table.")
        case _:
            raise ended(table)
