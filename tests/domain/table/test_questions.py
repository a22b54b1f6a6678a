"""The number of a question: what stays open keeps it, what is new gets a new one."""

from __future__ import annotations

from typing import Any

import pytest

from domain.refusals import Code
from domain.table import commands as c
from domain.table import events as e
from tests.domain.table.playing import Spec
from tests.domain.table.toy import TOY, Chosen, Lay, Pledge, Skip, Take

RULES = e.TableRules(places=2, computers=False)


@pytest.fixture
def spec() -> Spec:
    return Spec.started(game=TOY, rules=RULES)


def lay(spec: Spec, player: str, part: str, number: int = 1) -> tuple[Any, ...]:
    return spec.does(player, c.Play(spec.table.raised, Lay(part, number)))


def lay_all(spec: Spec) -> None:
    for player in ("p_a", "p_b"):
        for part in ("rot", "blau"):
            lay(spec, player, part)


def second_round(spec: Spec) -> None:
    lay_all(spec)
    spec.does("p_a", c.Play(spec.table.raised, Take()))
    for _ in range(2):
        for player in ("p_a", "p_b"):
            spec.does(player, c.GoOn(spec.table.raised))


class TestSealedAnswers:
    def test_both_parts_of_a_seat_are_one_question_with_two_answers(self, spec: Spec) -> None:
        number = spec.table.raised
        chosen, _ = lay(spec, "p_a", "rot")

        assert chosen == Chosen(0, number, Lay("rot", 1), part="rot")
        assert spec.table.raised == number
        assert {(ask.seat, ask.part) for at, ask in spec.asks() if at == number and ask.part} == {
            (0, "blau"),
            (1, "blau"),
            (1, "rot"),
        }

    def test_an_answer_that_was_given_is_not_given_again(self, spec: Spec) -> None:
        """Not for the same part, and not for the other one by mistake."""
        lay(spec, "p_a", "rot", 1)

        again = c.Play(spec.table.raised, Lay("rot", 2))
        spec.refuses("p_a", again, Code.NOT_OFFERED)

    def test_who_has_answered_all_is_asked_nothing_but_offers(self, spec: Spec) -> None:
        number = spec.table.raised
        lay(spec, "p_a", "rot")
        lay(spec, "p_a", "blau")

        assert [ask.kind for _, ask in spec.asks() if ask.seat == 0] == ["pledge"]
        spec.refuses("p_a", c.Play(number, Lay("rot", 0)), Code.NOT_OFFERED)

    def test_the_last_answer_closes_the_question(self, spec: Spec) -> None:
        number = spec.table.raised
        lay_all(spec)

        assert spec.table.raised > number
        spec.refuses("p_a", c.Play(number, Take()), Code.STALE_PROMPT)
        spec.refuses("p_b", c.Play(number, Lay("rot", 1)), Code.NOT_YOUR_TURN)

    def test_only_what_is_missing_is_decided_at_expiry(self, spec: Spec) -> None:
        lay(spec, "p_a", "rot")
        spec.now += 45_000
        number = spec.table.raised
        done = c.Decide(0, number, Lay("rot", 0), "s", 1)
        spec.refuses("bot", done, Code.NOT_OFFERED)
        facts = spec.does("bot", c.Decide(0, number, Lay("blau", 0), "s", 1))

        assert (facts[0].decided_by, facts[0].part) == ("timeout", "blau")


class TestOffers:
    def test_an_offer_stands_and_is_changed_under_its_number(self, spec: Spec) -> None:
        raised, offered = spec.table.raised, spec.table.offers_raised
        for number in (1, 2, 2):
            spec.does("p_a", c.Play(offered, Pledge(number)))

        assert (spec.table.raised, spec.table.offers_raised) == (raised, offered)
        assert spec.table.play.pledged == (1, 2, 2)

    def test_a_new_round_has_new_offers(self, spec: Spec) -> None:
        offered = spec.table.offers_raised
        second_round(spec)

        assert spec.table.offers_raised > offered
        spec.refuses("p_a", c.Play(offered, Pledge(1)), Code.STALE_PROMPT)
        spec.does("p_a", c.Play(spec.table.offers_raised, Pledge(1)))

    def test_offers_and_questions_of_one_fact_are_told_apart_by_the_move(self, spec: Spec) -> None:
        second_round(spec)
        number = spec.table.raised
        assert number == spec.table.offers_raised
        spec.does("p_a", c.Play(number, Pledge(1)))
        spec.does("p_a", c.Play(number, Lay("rot", 1)))

        assert spec.table.play.pledged == (1,)
        assert spec.table.play.laid == ((0, "rot", 1),)

    def test_closed_offers_are_not_answered(self, spec: Spec) -> None:
        offered = spec.table.offers_raised
        lay_all(spec)

        spec.refuses("p_b", c.Play(offered, Pledge(1)), Code.NOT_YOUR_TURN)
        spec.refuses("p_a", c.Play(offered, Pledge(1)), Code.STALE_PROMPT)

    def test_no_clock_decides_for_a_person_about_an_offer(self, spec: Spec) -> None:
        lay(spec, "p_a", "rot")
        lay(spec, "p_a", "blau")
        spec.now += 10**9

        offer = c.Decide(0, spec.table.offers_raised, Pledge(1), "s", 1)
        spec.refuses("bot", offer, Code.NOT_YOUR_TURN)


@pytest.mark.parametrize("keeps", ["left", "credit", "sealed", "offer"])
def test_what_keeps_the_question_keeps_old_answers_valid(spec: Spec, keeps: str) -> None:
    number = spec.table.raised
    spec.now += 5_000
    match keeps:
        case "left":
            spec.does("p_b", c.Leave())
        case "credit":
            spec.does("house", c.Credit(spec.now - 1_000, spec.now))
        case "sealed":
            lay(spec, "p_b", "rot")
        case "offer":
            spec.does("p_b", c.Play(spec.table.offers_raised, Pledge(1)))

    assert spec.table.raised == number
    assert spec.table.version > number
    assert spec.does("p_a", c.Play(number, Lay("rot", 1)))


def test_the_same_question_asked_again_has_another_number(spec: Spec) -> None:
    lay_all(spec)
    first = spec.table.raised
    spec.does("p_a", c.Play(first, Skip()))
    for _ in range(2):
        for player in ("p_a", "p_b"):
            spec.does(player, c.GoOn(spec.table.raised))
    lay_all(spec)

    assert spec.ask().kind == "take"
    spec.refuses("p_a", c.Play(first, Skip()), Code.STALE_PROMPT)
