"""Clocks belong to questions; every time follows from facts (TABLE-R01)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.kernel import Clock
from domain.speeddive.moves import Surface
from domain.table import commands as c
from domain.table import events as e
from domain.table.clocks import (
    COMPUTER_MS,
    GRACE_MS,
    NEVER,
    READING_MS,
    RODS_MS,
    Due,
    decided_by,
    due,
    next_due,
)
from tests.domain.table.playing import START, Spec
from tests.domain.table.toy import TOY

CLOCKS: list[Clock] = ["turn", "rods", "summary", "none"]


def rules(thinking_s: Any, places: int = 2, *, computers: bool = False) -> e.TableRules:
    return e.TableRules(places, computers, thinking_s)


@pytest.mark.parametrize("thinking_s", [30, 60, 90, 120])
def test_every_kind_of_clock(thinking_s: int) -> None:
    table = Spec.started(rules=rules(thinking_s)).table
    thinking = thinking_s * 1_000

    assert due(table, "turn") == Due(START + thinking, START + thinking + GRACE_MS)
    assert due(table, "rods") == Due(START + RODS_MS, START + RODS_MS)
    end = START + READING_MS + thinking
    assert due(table, "summary") == Due(end, end)
    assert due(table, "none") == NEVER


@pytest.mark.parametrize("clock", CLOCKS)
def test_without_clock_nothing_is_ever_due(clock: Clock) -> None:
    assert due(Spec.started(rules=rules(0)).table, clock) == NEVER


def test_the_constants_are_those_of_the_rules() -> None:
    assert (GRACE_MS, READING_MS, RODS_MS) == (10_000, 8_000, 45_000)


def test_every_question_has_a_fresh_clock() -> None:
    spec = Spec.started(rules=rules(30))
    spec.now += 29_000
    spec.plays()

    assert due(spec.table, "turn").deadline == START + 29_000 + 30_000


def test_who_decides() -> None:
    spec = Spec.started("p_a", rules=rules(30, 3, computers=True))
    table = spec.table
    for seat in range(3):
        ask = spec.ask().__class__(seat, "dive", spec.ask().options, Surface())
        for late, expected in ((39_999, "human"), (40_000, "timeout")):
            by = decided_by(table, ask, START + late)
            assert by == ("computer" if seat else expected)


def test_what_stays_open_keeps_its_clock() -> None:
    """Leaving, a sealed answer and an offer that was answered do not start it again."""
    spec = Spec.started("p_a", "p_b", "p_c", game=TOY, rules=rules(30, 3))
    before = (spec.table.raised, due(spec.table, "rods"))
    spec.now += 7_000
    for seat, number, ask in [(ask.seat, number, ask) for number, ask in spec.asks()][::2]:
        spec.does(f"p_{'abc'[seat]}", c.Play(number, ask.default))
    spec.does("p_c", c.Leave())

    assert (spec.table.raised, due(spec.table, "rods")) == before


class TestWake:
    def test_for_a_person_at_the_end_of_the_grace(self) -> None:
        spec = Spec.started(rules=rules(60))

        assert next_due(spec.table, spec.waiting) == START + 70_000

    def test_for_a_person_without_clock_never(self) -> None:
        spec = Spec.started(rules=rules(0))

        assert next_due(spec.table, spec.waiting) is None

    def test_of_several_the_earliest(self) -> None:
        spec = Spec.started("p_a", game=TOY, rules=rules(60, 2, computers=True))

        assert next_due(spec.table, spec.waiting) == START + COMPUTER_MS

    def test_a_computer_among_several_without_clock(self) -> None:
        spec = Spec.started("p_a", game=TOY, rules=rules(0, 2, computers=True))
        assert next_due(spec.table, spec.waiting) == START + COMPUTER_MS
        for number, ask in spec.asks():
            if ask.seat == 1 and ask.kind == "lay":
                spec.does("bot", c.Decide(1, number, ask.default, "s", 1))

        assert next_due(spec.table, spec.waiting) is None


class TestCredit:
    def credited(self, spec: Spec, from_s: float, to_s: float) -> tuple[Any, ...]:
        spec.now = max(spec.now, START + int(to_s * 1_000))
        span = c.Credit(START + int(from_s * 1_000), START + int(to_s * 1_000))
        return spec.does("house", span)

    def test_open_clocks_get_the_span_back(self) -> None:
        spec = Spec.started(rules=rules(30))
        number = spec.table.raised

        facts = self.credited(spec, 5, 12)

        assert facts == (e.DowntimeCredited(START + 5_000, START + 12_000),)
        assert due(spec.table, "turn") == Due(START + 37_000, START + 47_000)
        assert next_due(spec.table, spec.waiting) == START + 47_000
        assert spec.table.raised == number
        assert spec.reload() == spec.table

    def test_several_spans_add_up(self) -> None:
        spec = Spec.started(rules=rules(30))
        self.credited(spec, 5, 12)
        self.credited(spec, 14, 20)

        assert due(spec.table, "turn").deadline == START + 43_000
        assert spec.reload() == spec.table

    @pytest.mark.parametrize(("second", "total"), [((5, 12), 7), ((3, 12), 7), ((8, 20), 15)])
    def test_no_time_is_given_twice(self, second: tuple[int, int], total: int) -> None:
        """Two owners after each other may both have seen the same gap."""
        spec = Spec.started(rules=rules(30))
        self.credited(spec, 5, 12)
        self.credited(spec, *second)

        assert spec.table.credit_ms == total * 1_000

    def test_a_question_that_was_raised_in_the_span_gets_its_part(self) -> None:
        spec = Spec.started(rules=rules(30))
        spec.now = START + 9_000
        spec.plays()

        facts = self.credited(spec, 5, 12)
        assert facts == (e.DowntimeCredited(START + 9_000, START + 12_000),)
        assert due(spec.table, "turn").deadline == START + 9_000 + 30_000 + 3_000

    def test_a_question_that_was_raised_after_the_span_gets_nothing(self) -> None:
        spec = Spec.started(rules=rules(30))
        spec.now = START + 13_000
        spec.plays()

        assert self.credited(spec, 5, 12) == ()
        assert self.credited(spec, 5, 13) == ()

    def test_the_next_question_begins_without_credit(self) -> None:
        spec = Spec.started(rules=rules(30))
        self.credited(spec, 5, 12)
        spec.plays()

        assert spec.table.credit_ms == 0
        assert due(spec.table, "turn").deadline == spec.now + 30_000

    def test_a_summary_is_prolonged_too(self) -> None:
        spec = Spec.started(rules=rules(30))
        spec.until_pause()
        raised = spec.table.raised_at
        gone = (raised - START) / 1_000
        self.credited(spec, gone + 1, gone + 5)

        assert due(spec.table, "summary").takeover == raised + READING_MS + 30_000 + 4_000
        spec.now = raised + READING_MS + 30_000
        assert spec.does("house", c.Tick()) == ()

    @pytest.mark.parametrize("span", [(12, 5), (7, 7)], ids=["backwards", "empty"])
    def test_no_span(self, span: tuple[int, int]) -> None:
        assert self.credited(Spec.started(rules=rules(30)), *span) == ()

    def test_where_no_clock_runs_nothing_is_noted(self) -> None:
        for spec in (Spec("p_a"), Spec.started(rules=rules(0))):
            assert self.credited(spec, 5, 12) == ()

    def test_an_expired_deadline_is_open_again(self) -> None:
        """R026: the time was over while nobody served the table."""
        spec = Spec.started(rules=rules(30))
        seat, number = spec.ask().seat, spec.table.raised
        self.credited(spec, 20, 60)

        command = c.Decide(seat, number, Surface(), "s", 1)
        assert decided_by(spec.table, spec.ask(), spec.now) == "human"
        spec.now = START + 80_000
        assert spec.does("bot", command)[0].seat == seat
