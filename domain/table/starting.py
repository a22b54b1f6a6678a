"""The start of a game: who plays, whose share of the chance counts, and the first question."""

from __future__ import annotations

from typing import Any

from msgspec import convert

from domain.kernel import AnyGame, begin
from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table import events as e
from domain.table.case import Case, Decided, moved, must_gather, plain, shuffler, unchanged
from domain.table.state import Table, fold, place_of

PEOPLE_MIN = 2
"""So many people there must be where computers do not fill what is free (RULES.md 1.1)."""


def start(case: Case, command: c.Start) -> Decided:
    """Begin the game, or with a stake ask for it first; only the opener may."""
    table = case.table
    must_gather(table)
    if place_of(table, case.actor.player) is None:
        raise Refused(Code.NOT_SEATED, "You have no seat at this table; join it first.")
    if case.actor.player != table.opener:
        raise Refused(Code.NOT_OPENER, f"Only {table.opener}, who opened the table, starts it.")
    if table.holds:
        raise Refused(Code.SEAT_HELD, "Places are held for those who may come back; wait for them.")
    _enough(case.game, table)
    return launch(case, command.client_seed)


def launch(case: Case, client_seed: str = "") -> Decided:
    """Begin with those who sit there, or ask for their stakes; the opener may give his seed now."""
    table = case.table
    if table.rules.stake:
        return plain(case, _request(table, client_seed))
    own = place_of(table, table.opener)
    if not client_seed or own is None:
        return _begin(case, table.place_seeds)
    return _begin(case, (*table.place_seeds[:own], client_seed, *table.place_seeds[own + 1 :]))


def collect(case: Case, command: c.Collect) -> Decided:
    """Begin the game once all have paid, or wait for another start (TABLE-R04.2).

    An answer to a start that was called off meanwhile changes nothing: the ledger gives back what
    it holds when it sees that in the log.
    """
    table = case.table
    if table.phase != "starting" or command.attempt != table.attempt:
        return unchanged(case)
    if not command.held:
        return plain(case, e.StakesDenied(table.attempt, command.short))
    return _begin(case, table.place_seeds, e.StakesHeld(table.attempt))


def call_off(table: Table) -> tuple[e.StartCancelled, ...]:
    """Give the fact that gives stakes back before a start is left, if one is under way."""
    phase = table.stopped_in if table.phase == "suspended" else table.phase
    return (e.StartCancelled(table.attempt),) if phase == "starting" else ()


def _request(table: Table, client_seed: str) -> e.StartRequested:
    players = tuple(occupant.player for occupant in table.places if occupant is not None)
    return e.StartRequested(table.attempt + 1, table.rules.stake, players, client_seed)


def _begin(case: Case, seeds: tuple[str, ...], *before: Any) -> Decided:
    """Fill free places with computers, seal chance and settle up to the first question."""
    game, table = case.game, case.table
    facts: list[Any] = [*before, *_computers(game, table)]
    full = fold(game, table, [(case.at, fact) for fact in facts])
    seats = tuple(occupant for occupant in full.places if occupant is not None)
    facts.append(e.ChanceSealed(tuple(seed for seed in seeds if seed)))
    facts.append(e.GameStarted(game.rules_version, seats))
    ready = fold(game, table, [(case.at, fact) for fact in facts])
    options = convert(table.options, game.options_type)
    shuffle = shuffler(case, ready)
    begun = begin(game, options, tuple(seat.place for seat in seats), shuffle)
    return moved(case, ready, tuple(facts), begun, shuffle)


def _enough(game: AnyGame, table: Table) -> None:
    people = sum(occupant is not None for occupant in table.places)
    people_min = 1 if table.rules.computers else PEOPLE_MIN
    if people < people_min or people + len(_computers(game, table)) < game.seats_min:
        sentence = f"It takes {people_min} people here; wait for others or add computers."
        raise Refused(Code.TOO_FEW_SEATS, sentence)


def _computers(game: AnyGame, table: Table) -> list[e.SeatTaken]:
    """Seat the computers: where people cannot sit always, elsewhere if the rules say so."""
    strengths = table.rules.strengths
    free = [
        place
        for place, occupant in enumerate(table.places)
        if occupant is None and (table.rules.computers or place >= game.people_max)
    ]
    return [
        e.SeatTaken(
            e.Occupant(f"computer_{place}", "computer", place, strengths[n % len(strengths)])
        )
        for n, place in enumerate(free)
    ]
