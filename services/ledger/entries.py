"""What a game brings to a leaderboard, from one fact alone (TABLE-R03)."""

from __future__ import annotations

from typing import NamedTuple

from contracts.subjects import is_registered
from domain.entering import LEAVER_POINTS, seat_points
from domain.table.events import GameFinished, PlayerLeft
from services.kit.follow import LogFact


class BoardEntry(NamedTuple):
    """One player's entry for one game; `rank` is None for somebody who left others behind."""

    table: str
    player: str
    game: str
    points: int
    rank: int | None
    at: int
    position: int


def entries_of(fact: LogFact) -> list[BoardEntry]:
    """Give the entries that follow from a fact.

    Whoever leaves others gets -10 at once, and nothing when the game ends: a seat whose person has
    left counts like a computer's, and computers get no entries. Guests get none either.
    """
    match fact.fact:
        case PlayerLeft(player=player, others=True) if is_registered(player):
            return [_entry(fact, fact.game, player, LEAVER_POINTS, None)]
        case GameFinished() as finished:
            return [
                _entry(fact, finished.game, each.player, each.points, each.rank)
                for each in seat_points(finished, fact.at)
                if not each.why_not
            ]
        case _:
            return []


def _entry(fact: LogFact, game: str, player: str, points: int, rank: int | None) -> BoardEntry:
    return BoardEntry(fact.table, player, game, points, rank, fact.at, fact.position)
