"""TABLE-R03 and A04: what one fact brings to a leaderboard."""

from __future__ import annotations

from typing import Any

import pytest

from domain.table.events import GameFinished, Occupant, PlayerLeft
from services.kit.follow import LogFact
from services.ledger.entries import entries_of

END = 1_000_000


def finished(
    *seats: Occupant,
    ranks: tuple[int, ...],
    scores: tuple[int, ...],
    game: str = "speeddive",
    took_ms: int = 90_000,
    min_game_s: int = 90,
) -> list[tuple[str, int]]:
    fact = GameFinished(ranks, scores, scores, seats, game, END - took_ms, min_game_s)
    return points(fact, game)


def points(fact: Any, game: str = "speeddive") -> list[tuple[str, int]]:
    entries = entries_of(LogFact(7, "table", 3, END, game, fact))
    assert all(entry[4:] == (entry.rank, END, 7) for entry in entries)
    return [(entry.player, entry.points) for entry in entries]


def person(name: str, place: int = 0, *, left: bool = False) -> Occupant:
    return Occupant(name, "person", place, left=left)


COMPUTER = Occupant("computer_3", "computer", 3)
GUEST = Occupant("g_1", "guest", 2)


def test_points_are_score_and_bonus_of_the_place() -> None:
    anna, ben, carl, dora = (person(name) for name in ("p_a", "p_b", "p_c", "p_d"))

    got = finished(anna, ben, carl, dora, ranks=(2, 1, 4, 3), scores=(180, 210, 20, 90))

    assert got == [("p_a", 195), ("p_b", 240), ("p_c", 20), ("p_d", 95)]


def test_computers_and_guests_get_none_but_count_as_seats() -> None:
    got = finished(person("p_a"), COMPUTER, GUEST, ranks=(2, 1, 3), scores=(150, 201, 20))

    assert got == [("p_a", 165)]


def test_a_shared_place_pays_in_full() -> None:
    got = finished(
        person("p_a"), person("p_b"), person("p_c"), ranks=(1, 1, 3), scores=(200, 200, 7)
    )

    assert got == [("p_a", 230), ("p_b", 230), ("p_c", 7)]


def test_a_leaver_gets_minus_ten_and_nothing_else() -> None:
    left = points(PlayerLeft(0, "p_a", others=True))
    end = finished(person("p_a", left=True), person("p_b"), ranks=(1, 2), scores=(200, 100))

    assert left == [("p_a", -10)]
    assert end == [("p_b", 100)]


def test_leaving_alone_or_as_a_guest_costs_nothing() -> None:
    assert points(PlayerLeft(0, "p_a", others=False)) == []
    assert points(PlayerLeft(0, "g_1", others=True)) == []


@pytest.mark.parametrize(
    ("took_ms", "min_game_s", "entered"),
    [(89_999, 90, False), (90_000, 90, True), (10, 0, True)],
)
def test_short_games_of_speeddive_are_not_entered(
    took_ms: int, min_game_s: int, *, entered: bool
) -> None:
    got = finished(
        person("p_a"),
        COMPUTER,
        ranks=(1, 2),
        scores=(200, 100),
        took_ms=took_ms,
        min_game_s=min_game_s,
    )

    assert got == ([("p_a", 230)] if entered else [])


def test_other_games_have_no_minimum_time() -> None:
    got = finished(
        person("p_a"), COMPUTER, ranks=(2, 1), scores=(-5, 30), game="snorkeling", took_ms=1
    )

    assert got == [("p_a", -5)]
