"""Who may sit where, and who fills what is free (RULES.md 1.1)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.games import GAMES
from domain.refusals import Code
from domain.table import commands as c
from domain.table import events as e
from tests.domain.table.playing import Spec

EVERY = sorted(GAMES)


def table(*players: str, game: str = "speedclimb", places: int = 6, **rules: Any) -> Spec:
    return Spec(*players, game=GAMES[game], rules=e.TableRules(places, **rules))


def kinds(spec: Spec) -> list[tuple[int, str]]:
    return [(seat.place, seat.kind) for seat in spec.table.seats]


class TestSpeedclimb:
    """People sit on the first four places, computers always on the fifth and the sixth."""

    def test_nobody_sits_down_where_computers_do(self) -> None:
        spec = table("p_a")
        for place in (4, 5):
            refused = spec.refuses("p_b", c.Join(place), Code.COMPUTERS_ONLY)
            assert "0 to 3" in refused.sentence
        spec.refuses("p_b", c.Join(6), Code.BAD_OPTIONS)

    def test_four_people_fill_it(self) -> None:
        spec = table("p_a", "p_b", "p_c", "p_d")

        assert [each is not None for each in spec.table.places] == [True] * 4 + [False] * 2
        spec.refuses("p_e", c.Join(), Code.TABLE_FULL)

    @pytest.mark.parametrize("places", [5, 6])
    def test_leer_concerns_the_places_of_people_only(self, places: int) -> None:
        spec = table("p_a", places=places, computers=False, strengths=("leicht", "stark"))
        spec.does("p_b", c.Join(3))
        spec.does("p_a", c.Start())

        computers = [(place, "computer") for place in range(4, places)]
        assert kinds(spec) == [(0, "person"), (3, "person"), *computers]
        assert [seat.strength for seat in spec.table.seats[2:]] == ["leicht", "stark"][: places - 4]

    def test_leer_needs_two_people_though_computers_sit_there(self) -> None:
        spec = table("p_a", computers=False)
        spec.refuses("p_a", c.Start(), Code.TOO_FEW_SEATS)

    def test_computers_on_request_fill_all(self) -> None:
        spec = table("p_a", "p_b")
        spec.does("p_a", c.Start())

        assert kinds(spec) == [(n, "person" if n < 2 else "computer") for n in range(6)]


@pytest.mark.parametrize("game", EVERY)
def test_without_computers_two_people_must_be_there(game: str) -> None:
    spec = table("p_a", game=game, places=4, computers=False)
    assert "2 people" in spec.refuses("p_a", c.Start(), Code.TOO_FEW_SEATS).sentence
    spec.does("p_b", c.Join(2))
    spec.does("p_a", c.Start())

    assert kinds(spec) == [(0, "person"), (2, "person")]


@pytest.mark.parametrize("game", EVERY)
def test_people_may_sit_on_every_place_but_those_of_speedclimb(game: str) -> None:
    places = GAMES[game].seats_max
    people = 4 if game == "speedclimb" else places
    spec = table(*(f"p_{n}" for n in range(people)), game=game, places=places)
    spec.does("p_0", c.Start())

    assert sum(kind == "person" for _, kind in kinds(spec)) == people


class TestSolo:
    @pytest.mark.parametrize("game", EVERY)
    def test_one_person_and_computers(self, game: str) -> None:
        spec = table("g_a", game=game, places=3, solo=True)
        spec.does("g_a", c.Start("mine"))

        assert kinds(spec) == [(0, "guest"), (1, "computer"), (2, "computer")]

    def test_nobody_else_sits_down(self) -> None:
        spec = table("p_a", solo=True)

        spec.refuses("p_b", c.Join(), Code.SOLO_TABLE)
        assert spec.does("p_a", c.Join()) == ()

    @pytest.mark.parametrize("rules", [{"stake": 10}, {"computers": False}])
    def test_it_has_computers_and_no_stake(self, rules: dict[str, Any]) -> None:
        opening = c.Open("speedclimb", {}, e.TableRules(3, solo=True, **rules))

        Spec.unopened().refuses("p_a", opening, Code.BAD_OPTIONS)
