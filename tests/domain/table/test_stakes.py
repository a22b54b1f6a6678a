"""The start of a table with a stake: asked for, held or denied, called off (TABLE-R04, A13)."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.views import table_view
from domain.kernel import Shuffled
from domain.refusals import Code
from domain.table import commands as c
from domain.table import events as e
from domain.table.clocks import EXPIRY_MS, HOLD_MS, next_wake
from domain.table.state import Table
from tests.domain.table.playing import SEED, START, Spec

RULES = e.TableRules(places=3, stake=25)
HELD = c.Collect(1, held=True)


def starting(*players: str, rules: e.TableRules = RULES, seed: str = "mine") -> Spec:
    spec = Spec(*(players or ("p_a", "p_b")), rules=rules)
    spec.does("p_a", c.Start(seed))
    return spec


def kinds(facts: tuple[Any, ...]) -> list[type]:
    return [type(fact) for fact in facts]


def test_the_start_asks_for_the_stake_of_all_people_in_order_of_places() -> None:
    spec = Spec("p_a", rules=RULES)
    spec.does("p_c", c.Join(2))
    spec.does("p_b", c.Join(1))

    assert spec.does("p_a", c.Start("mine")) == (
        e.StartRequested(1, 25, ("p_a", "p_b", "p_c"), "mine"),
    )
    assert spec.table.phase == "starting"
    assert spec.table.play is None
    assert spec.reload() == spec.table


def test_held_stakes_and_the_begin_of_the_game_are_one_append() -> None:
    spec = starting()
    facts = spec.does("house", HELD)

    assert kinds(facts)[:4] == [e.StakesHeld, e.SeatTaken, e.ChanceSealed, e.GameStarted]
    assert Shuffled in kinds(facts)
    assert (spec.table.phase, spec.table.staked) == ("playing", 25)
    assert spec.reload() == spec.table


def test_the_openers_share_of_the_chance_outlives_the_wait() -> None:
    """Law 3: it is a fact, for between request and start the process may die."""
    spec = starting(seed="mine")
    sealed = [fact for fact in spec.does("house", HELD) if isinstance(fact, e.ChanceSealed)]

    assert sealed == [e.ChanceSealed(("mine",))]


def test_the_result_says_what_was_played_for() -> None:
    spec = starting()
    spec.does("house", HELD)
    spec.to_end()

    assert spec.table.result is not None
    assert spec.table.result.stake == 25


def test_a_single_person_pays_too() -> None:
    """TABLE-A13: he gets it back in the end."""
    spec = starting("p_a")

    assert spec.facts[-1].players == ("p_a",)
    assert spec.does("house", HELD)[0] == e.StakesHeld(1)


class TestDenied:
    def test_the_table_waits_again_and_everybody_is_told_who_lacks_taler(self) -> None:
        spec = starting()
        denied = c.Collect(1, held=False, short=("p_b",))

        assert spec.does("house", denied) == (e.StakesDenied(1, ("p_b",)),)
        assert spec.table.phase == "gathering"
        for seat in (None, 0):
            told = table_view(spec.game, spec.table, None, seat).denied
            assert told is not None
            assert (told.players, told.code) == (("p_b",), Code.STAKE_DENIED)
            assert "Taler" in told.text

    def test_the_next_start_is_another_attempt(self) -> None:
        spec = starting()
        spec.does("house", c.Collect(1, held=False, short=("p_b",)))
        spec.does("p_b", c.Leave())
        assert table_view(spec.game, spec.table, None, None).denied is None

        assert spec.does("p_a", c.Start())[0] == e.StartRequested(2, 25, ("p_a",), "")
        spec.does("house", c.Collect(2, held=True))
        assert spec.table.client_seeds == ("mine",), "what he gave at the first start still counts"

    def test_a_new_start_forgets_who_was_short(self) -> None:
        spec = starting()
        spec.does("house", c.Collect(1, held=False, short=("p_b",)))
        spec.does("p_a", c.Start())

        assert table_view(spec.game, spec.table, None, None).denied is None


class TestWhileItStarts:
    @pytest.mark.parametrize("command", [c.Join(), c.Join(2), c.Start()])
    def test_nobody_sits_down_or_starts(self, command: c.Command) -> None:
        spec = starting()
        for player in ("p_a", "p_b", "p_x"):
            spec.refuses(player, command, Code.STARTING)

    @pytest.mark.parametrize("command", [c.Play(1, None), c.GoOn(1), c.Decide(0, 1, None, "s", 1)])
    def test_nothing_is_played(self, command: c.Command) -> None:
        starting().refuses("p_a", command, Code.NOT_PLAYING)

    def test_who_leaves_calls_it_off_first(self) -> None:
        spec = starting()

        assert spec.does("p_b", c.Leave()) == (e.StartCancelled(1), e.SeatFreed(1, "p_b"))
        assert spec.table.phase == "gathering"
        assert spec.reload() == spec.table

    def test_who_does_not_sit_calls_nothing_off(self) -> None:
        assert starting().does("p_x", c.Leave()) == ()

    def test_the_last_one_closes_the_table(self) -> None:
        assert starting("p_a").does("p_a", c.Leave()) == (
            e.StartCancelled(1),
            e.SeatFreed(0, "p_a"),
            e.TableCancelled("empty"),
            e.SeedRevealed(SEED),
        )

    def test_it_expires_like_a_table_that_gathers(self) -> None:
        spec = starting()
        spec.now = START + EXPIRY_MS - 1
        assert spec.does("house", c.Tick()) == ()
        spec.now += 1

        assert spec.does("house", c.Tick()) == (
            e.StartCancelled(1),
            e.TableCancelled("expired"),
            e.SeedRevealed(SEED),
        )

    def test_the_ledger_is_asked_again_after_a_second(self) -> None:
        spec = Spec("p_a", rules=RULES)
        spec.now += 5_000
        spec.does("p_a", c.Start())
        assert next_wake(spec.table, None) == START + 5_000 + HOLD_MS

        spec = Spec("p_a", rules=RULES)
        spec.now = START + EXPIRY_MS - 10
        spec.does("p_a", c.Start())
        assert next_wake(spec.table, None) == START + EXPIRY_MS

    def test_a_fault_stops_the_table_and_the_stakes_stay_held(self) -> None:
        spec = starting()

        assert spec.does("house", c.Suspend("a fault")) == (e.TableSuspended("a fault"),)

    def test_a_stopped_start_is_still_under_way_when_the_table_goes_on(self) -> None:
        spec = starting()
        spec.does("house", c.Suspend("fault"))
        spec.does("ops", c.Unsuspend("mended"))

        assert spec.table.phase == "starting"
        assert kinds(spec.does("house", HELD))[0] is e.StakesHeld

    @pytest.mark.parametrize("stopped", [False, True])
    def test_an_operator_who_ends_the_table_calls_the_start_off_first(
        self,
        stopped: bool,  # noqa: FBT001
    ) -> None:
        """So the ledger refuses a hold that comes late, and gives back one that it has."""
        spec = starting()
        if stopped:
            spec.does("house", c.Suspend("fault"))

        assert spec.does("ops", c.Void("why")) == (
            e.StartCancelled(1),
            e.TableVoided("why"),
            e.SeedRevealed(SEED),
        )
        assert spec.reload() == spec.table
        assert not spec.does("house", HELD)


@pytest.mark.parametrize("held", [True, False])
def test_an_answer_to_a_start_that_was_called_off_changes_nothing(held: bool) -> None:  # noqa: FBT001
    late = c.Collect(1, held=held, short=() if held else ("p_a",))
    called_off = starting()
    called_off.does("p_b", c.Leave())
    again = starting()
    again.does("p_b", c.Leave())
    again.does("p_a", c.Start())
    begun = starting()
    begun.does("house", HELD)
    closed = starting("p_a")
    closed.does("p_a", c.Leave())

    for spec in (called_off, again, begun, closed):
        assert spec.does("house", late) == ()
    assert Spec.unopened().table == Table(begun.table.table_id)


def test_without_stake_the_game_begins_at_once() -> None:
    spec = starting(rules=e.TableRules(places=3))

    assert spec.table.phase == "playing"
    assert e.StartRequested not in kinds(tuple(spec.facts))
    spec.to_end()
    assert spec.table.result is not None
    assert spec.table.result.stake == 0
