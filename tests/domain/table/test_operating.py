"""Operators end a table without a result, or let one that was stopped go on (DESIGN section 4)."""

from __future__ import annotations

from typing import Any

from domain.refusals import Code
from domain.table import commands as c
from domain.table import events as e
from domain.table.absence import OFFLINE_MS, SUBSTITUTE_MS
from domain.table.clocks import due, next_wake
from tests.domain.table.playing import SEED, START, Spec

WHY = "Ursache behoben"


def rules(thinking_s: Any = 30) -> e.TableRules:
    return e.TableRules(2, computers=False, thinking_s=thinking_s)


def stopped(spec: Spec) -> Spec:
    spec.does("house", c.Suspend("fault"))
    return spec


class TestUnsuspend:
    def test_the_table_goes_on_where_it_stood(self) -> None:
        spec = Spec.started(rules=rules())
        before = (spec.waiting, spec.table.raised, spec.table.play, spec.asks())
        stopped(spec)
        assert spec.waiting is None

        assert spec.does("ops", c.Unsuspend(WHY)) == (e.TableResumed(WHY),)

        assert spec.table.phase == "playing"
        assert spec.table.ended_because == ""
        assert (spec.waiting, spec.table.raised, spec.table.play, spec.asks()) == before
        assert spec.reload() == spec.table
        spec.plays()

    def test_clocks_stood_still_meanwhile(self) -> None:
        spec = Spec.started(rules=rules())
        spec.now += 20_000
        stopped(spec)
        spec.now += 86_400_000
        spec.does("ops", c.Unsuspend(WHY))

        assert due(spec.table, "turn").deadline == spec.now + 10_000

    def test_no_span_is_given_back_twice(self) -> None:
        spec = stopped(Spec.started(rules=rules()))
        spec.now += 86_400_000
        spec.does("ops", c.Unsuspend(WHY))
        deadline = due(spec.table, "turn").deadline

        assert not spec.does("house", c.Credit(START + 1_000, START + 80_000_000))
        assert due(spec.table, "turn").deadline == deadline

    def test_who_was_offline_has_the_rest_of_his_five_minutes(self) -> None:
        spec = Spec.started(rules=rules(0))
        spec.now += OFFLINE_MS
        spec.does("house", c.NoteOffline(((1, START),)))
        stopped(spec)
        spec.now += 86_400_000
        spec.does("ops", c.Unsuspend(WHY))

        assert spec.table.absent[0].substitute_from == spec.now + SUBSTITUTE_MS - OFFLINE_MS

    def test_before_the_start_people_gather_again(self) -> None:
        spec = stopped(Spec("p_a", rules=rules()))
        spec.does("ops", c.Unsuspend(WHY))

        assert spec.table.phase == "gathering"
        spec.does("p_b", c.Join())

    def test_only_a_stopped_table_needs_it(self) -> None:
        Spec.started(rules=rules()).refuses("ops", c.Unsuspend(WHY), Code.NOT_SUSPENDED)
        Spec.unopened().refuses("ops", c.Unsuspend(WHY), Code.UNKNOWN_TABLE)


class TestVoid:
    def test_ends_a_stopped_a_running_and_a_gathering_table(self) -> None:
        running = Spec.started(rules=rules())
        for spec in (stopped(Spec.started(rules=rules())), running, Spec("p_a", rules=rules())):
            assert spec.does("ops", c.Void(WHY)) == (e.TableVoided(WHY), e.SeedRevealed(SEED))

            assert (spec.table.phase, spec.table.ended_because) == ("voided", WHY)
            assert spec.waiting is None
            assert next_wake(spec.table, spec.waiting) is None
            assert spec.table.result is None
            assert spec.reload() == spec.table

    def test_nothing_happens_after_that(self) -> None:
        spec = Spec.started(rules=rules())
        spec.does("ops", c.Void(WHY))

        for command in (c.Void(WHY), c.Unsuspend(WHY)):
            spec.refuses("ops", command, Code.FINISHED)
        for late in (c.Play(spec.table.raised, None), c.Leave(), c.Join(), c.Start()):
            spec.refuses("p_a", late, Code.FINISHED)
        assert not spec.does("house", c.Suspend("late"))

    def test_a_finished_table_keeps_its_result(self) -> None:
        spec = Spec.started("p_a", rules=e.TableRules(2, thinking_s=30), options={"target": 100})
        spec.to_end()

        spec.refuses("ops", c.Void(WHY), Code.FINISHED)
        assert spec.table.phase == "finished"
