"""Summaries: everybody present clicks "Weiter", or the clock does (TABLE-R05)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from domain.kernel import Ask, Pause, Resumed
from domain.refusals import Code
from domain.speeddive.moves import Dive
from domain.table import commands as c
from domain.table import events as e
from domain.table.clocks import READING_MS, next_due
from tests.domain.table.playing import Spec
from tests.domain.table.toy import TOY

THREE = e.TableRules(places=4, thinking_s=60)


@pytest.fixture
def spec() -> Spec:
    spec = Spec.started("p_a", "p_b", "g_c", rules=THREE)
    spec.until_pause()
    return spec


def weiter(spec: Spec, player: str) -> tuple[object, ...]:
    return spec.does(player, c.GoOn(spec.table.raised))


def test_the_last_one_ends_it(spec: Spec) -> None:
    number = spec.table.raised

    assert weiter(spec, "p_b") == (e.WentOn(1),)
    assert weiter(spec, "g_c") == (e.WentOn(2),)
    assert spec.table.raised == number
    assert spec.table.gone_on == {1, 2}
    facts = weiter(spec, "p_a")
    assert facts[:2] == (e.WentOn(0), Resumed("bilanz"))
    assert isinstance(spec.waiting, Ask)
    assert spec.table.raised > number
    assert spec.table.gone_on == frozenset()


def test_clicking_twice_counts_once(spec: Spec) -> None:
    weiter(spec, "p_b")

    assert weiter(spec, "p_b") == ()
    assert spec.table.gone_on == {1}


def test_a_new_owner_knows_who_went_on(spec: Spec) -> None:
    weiter(spec, "p_b")
    weiter(spec, "g_c")

    assert spec.reload() == spec.table
    assert spec.reload().gone_on == {1, 2}


@pytest.mark.parametrize("off", [-1, 1])
def test_another_number_is_stale(spec: Spec, off: int) -> None:
    spec.refuses("p_a", c.GoOn(spec.table.raised + off), Code.STALE_PROMPT)


def test_after_it_weiter_is_stale(spec: Spec) -> None:
    number = spec.table.raised
    for player in ("p_a", "p_b", "g_c"):
        weiter(spec, player)

    spec.refuses("p_a", c.GoOn(number), Code.STALE_PROMPT)
    spec.refuses("p_a", c.GoOn(spec.table.raised), Code.STALE_PROMPT)


def test_only_people_of_this_table(spec: Spec) -> None:
    for player in ("p_x", "computer_3", "bot"):
        spec.refuses(player, c.GoOn(spec.table.raised), Code.NOT_SEATED)


def test_nobody_plays_meanwhile(spec: Spec) -> None:
    spec.refuses("p_a", c.Play(spec.table.raised, Dive()), Code.NOT_YOUR_TURN)
    spec.refuses("bot", c.Decide(3, spec.table.raised, Dive(), "s", 1), Code.NOT_YOUR_TURN)


def test_with_clock_it_ends_after_reading_and_thinking_time(spec: Spec) -> None:
    end = spec.table.raised_at + READING_MS + 60_000
    assert next_due(spec.table, spec.waiting) == end
    spec.now = end - 1
    assert spec.does("house", c.Tick()) == ()
    spec.now = end

    assert spec.does("house", c.Tick())[0] == Resumed("bilanz")
    assert isinstance(spec.waiting, Ask)
    assert spec.does("house", c.Tick()) == (), "the next one does nothing"


def test_without_clock_it_waits() -> None:
    spec = Spec.started("p_a", rules=e.TableRules(places=2, thinking_s=0))
    while not isinstance(spec.waiting, Pause):
        seat, move = spec.ask().seat, spec.ask().options.moves[-1]
        if seat == 0:
            spec.plays(move)
        else:
            spec.does("bot", c.Decide(seat, spec.table.raised, move, "s", 1))
    spec.now += 10**12

    assert spec.does("house", c.Tick()) == ()
    assert next_due(spec.table, spec.waiting) is None
    assert weiter(spec, "p_a")[1] == Resumed("bilanz")


def test_a_tick_does_not_end_a_question() -> None:
    spec = Spec.started()
    spec.now += 10**9

    assert spec.does("house", c.Tick()) == ()


class TestLeaving:
    def test_the_others_are_still_waited_for(self, spec: Spec) -> None:
        facts = spec.does("p_a", c.Leave())

        assert facts == (e.PlayerLeft(0, "p_a", others=True),)
        assert isinstance(spec.waiting, Pause)

    def test_a_leaver_is_not_waited_for(self, spec: Spec) -> None:
        weiter(spec, "p_a")
        spec.does("p_b", c.Leave())

        assert weiter(spec, "g_c")[:2] == (e.WentOn(2), Resumed("bilanz"))

    def test_the_last_one_looked_at_ends_it_by_leaving(self, spec: Spec) -> None:
        weiter(spec, "p_a")
        weiter(spec, "p_b")

        facts = spec.does("g_c", c.Leave())
        assert facts[:2] == (e.PlayerLeft(2, "g_c", others=True), Resumed("bilanz"))
        assert isinstance(spec.waiting, Ask)

    def test_who_went_on_and_leaves_changes_nothing(self, spec: Spec) -> None:
        weiter(spec, "p_a")

        assert spec.does("p_a", c.Leave()) == (e.PlayerLeft(0, "p_a", others=True),)
        assert isinstance(spec.waiting, Pause)
        weiter(spec, "p_b")
        assert weiter(spec, "g_c")[1] == Resumed("bilanz")

    def test_when_all_have_left_there_are_no_pauses_any_more(self, spec: Spec) -> None:
        for player in ("p_a", "p_b", "g_c"):
            spec.does(player, c.Leave())
        while spec.table.phase == "playing":
            assert isinstance(spec.waiting, Ask)
            ask = spec.ask()
            spec.does("bot", c.Decide(ask.seat, spec.table.raised, ask.default, "s", 1))

        assert sum(isinstance(fact, Resumed) for fact in spec.facts) > 1


def two_pauses() -> Spec:
    spec = Spec.started(game=TOY, rules=e.TableRules(places=2))
    while not isinstance(spec.waiting, Pause):
        number, ask = spec.asks()[0]
        spec.does(spec.player(ask.seat), c.Play(number, ask.default))
    return spec


def by_weiter(spec: Spec) -> None:
    weiter(spec, "p_a")
    weiter(spec, "p_b")


def by_time(spec: Spec) -> None:
    spec.now += 10**6
    spec.does("house", c.Tick())


@pytest.mark.parametrize("end", [by_weiter, by_time])
def test_a_pause_after_a_pause_is_a_new_one(end: Callable[[Spec], None]) -> None:
    spec = two_pauses()
    first = spec.table.raised
    end(spec)

    assert spec.waiting == Pause("second")
    assert spec.table.raised > first
    assert spec.table.gone_on == frozenset()
    spec.refuses("p_a", c.GoOn(first), Code.STALE_PROMPT)
    assert spec.does("house", c.Tick()) == (), "its clock begins now"
    weiter(spec, "p_a")
    assert spec.table.gone_on == {0}


def test_the_last_one_leaving_skips_all_pauses_that_follow() -> None:
    spec = two_pauses()
    spec.does("p_a", c.Leave())
    facts = spec.does("p_b", c.Leave())

    kinds = [fact.kind for fact in facts if isinstance(fact, Resumed)]
    assert kinds == ["first", "second"]
    assert spec.table.shuffles == 1


def test_a_game_can_end_with_the_last_weiter() -> None:
    spec = two_pauses()
    for _ in range(2):
        by_weiter(spec)
    while not isinstance(spec.waiting, Pause):
        number, ask = spec.asks()[0]
        spec.does(spec.player(ask.seat), c.Play(number, ask.default))
    by_weiter(spec)
    weiter(spec, "p_a")

    kinds = [type(fact) for fact in spec.does("p_b", c.GoOn(spec.table.raised))]
    assert kinds == [e.WentOn, Resumed, e.GameFinished, e.SeedRevealed]
    assert spec.table.phase == "finished"
