"""Once more with the same people: places held for two minutes, the next game by itself (1.7)."""

from __future__ import annotations

from typing import Any

import pytest

from contracts import topics
from contracts.views import table_view
from domain.games import GAMES
from domain.refusals import Code
from domain.table import commands as c
from domain.table import events as e
from domain.table.clocks import EXPIRY_MS, RETURN_MS, next_wake
from domain.table.decider import decide
from domain.table.state import Hold, Table, fold
from tests.domain.table.playing import SEED, SUCCESSOR, TABLE, Spec

FOUR = e.TableRules(places=4, strengths=("leicht", "stark"), thinking_s=60, tempo="schnell")
OPTIONS = {"target": 100}


def finished(*players: str, rules: e.TableRules = FOUR, leaver: str = "") -> Spec:
    spec = Spec.started(*players, rules=rules, options=OPTIONS)
    if leaver:
        spec.does(leaver, c.Leave())
    spec.to_end()
    assert spec.table.phase == "finished"
    return spec


def follow(spec: Spec, player: str) -> Spec:
    """Let a person play again, and give the table that follows."""
    opened = decide(spec.case(player), c.Again()).opened
    spec.does(player, c.Again())
    assert opened is not None
    after = Spec.unopened()
    after.game, after.house, after.now = spec.game, spec.house, spec.now
    facts = [(spec.now, fact) for fact in opened.facts]
    assert fold(spec.game, Table(SUCCESSOR), facts) == opened.table
    after.table, after.facts = opened.table, list(opened.facts)
    after.stored = [(spec.now, *topics.encode(fact)) for fact in opened.facts]
    return after


def kinds(facts: tuple[Any, ...]) -> list[type]:
    return [type(fact) for fact in facts]


class TestAgain:
    def test_both_tables_are_told_in_one_decision(self) -> None:
        spec = finished("p_a", "g_b", "p_c")
        after = follow(spec, "p_c")

        assert spec.facts[-1] == e.SuccessorOpened(SUCCESSOR)
        until = spec.now + RETURN_MS
        assert after.facts == [
            e.TableOpened("speeddive", spec.table.options, FOUR, "p_c", TABLE),
            e.SeedDrawn(spec.house.commitment, SEED),
            e.SeatTaken(e.Occupant("p_c", "person", 2)),
            e.SeatHeld(0, "p_a", until),
            e.SeatHeld(1, "g_b", until),
        ]
        assert after.table.holds == (Hold(0, "p_a", until), Hold(1, "g_b", until))
        assert after.table.opener == "p_c"

    def test_everybody_sees_where_it_goes_on_and_for_whom_places_are_held(self) -> None:
        spec = finished("p_a", "p_b")
        after = follow(spec, "p_a")

        for seat in (None, 0, 1):
            assert table_view(spec.game, spec.table, None, seat).successor == SUCCESSOR
        view = table_view(after.game, after.table, None, None)
        assert (view.former, [hold.player for hold in view.holds]) == (TABLE, ["p_b"])

    def test_there_is_one_successor(self) -> None:
        """R089: the second one is told the table of the first."""
        spec = finished("p_a", "p_b")
        follow(spec, "p_b")

        for player in ("p_a", "p_b"):
            assert spec.refuses(player, c.Again(), Code.FINISHED).hint == SUCCESSOR
        assert spec.refuses("p_x", c.Join(), Code.FINISHED).hint == SUCCESSOR

    def test_a_leaver_has_no_place_in_it(self) -> None:
        spec = finished("p_a", "p_b", "p_c", leaver="p_b")
        spec.refuses("p_b", c.Again(), Code.NOT_SEATED)
        after = follow(spec, "p_a")

        assert [hold.player for hold in after.table.holds] == ["p_c"]

    def test_who_only_watched_has_none_either(self) -> None:
        finished("p_a", "p_b").refuses("p_x", c.Again(), Code.NOT_SEATED)

    def test_before_the_end_there_is_none(self) -> None:
        Spec.unopened().refuses("p_a", c.Again(), Code.UNKNOWN_TABLE)
        spec = Spec("p_a", "p_b", options=OPTIONS)
        spec.refuses("p_a", c.Again(), Code.NOT_PLAYING)
        spec.does("p_a", c.Start())
        spec.refuses("p_a", c.Again(), Code.NOT_OVER)

    @pytest.mark.parametrize("end", [c.Leave(), c.Suspend("a fault")])
    def test_a_table_without_a_result_has_none(self, end: c.Command) -> None:
        spec = Spec("p_a")
        spec.does("p_a", end)
        code = Code.SUSPENDED if isinstance(end, c.Suspend) else Code.FINISHED

        assert not spec.refuses("p_a", c.Again(), code).hint

    def test_alone_it_is_opened_and_started_with_an_own_share_of_chance(self) -> None:
        rules = e.TableRules(places=3, solo=True)
        after = follow(finished("p_a", rules=rules), "p_a")

        assert (after.table.rules, after.table.holds) == (rules, ())
        after.refuses("p_b", c.Join(), Code.SOLO_TABLE)
        after.does("p_a", c.Start("mine"))
        assert after.table.client_seeds == ("mine",)

    def test_the_last_person_of_a_table_starts_it_himself(self) -> None:
        after = follow(finished("p_a", "p_b", leaver="p_b"), "p_a")

        assert after.table.holds == ()
        after.does("p_a", c.Start())
        assert after.table.phase == "playing"

    def test_every_game_has_its_six_seats_again(self) -> None:
        """R091: four people and two computers at Speedclimb."""
        people = ("p_a", "p_b", "p_c", "p_d")
        spec = Spec.started(*people, game=GAMES["speedclimb"], rules=e.TableRules(6))
        spec.to_end()
        after = follow(spec, "p_b")
        for player in ("p_d", "p_a", "p_c"):
            after.does(player, c.Join())

        assert after.table.seats == spec.table.seats


class TestComingBack:
    def test_everybody_sits_on_his_old_place_and_the_game_begins_by_itself(self) -> None:
        spec = finished("p_a", "p_b", "p_c")
        after = follow(spec, "p_c")
        assert kinds(after.does("p_b", c.Join(client_seed="b"))) == [e.SeatTaken]
        facts = after.does("p_a", c.Join(client_seed="a"))

        assert kinds(facts)[:4] == [e.SeatTaken, e.SeatTaken, e.ChanceSealed, e.GameStarted]
        assert after.table.seats == spec.table.seats
        assert after.table.client_seeds == ("a", "b")
        assert after.reload() == after.table

    def test_nothing_of_the_old_game_is_in_the_new_one(self) -> None:
        """R056, R057"""
        spec = finished("p_a", "p_b")
        after = follow(spec, "p_a")
        assert table_view(after.game, after.table, None, 0).play is None
        after.does("p_b", c.Join())

        assert after.reload() == after.table, "it follows from the facts of its own stream alone"
        assert after.table.client_seeds == ()

    def test_the_stakes_are_collected_first(self) -> None:
        after = follow(finished("p_a", "p_b", rules=e.TableRules(2, stake=10)), "p_b")
        facts = after.does("p_a", c.Join())

        assert facts == (
            e.SeatTaken(e.Occupant("p_a", "person", 0)),
            e.StartRequested(1, 10, ("p_a", "p_b")),
        )
        after.does("house", c.Collect(1, held=True))
        assert after.table.phase == "playing"

    def test_after_a_denied_stake_the_opener_starts_again(self) -> None:
        after = follow(finished("p_a", "p_b", rules=e.TableRules(2, stake=10)), "p_b")
        after.does("p_a", c.Join())
        after.does("house", c.Collect(1, held=False, short=("p_a",)))

        after.refuses("p_a", c.Start(), Code.NOT_OPENER)
        assert kinds(after.does("p_b", c.Start())) == [e.StartRequested]

    def test_who_opened_it_gives_his_share_of_chance_once_the_house_has_committed_itself(
        self,
    ) -> None:
        after = follow(finished("p_a", "p_b"), "p_a")

        assert kinds(after.does("p_a", c.Join(client_seed="mine"))) == [e.SeatTaken]
        assert after.does("p_a", c.Join(client_seed="mine")) == ()
        assert after.does("p_a", c.Join()) == ()
        after.does("p_b", c.Join(client_seed="his"))
        assert after.table.client_seeds == ("mine", "his")

    def test_strangers_wait(self) -> None:
        after = follow(finished("p_a", "p_b", "p_c"), "p_a")
        for place in (1, 2):
            after.refuses("p_x", c.Join(place), Code.SEAT_HELD)
        after.refuses("p_b", c.Join(2), Code.SEAT_HELD)
        after.does("p_x", c.Join())

        assert after.table.places[3] == e.Occupant("p_x", "person", 3)
        after.refuses("p_y", c.Join(), Code.SEAT_HELD)

    def test_nobody_starts_while_places_are_held(self) -> None:
        after = follow(finished("p_a", "p_b"), "p_a")
        after.refuses("p_a", c.Start(), Code.SEAT_HELD)


class TestNotComingBack:
    def test_after_two_minutes_the_places_are_free_and_who_is_there_may_start(self) -> None:
        """TABLE-A10"""
        after = follow(finished("p_a", "p_b", "p_c"), "p_b")
        after.does("p_c", c.Join())
        assert next_wake(after.table, None) == after.now + RETURN_MS
        after.now += RETURN_MS - 1
        assert after.does("house", c.Tick()) == ()
        after.now += 1

        assert after.does("house", c.Tick()) == (e.HoldEnded(0, "p_a"),)
        assert next_wake(after.table, None) == after.table.opened_at + EXPIRY_MS
        assert after.reload() == after.table
        after.does("p_b", c.Start())
        kind = {seat.place: seat.kind for seat in after.table.seats}
        assert kind == {0: "computer", 1: "person", 2: "person", 3: "computer"}

    def test_then_the_next_game_does_not_begin_by_itself(self) -> None:
        after = follow(finished("p_a", "p_b"), "p_b")
        after.now += RETURN_MS
        after.does("house", c.Tick())

        assert kinds(after.does("p_a", c.Join())) == [e.SeatTaken]
        assert after.table.phase == "gathering"

    def test_who_will_not_come_says_so(self) -> None:
        """R087: everybody is told that the other has left."""
        after = follow(finished("p_a", "p_b", "p_c"), "p_a")

        assert after.does("p_b", c.Leave()) == (e.HoldEnded(1, "p_b"),)
        assert kinds(after.does("p_c", c.Join())) == [e.SeatTaken]
        assert after.table.phase == "gathering"

    def test_who_opened_it_may_get_up_and_the_next_one_has_the_table(self) -> None:
        after = follow(finished("p_a", "p_b", "p_c"), "p_a")

        assert after.does("p_a", c.Leave()) == (e.SeatFreed(0, "p_a"),)
        assert (after.table.phase, after.table.opener) == ("gathering", "")
        after.does("p_c", c.Join())
        assert after.table.opener == "p_c"

    @pytest.mark.parametrize("late", [True, False])
    def test_a_table_to_which_nobody_comes_closes(self, late: bool) -> None:  # noqa: FBT001
        after = follow(finished("p_a", "p_b"), "p_a")
        after.does("p_a", c.Leave())
        after.now += RETURN_MS if late else 0
        facts = after.does(*("house", c.Tick()) if late else ("p_b", c.Leave()))

        assert kinds(facts) == [e.HoldEnded, e.TableCancelled, e.SeedRevealed]
        assert after.table.ended_because == "empty"

    def test_who_comes_a_moment_too_late_but_before_it_is_seen_still_sits(self) -> None:
        after = follow(finished("p_a", "p_b"), "p_a")
        after.now += RETURN_MS + 5

        assert e.GameStarted in kinds(after.does("p_b", c.Join()))
