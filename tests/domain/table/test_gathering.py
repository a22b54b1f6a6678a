"""Before the game: open, join, get up, start, and the table that nobody starts."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Ask, Shuffled
from domain.refusals import Code
from domain.table import commands as c
from domain.table import events as e
from domain.table.clocks import EXPIRY_MS, next_wake
from tests.domain.table.playing import RULES, SEED, START, Spec
from tests.domain.table.toy import TOY

ALONE = e.TableRules(places=3, computers=False)


def person(player: str, place: int) -> e.Occupant:
    return e.Occupant(player, "guest" if player.startswith("g_") else "person", place)


def opening(**how: Any) -> c.Open:
    return c.Open("speeddive", how.pop("options", {}), e.TableRules(**({"places": 3} | how)))


class TestOpen:
    def test_an_opened_table_has_its_opener_and_a_commitment(self) -> None:
        spec = Spec("p_a", options={"target": 100})

        assert spec.facts == [
            # All options are stored, so new defaults never change an old game.
            e.TableOpened(
                "speeddive",
                {"edition": "KLASSISCH", "target": 100, "bilanz": True, "brutal": False},
                RULES,
                "p_a",
            ),
            e.SeedDrawn(spec.house.commitment, SEED),
            e.SeatTaken(person("p_a", 0)),
        ]
        assert spec.table.phase == "gathering"
        assert spec.table.places == (person("p_a", 0), None, None)
        assert spec.table.opened_at == START

    def test_a_guest_may_open(self) -> None:
        assert Spec("g_1").table.places[0] == person("g_1", 0)

    @pytest.mark.parametrize(
        "command",
        [
            opening(places=1),
            opening(places=5),
            opening(places=0),
            opening(strengths=()),
            opening(strengths=("normal",) * 4),
            opening(min_game_s=0),
            opening(tempo="sofort"),
            opening(options={"target": 150}),
            opening(options={"target": "100"}),
            opening(options={"target": True}),
            opening(options={"brutal": True}),
        ],
    )
    def test_what_does_not_fit_the_game_is_refused(self, command: c.Open) -> None:
        Spec.unopened().refuses("p_a", command, Code.BAD_OPTIONS)

    def test_only_test_players_shorten_the_90_seconds(self) -> None:
        spec = Spec.unopened()
        facts = spec.does("p_test_1", opening(min_game_s=0))

        assert facts[0].rules.min_game_s == 0

    def test_only_test_players_play_without_pauses(self) -> None:
        facts = Spec.unopened().does("p_test_1", opening(tempo="sofort"))

        assert facts[0].rules.tempo == "sofort"

    def test_a_guest_opens_no_table_with_a_stake(self) -> None:
        """TABLE-A06"""
        Spec.unopened().refuses("g_1", opening(stake=10), Code.GUEST_NO_STAKE)
        Spec.unopened().does("g_1", opening(stake=0))

    @pytest.mark.parametrize("stake", [10, 25, 50, 100])
    def test_the_stake_is_one_of_the_rules(self, stake: Any) -> None:
        """TABLE-R04; a single person may stake, too: he gets it back."""
        spec = Spec("p_a", rules=e.TableRules(places=2, stake=stake))
        spec.does("p_a", c.Start())

        assert spec.table.rules.stake == stake

    def test_an_open_table_is_not_opened_again(self) -> None:
        for spec in (Spec(), Spec.started()):
            spec.refuses("p_a", opening(), Code.NOT_GATHERING)


class TestJoin:
    def test_the_first_free_place_or_a_certain_one(self) -> None:
        spec = Spec("p_a")

        assert spec.does("g_c", c.Join(2, "seed-c")) == (e.SeatTaken(person("g_c", 2), "seed-c"),)
        assert spec.does("p_b", c.Join()) == (e.SeatTaken(person("p_b", 1)),)
        assert spec.table.place_seeds == ("", "", "seed-c")

    def test_whoever_sits_keeps_his_seat(self) -> None:
        spec = Spec("p_a", "p_b")
        for again in (c.Join(), c.Join(1), c.Join(2), c.Join(0), c.Join(99)):
            assert spec.does("p_b", again) == ()

    def test_of_two_at_once_for_the_last_place_one_sits(self) -> None:
        spec = Spec("p_a", "p_b")
        spec.does("p_c", c.Join())

        spec.refuses("p_d", c.Join(), Code.TABLE_FULL)

    def test_a_taken_place_is_refused_though_others_are_free(self) -> None:
        Spec("p_a").refuses("p_b", c.Join(0), Code.TABLE_FULL)

    @pytest.mark.parametrize("place", [-1, 3, 16])
    def test_a_place_that_is_not_there(self, place: int) -> None:
        assert "0 to 2" in Spec("p_a").refuses("p_b", c.Join(place), Code.BAD_OPTIONS).sentence

    def test_no_guest_sits_down_where_a_stake_is_played_for(self) -> None:
        spec = Spec("p_a", rules=e.TableRules(places=3, stake=25))

        spec.refuses("g_b", c.Join(), Code.GUEST_NO_STAKE)
        spec.does("p_b", c.Join())


class TestGetUp:
    def test_the_place_is_free_again_and_its_seed_forgotten(self) -> None:
        spec = Spec("p_a")
        spec.does("p_b", c.Join(1, "seed-b"))

        assert spec.does("p_b", c.Leave()) == (e.SeatFreed(1, "p_b"),)
        assert spec.table.places[1] is None
        assert spec.table.place_seeds == ("", "", "")
        assert spec.does("p_c", c.Join(1)) == (e.SeatTaken(person("p_c", 1)),)

    def test_who_does_not_sit_has_left_already(self) -> None:
        assert Spec("p_a").does("p_x", c.Leave()) == ()

    def test_the_next_person_inherits_the_table(self) -> None:
        spec = Spec("p_a", "g_b", "p_c")
        spec.does("p_a", c.Leave())

        assert spec.table.opener == "g_b"
        spec.refuses("p_c", c.Start(), Code.NOT_OPENER)
        assert isinstance(spec.does("g_b", c.Start())[-1], object)
        assert spec.table.phase == "playing"

    def test_who_comes_back_does_not_get_the_table_back(self) -> None:
        spec = Spec("p_a", "p_b")
        spec.does("p_a", c.Leave())
        spec.does("p_a", c.Join())

        assert spec.table.opener == "p_b"

    def test_the_last_one_closes_the_table_and_the_seed_is_shown(self) -> None:
        spec = Spec("p_a")

        assert spec.does("p_a", c.Leave()) == (
            e.SeatFreed(0, "p_a"),
            e.TableCancelled("empty"),
            e.SeedRevealed(SEED),
        )
        assert (spec.table.phase, spec.table.ended_because) == ("cancelled", "empty")


class TestStart:
    def test_free_places_are_filled_with_computers_of_all_strengths(self) -> None:
        rules = e.TableRules(places=4, strengths=("leicht", "stark"))
        spec = Spec.started("p_a", rules=rules)

        assert spec.table.seats == (
            person("p_a", 0),
            e.Occupant("computer_1", "computer", 1, "leicht"),
            e.Occupant("computer_2", "computer", 2, "stark"),
            e.Occupant("computer_3", "computer", 3, "leicht"),
        )

    def test_without_computers_free_places_stay_empty(self) -> None:
        spec = Spec("p_a", rules=ALONE)
        spec.does("p_b", c.Join(2))
        spec.does("p_a", c.Start())

        assert spec.table.seats == (person("p_a", 0), person("p_b", 2))

    def test_too_few(self) -> None:
        spec = Spec("p_a", rules=ALONE)

        assert "2 people" in spec.refuses("p_a", c.Start(), Code.TOO_FEW_SEATS).sentence

    def test_only_the_opener(self) -> None:
        spec = Spec("p_a", "p_b")

        assert "p_a" in spec.refuses("p_b", c.Start(), Code.NOT_OPENER).sentence
        spec.refuses("p_x", c.Start(), Code.NOT_SEATED)

    def test_chance_is_sealed_with_all_client_seeds_in_order_of_places(self) -> None:
        spec = Spec("p_a")
        spec.does("p_c", c.Join(2, "seed-c"))
        spec.does("p_b", c.Join(1, "seed-b"))
        facts = spec.does("p_a", c.Start("seed-a"))

        kinds = [type(fact) for fact in facts]
        assert kinds[:2] == [e.ChanceSealed, e.GameStarted]
        assert Shuffled in kinds[2:]
        assert facts[0] == e.ChanceSealed(("seed-a", "seed-b", "seed-c"))
        assert facts[1] == e.GameStarted(spec.game.rules_version, spec.table.seats)
        assert isinstance(spec.waiting, Ask)

    @pytest.mark.parametrize(("given", "sealed"), [("", "joined"), ("started", "started")])
    def test_an_heir_keeps_the_seed_he_joined_with_or_gives_a_new_one(
        self, given: str, sealed: str
    ) -> None:
        spec = Spec("p_a")
        spec.does("p_b", c.Join(1, "joined"))
        spec.does("p_a", c.Leave())

        assert spec.does("p_b", c.Start(given))[2] == e.ChanceSealed((sealed,))

    def test_the_same_start_gives_the_same_game(self) -> None:
        assert Spec.started().facts == Spec.started().facts
        assert Spec.started().facts != Spec.started(seed="00" * 32).facts

    def test_a_running_game_takes_nobody(self) -> None:
        spec = Spec.started("p_a")
        for command in (c.Join(), c.Start()):
            spec.refuses("p_x", command, Code.NOT_GATHERING)
        spec.refuses("p_a", c.Start(), Code.NOT_GATHERING)

    def test_questions_of_a_game_that_starts_without_facts_have_a_number(self) -> None:
        spec = Spec.started(game=TOY)

        started = spec.facts.index(e.GameStarted(1, spec.table.seats)) + 1
        assert spec.table.raised == spec.table.offers_raised == started == spec.table.version
        assert spec.table.raised_at == START


class TestExpiry:
    def test_a_table_that_nobody_starts_closes_after_half_an_hour(self) -> None:
        spec = Spec("p_a", "p_b")
        assert next_wake(spec.table, spec.waiting) == START + EXPIRY_MS
        spec.now = START + EXPIRY_MS - 1
        assert spec.does("house", c.Tick()) == ()
        spec.now += 1

        assert spec.does("house", c.Tick()) == (e.TableCancelled("expired"), e.SeedRevealed(SEED))
        assert next_wake(spec.table, spec.waiting) is None

    def test_joining_does_not_prolong_it(self) -> None:
        spec = Spec("p_a")
        spec.now += EXPIRY_MS // 2
        spec.does("p_b", c.Join())

        assert next_wake(spec.table, spec.waiting) == START + EXPIRY_MS


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (c.Join(), Code.UNKNOWN_TABLE),
        (c.Start(), Code.UNKNOWN_TABLE),
        (c.Leave(), Code.UNKNOWN_TABLE),
        (c.Play(1, None), Code.UNKNOWN_TABLE),
        (c.GoOn(1), Code.UNKNOWN_TABLE),
        (c.Decide(0, 1, None, "s", 1), Code.UNKNOWN_TABLE),
    ],
)
def test_a_table_that_nobody_opened(command: c.Command, code: Code) -> None:
    Spec.unopened().refuses("p_a", command, code)


@pytest.mark.parametrize("command", [c.Play(1, None), c.GoOn(1), c.Decide(0, 1, None, "s", 1)])
def test_nothing_is_played_before_the_start(command: c.Command) -> None:
    Spec("p_a").refuses("p_a", command, Code.NOT_PLAYING)


@pytest.mark.parametrize("command", [c.Credit(0, START * 2), c.Tick(), c.Suspend("fault")])
def test_the_house_does_nothing_at_a_table_that_nobody_opened(command: c.Command) -> None:
    assert Spec.unopened().does("house", command) == ()
