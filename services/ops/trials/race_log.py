"""What the log says of a race's tables: one start, one successor, every seat taken once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from domain.table import events as e


class Expected(Struct, frozen=True):
    """What must have come of a table: `players` of its one game (None: there was none)."""

    table: str
    players: frozenset[str] | None
    stake: int
    successor: str = ""


def wrong(expected: Expected, facts: Iterable[Any]) -> Iterator[str]:
    """Give a sentence for everything in a table's log that must not be."""
    seen = list(facts)
    count = Counter(type(fact) for fact in seen)
    games = 0 if expected.players is None else 1
    if count[e.GameStarted] != games:
        yield f"{count[e.GameStarted]} games began, not {games}"
    successors = [fact.table for fact in seen if isinstance(fact, e.SuccessorOpened)]
    if successors != ([expected.successor] if expected.successor else []):
        yield f"the next tables are {successors}, not {expected.successor or 'none'}"
    held = games if expected.stake else 0
    if count[e.StakesHeld] != held:
        yield f"stakes were held {count[e.StakesHeld]} times, not {held}"
    under_way = count[e.StartRequested] - count[e.StartCancelled] - count[e.StakesDenied]
    if under_way != held:
        yield f"{under_way} starts were asked for and not called off, not {held}"
    yield from _of_seats(expected, seen)


def _of_seats(expected: Expected, facts: list[Any]) -> Iterator[str]:
    """Follow who sits where."""
    places: dict[int, str] = {}
    for fact in facts:
        match fact:
            case e.SeatTaken(occupant):
                before = places.get(occupant.place, occupant.player)
                if before != occupant.player:
                    yield f"{occupant.player} took the seat of {before}"
                places[occupant.place] = occupant.player
            case e.SeatFreed(place):
                places.pop(place, None)
            case e.GameStarted(seats=seats):
                yield from _of_start(expected, {seat.place: seat.player for seat in seats}, places)
                if len({seat.place for seat in seats}) < len(seats):
                    yield "two play on one place"
        if len(set(places.values())) < len(places):
            yield f"somebody sits twice: {sorted(places.values())}"
            return


def _of_start(expected: Expected, seats: dict[int, str], places: dict[int, str]) -> Iterator[str]:
    if seats != places:
        yield "others play than sat there"
    if expected.players is not None and set(seats.values()) != expected.players:
        yield f"{sorted(seats.values())} play, not {sorted(expected.players)}"
