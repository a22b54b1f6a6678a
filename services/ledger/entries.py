"""What a game brings to a leaderboard, from one fact alone (TABLE-R03)."""

from __future__ import annotations

from typing import NamedTuple

from contracts.subjects import is_registered
from domain.ranking import place_bonus
from domain.table.events import GameFinished, PlayerLeft
from services.kit.follow import LogFact

LEAVER_POINTS = -10
MINIMUM_TIME = frozenset({"speeddive"})
"""Games whose rules say that a too short game is not entered (TABLE-A04)."""


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
        case GameFinished() as finished if _counts(finished, fact.at):
            return _finished(fact, finished)
        case _:
            return []


def _counts(finished: GameFinished, at: int) -> bool:
    if finished.game not in MINIMUM_TIME:
        return True
    return at - finished.started_ms >= finished.min_game_s * 1_000


def _finished(fact: LogFact, finished: GameFinished) -> list[BoardEntry]:
    seats = len(finished.seats)
    return [
        _entry(fact, finished.game, occupant.player, base + place_bonus(rank, seats), rank)
        for occupant, base, rank in zip(
            finished.seats, finished.leaderboard_base, finished.ranks, strict=True
        )
        if occupant.kind == "person" and not occupant.left
    ]


def _entry(fact: LogFact, game: str, player: str, points: int, rank: int | None) -> BoardEntry:
    return BoardEntry(fact.table, player, game, points, rank, fact.at, fact.position)
