"""Decisions before the game: open, sit down, get up, close."""

from __future__ import annotations

from msgspec import ValidationError, convert, to_builtins
from msgspec.structs import replace

from domain.kernel import AnyGame
from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table import events as e
from domain.table.case import (
    Actor,
    Case,
    Decided,
    close,
    must_gather,
    person,
    plain,
    unchanged,
)
from domain.table.clocks import EXPIRY_MS
from domain.table.rematch import give_up, release
from domain.table.starting import call_off, launch
from domain.table.state import hold_of, place_of

MIN_GAME_S = e.TableRules(places=0).min_game_s


def open_table(case: Case, command: c.Open) -> Decided:
    """Open the table with its opener on the first place, and commit to the house's seed."""
    if case.table.phase != "new":
        raise Refused(Code.NOT_GATHERING, "This table is open already; open another one.")
    rules, actor = command.rules, case.actor
    options = _options(case.game, command.options)
    _must_fit(case.game, rules)
    _must_be_allowed(actor, rules)
    _may_stake(actor, rules)
    return plain(
        case,
        # All options are stored: the defaults of a later version do not change this game.
        e.TableOpened(command.game, options, rules, actor.player),
        e.SeedDrawn(case.house.commitment, case.house.seed),
        e.SeatTaken(person(actor, 0)),
    )


def join(case: Case, command: c.Join) -> Decided:
    """Seat a person; whoever sits already keeps his seat, and may still give his client seed.

    With the last one who comes back to a held place the next game begins by itself.
    """
    table, seed = case.table, command.client_seed
    must_gather(table)
    own = place_of(table, case.actor.player)
    if own is not None:
        if seed in {"", table.place_seeds[own]}:
            return unchanged(case)
        return plain(case, e.SeatTaken(person(case.actor, own), seed))
    if table.rules.solo:
        raise Refused(Code.SOLO_TABLE, "One person plays here alone; pick another table.")
    _may_stake(case.actor, table.rules)
    seated = plain(case, e.SeatTaken(person(case.actor, _free_place(case, command.place)), seed))
    if not seated.table.returning or seated.table.holds:
        return seated
    begun = launch(replace(case, table=seated.table))
    return replace(begun, facts=seated.facts + begun.facts)


def get_up(case: Case) -> Decided:
    """Free the person's place, and call a start off; the table closes with the last one."""
    table, player = case.table, case.actor.player
    place = place_of(table, player)
    if place is None:
        hold = hold_of(table, player)
        return unchanged(case) if hold is None else give_up(case, hold.place)
    freed = (*call_off(table), e.SeatFreed(place, player))
    alone = sum(occupant is not None for occupant in table.places) == 1
    if alone and not table.holds:
        return plain(case, *freed, *close(table, "empty"))
    return plain(case, *freed)


def pass_time(case: Case) -> Decided:
    """Close a table that has waited too long for its start; end holds that are over."""
    if case.actor.at >= case.table.opened_at + EXPIRY_MS:
        return plain(case, *call_off(case.table), *close(case.table, "expired"))
    return release(case)


def _may_stake(actor: Actor, rules: e.TableRules) -> None:
    """Refuse a guest where a stake is played for (TABLE-A06)."""
    if rules.stake and not actor.registered:
        sentence = "Guests play without stake; take a table without one, or log in."
        raise Refused(Code.GUEST_NO_STAKE, sentence)


def _options(game: AnyGame, given: dict[str, str | int | bool]) -> dict[str, str | int | bool]:
    try:
        options: dict[str, str | int | bool] = to_builtins(convert(given, game.options_type))
    except ValidationError as error:
        raise Refused(Code.BAD_OPTIONS, f"The options do not fit {game.name}: {error}.") from None
    return options


def _must_fit(game: AnyGame, rules: e.TableRules) -> None:
    if not game.seats_min <= rules.places <= game.seats_max:
        sentence = f"{game.name} is played on {game.seats_min} to {game.seats_max} places."
        raise Refused(Code.BAD_OPTIONS, sentence)
    if not 1 <= len(rules.strengths) <= rules.places:
        raise Refused(Code.BAD_OPTIONS, "Name one strength, or one for each computer.")
    if rules.solo and (rules.stake or not rules.computers):
        sentence = "Who plays alone plays with computers and without stake."
        raise Refused(Code.BAD_OPTIONS, sentence)


def _must_be_allowed(actor: Actor, rules: e.TableRules) -> None:
    if rules.min_game_s != MIN_GAME_S and not actor.test:
        raise Refused(Code.BAD_OPTIONS, "Only test players may change `min_game_s`; leave it out.")
    if rules.tempo == "sofort" and not actor.test:
        raise Refused(Code.BAD_OPTIONS, "Only test players play without pauses; take `schnell`.")


def _free_place(case: Case, wanted: int | None) -> int:
    """Give the place that is wanted, or the first on which a person can sit."""
    places = case.table.places[: case.game.people_max]
    own = hold_of(case.table, case.actor.player)
    if wanted is None and own is not None:
        return own.place
    if wanted is not None and not 0 <= wanted < len(case.table.places):
        sentence = f"The table has places 0 to {len(case.table.places) - 1}."
        raise Refused(Code.BAD_OPTIONS, sentence)
    if wanted is not None and wanted >= len(places):
        sentence = f"People sit on places 0 to {len(places) - 1} here, the others are computers."
        raise Refused(Code.COMPUTERS_ONLY, sentence)
    held = {hold.place for hold in case.table.holds if hold.player != case.actor.player}
    free = [place for place, who in enumerate(places) if who is None and place not in held]
    place = next(iter(free), None) if wanted is None else wanted
    if place in held or (place is None and held):
        raise Refused(Code.SEAT_HELD, "That seat is held for who sat there before; wait.")
    if place is None or place not in free:
        raise Refused(Code.TABLE_FULL, "That seat is taken; pick a free one or another table.")
    return place
