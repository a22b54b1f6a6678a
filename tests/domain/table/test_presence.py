"""A disconnect is never leaving; the others may let the computer play (TABLE-A08)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Chosen, Pause, Resumed
from domain.refusals import Code
from domain.table import commands as c
from domain.table import events as e
from domain.table.absence import OFFLINE_MS, SUBSTITUTE_MS, Absence
from domain.table.clocks import decided_by, next_due, next_offline, next_wake
from domain.table.state import attending, persons
from tests.domain.table.playing import START, Spec
from tests.domain.table.toy import TOY

PEOPLE = ("p_a", "p_b", "p_c")


def rules(thinking_s: Any = 0, *, computers: bool = False) -> e.TableRules:
    return e.TableRules(3, computers, thinking_s)


def without_clock(*people: str, **how: Any) -> Spec:
    return Spec.started(*(people or PEOPLE), rules=rules(), **how)


def offline(spec: Spec, seat: int, after_ms: int = OFFLINE_MS) -> tuple[Any, ...]:
    """Let a person fall silent now, and his absence be found `after_ms` later."""
    silent_since = spec.now
    spec.now += after_ms
    return spec.does("house", c.NoteOffline(((seat, silent_since),)))


def substituted(spec: Spec, seat: int, by: str = "p_a") -> None:
    offline(spec, seat)
    spec.now += SUBSTITUTE_MS
    spec.does(by, c.Substitute(seat))


class TestOffline:
    def test_is_a_fact_that_changes_no_question(self) -> None:
        spec = without_clock()
        before = (spec.table.raised, spec.asks(), spec.table.seats)

        assert offline(spec, 1) == (e.SeatOffline(1, START),)

        assert spec.table.absent == (Absence(1, START),)
        assert (spec.table.raised, spec.asks(), spec.table.seats) == before
        assert attending(spec.table) == (0, 1, 2), "he is still waited for"

    def test_is_found_after_a_minute_and_not_before(self) -> None:
        spec = without_clock()

        assert not offline(spec, 1, OFFLINE_MS - 1)
        assert offline(spec, 1)

    def test_is_noted_once(self) -> None:
        spec = without_clock()
        offline(spec, 1)

        assert not offline(spec, 1)

    def test_several_at_once(self) -> None:
        spec = without_clock()
        spec.now += OFFLINE_MS

        facts = spec.does("house", c.NoteOffline(((0, START), (2, START))))

        assert facts == (e.SeatOffline(0, START), e.SeatOffline(2, START))

    def test_counts_from_the_start_of_the_game(self) -> None:
        spec = without_clock()
        spec.now += OFFLINE_MS

        facts = spec.does("house", c.NoteOffline(((1, START - 10**6),)))

        assert facts == (e.SeatOffline(1, START),)

    def test_nobody_is_offline_where_nobody_waits_for_him(self) -> None:
        spec = Spec.started("p_a", rules=rules(computers=True))
        assert not offline(spec, 0)
        spec = without_clock()
        spec.does("p_b", c.Leave())
        spec.does("p_c", c.Leave())
        assert not offline(spec, 0)

    def test_neither_computers_nor_leavers_are_offline(self) -> None:
        spec = Spec.started("p_a", "p_b", rules=rules(computers=True))
        assert not offline(spec, 2)
        spec = without_clock()
        spec.does("p_b", c.Leave())
        assert not offline(spec, 1)

    def test_the_person_comes_back(self) -> None:
        spec = without_clock()
        offline(spec, 1)

        assert spec.does("house", c.NoteBack(1)) == (e.SeatBack(1),)
        assert spec.table.absent == ()
        assert not spec.does("house", c.NoteBack(1))

    def test_a_leaver_is_no_longer_offline(self) -> None:
        spec = without_clock()
        offline(spec, 1)
        spec.does("p_b", c.Leave())

        assert spec.table.absent == ()
        assert not spec.does("house", c.NoteBack(1))

    def test_a_new_owner_finds_it(self) -> None:
        spec = without_clock()
        substituted(spec, 1)
        offline(spec, 2)

        assert spec.reload().absent == spec.table.absent != ()


class TestWake:
    def test_when_somebody_can_first_be_found_offline(self) -> None:
        spec = without_clock()

        assert next_due(spec.table, spec.waiting) is None
        assert next_wake(spec.table, spec.waiting) == START + OFFLINE_MS

    def test_the_earlier_of_clock_and_offline_limit(self) -> None:
        for thinking_s, wake_s in ((30, 40), (60, 60)):
            spec = Spec.started(*PEOPLE, rules=rules(thinking_s))
            assert next_wake(spec.table, spec.waiting) == START + wake_s * 1_000

    def test_never_without_other_people_nor_when_all_are_gone(self) -> None:
        spec = Spec.started("p_a", rules=rules(computers=True))
        assert next_offline(spec.table) is None
        spec = without_clock()
        for seat in range(3):
            assert next_offline(spec.table) is not None
            offline(spec, seat)
        assert next_wake(spec.table, spec.waiting) is None, "all vanished: the table waits"


class TestSubstitute:
    def test_after_five_minutes(self) -> None:
        spec = without_clock()
        offline(spec, 1)
        spec.now = START + SUBSTITUTE_MS - 1
        refused = spec.refuses("p_a", c.Substitute(1), Code.TOO_EARLY)
        assert "1 s" in refused.sentence
        spec.now += 1

        assert spec.does("p_a", c.Substitute(1)) == (e.SeatSubstituted(1, "p_a"),)
        assert spec.table.absent == (Absence(1, START, substituted=True),)
        assert not spec.does("p_c", c.Substitute(1)), "it is fulfilled already"

    def test_only_for_somebody_else_who_is_offline(self) -> None:
        spec = without_clock()
        spec.now += 10**7
        spec.refuses("p_a", c.Substitute(1), Code.NOT_OFFLINE)
        spec.refuses("p_a", c.Substitute(7), Code.NOT_OFFLINE)
        offline(spec, 0)
        spec.now += SUBSTITUTE_MS
        spec.refuses("p_a", c.Substitute(0), Code.NOT_OFFLINE)

    def test_only_people_who_play_here_may(self) -> None:
        spec = without_clock()
        offline(spec, 1)
        spec.now += SUBSTITUTE_MS
        spec.refuses("p_x", c.Substitute(1), Code.NOT_SEATED)
        spec.does("p_c", c.Leave())
        spec.refuses("p_c", c.Substitute(1), Code.NOT_SEATED)

    def test_the_computer_plays_until_he_is_back(self) -> None:
        spec = without_clock()
        seat = spec.ask().seat
        other = spec.player((seat + 1) % 3)
        answer = c.Decide(seat, spec.table.raised, spec.ask().default, "s", 1)
        spec.refuses("bot", answer, Code.NOT_YOUR_TURN)
        substituted(spec, seat, other)
        assert next_due(spec.table, spec.waiting) is not None, "a computer is awaited"

        chosen, *_ = spec.does("bot", answer)

        assert isinstance(chosen, Chosen)
        assert (chosen.decided_by, chosen.strategy) == ("substitute", "s")
        assert persons(spec.table) == (0, 1, 2), "he has not left"
        while spec.ask().seat != seat:
            spec.plays()
        spec.does("house", c.NoteBack(seat))
        late = c.Decide(seat, spec.table.raised, spec.ask().default, "s", 1)
        spec.refuses("bot", late, Code.NOT_YOUR_TURN)
        (chosen, *_) = spec.plays()
        assert chosen.decided_by == "human"

    def test_he_may_answer_before_he_is_known_to_be_back(self) -> None:
        spec = without_clock()
        seat = spec.ask().seat
        substituted(spec, seat, spec.player((seat + 1) % 3))

        (chosen, *_) = spec.plays()

        assert chosen.decided_by == "human"

    def test_with_a_clock_too(self) -> None:
        spec = Spec.started(*PEOPLE, rules=rules(120))
        seat = spec.ask().seat
        substituted(spec, seat, spec.player((seat + 1) % 3))

        assert decided_by(spec.table, spec.ask(), spec.now) == "substitute"

    def test_it_costs_neither_points_nor_stake(self) -> None:
        spec = Spec.started(*PEOPLE, rules=rules(30), options={"target": 100})
        substituted(spec, 1)
        spec.to_end()

        finished = next(fact for fact in spec.facts if isinstance(fact, e.GameFinished))
        assert not any(isinstance(fact, e.PlayerLeft) for fact in spec.facts)
        assert not finished.seats[1].left


class TestSummary:
    def paused(self, thinking_s: Any = 0) -> Spec:
        spec = Spec.started(*PEOPLE, game=TOY, rules=rules(thinking_s))
        while not isinstance(spec.waiting, Pause):
            number, ask = spec.asks()[0]
            spec.does(spec.player(ask.seat), c.Play(number, ask.default))
        return spec

    def test_is_not_waited_for_by_whom_the_computer_plays(self) -> None:
        spec = self.paused()
        substituted(spec, 1)
        spec.does("p_a", c.GoOn(spec.table.raised))
        assert isinstance(spec.waiting, Pause)

        facts = spec.does("p_c", c.GoOn(spec.table.raised))

        assert any(isinstance(fact, Resumed) for fact in facts)

    def test_ends_when_only_he_was_waited_for(self) -> None:
        spec = self.paused()
        for player in ("p_a", "p_c"):
            spec.does(player, c.GoOn(spec.table.raised))
        offline(spec, 1)
        spec.now += SUBSTITUTE_MS

        substitution, resumed, *_ = spec.does("p_a", c.Substitute(1))

        assert substitution == e.SeatSubstituted(1, "p_a")
        assert isinstance(resumed, Resumed)

    def test_waits_for_him_again_when_he_is_back(self) -> None:
        spec = self.paused()
        substituted(spec, 1)
        spec.does("house", c.NoteBack(1))
        for player in ("p_a", "p_c"):
            spec.does(player, c.GoOn(spec.table.raised))

        assert isinstance(spec.waiting, Pause)

    def test_ends_by_itself_where_the_computer_plays_for_all(self) -> None:
        spec = self.paused()
        substituted(spec, 1)
        spec.does("p_c", c.Leave())
        spec.does("p_a", c.Leave())

        assert not isinstance(spec.waiting, Pause)


class TestDowntime:
    def test_does_not_count_against_who_is_offline(self) -> None:
        spec = without_clock()
        offline(spec, 1)
        spec.now += 3_600_000

        credit = spec.does("house", c.Credit(START + 70_000, START + 3_670_000))

        assert credit == (e.DowntimeCredited(START + 70_000, START + 3_670_000),)
        assert spec.table.absent == (Absence(1, START + 3_600_000),)
        spec.now = START + 3_600_000 + SUBSTITUTE_MS - 1
        spec.refuses("p_a", c.Substitute(1), Code.TOO_EARLY)
        assert spec.reload().absent == spec.table.absent

    def test_before_he_was_offline_changes_nothing(self) -> None:
        spec = without_clock()
        spec.now += 3_600_000
        offline(spec, 1)

        assert not spec.does("house", c.Credit(START + 1_000, START + 2_000_000))

    def test_without_clock_and_absence_is_not_credited(self) -> None:
        spec = without_clock()
        spec.now += 3_600_000

        assert not spec.does("house", c.Credit(START, START + 3_600_000))


@pytest.mark.parametrize("thinking_s", [0, 30])
def test_nothing_of_it_happens_at_a_stopped_table(thinking_s: int) -> None:
    spec = Spec.started(*PEOPLE, rules=rules(thinking_s))
    offline(spec, 1)
    spec.does("house", c.Suspend("fault"))

    assert not offline(spec, 2)
    assert not spec.does("house", c.NoteBack(1))
    assert next_wake(spec.table, spec.waiting) is None
    spec.now += SUBSTITUTE_MS
    spec.refuses("p_a", c.Substitute(1), Code.SUSPENDED)
