"""What nobody may know yet is in nobody's facts, views or questions."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from contracts.views import table_view
from domain.games import GAMES
from domain.kernel import Shuffled
from domain.table import commands as c
from domain.table import events as e
from domain.table.decider import awaited
from domain.table.visibility import seen
from tests.domain.redealing import REDEAL
from tests.domain.table.playing import SEED, Spec, played
from tests.domain.table.toy import TOY, Lay

encode = msgspec.json.encode
EVERYBODY = (None, 0, 1, 2, 3)


@pytest.mark.parametrize("seed", range(4))
def test_no_fact_tells_the_seed_or_the_pile_before_the_end(seed: int) -> None:
    spec = list(played(seed))[-1]
    hidden = [encode(fact.order) for fact in spec.facts if _is_pile(fact)]
    assert hidden
    assert b"5eed" in encode(spec.facts)
    for seat in EVERYBODY:
        told = [encode(seen(spec.game, fact, seat)) for fact in spec.facts]
        before_the_end = b"\n".join(told[:-1])
        assert SEED.encode() not in before_the_end
        assert b"5eed" not in before_the_end, "a computer's choice could be run again"
        assert not any(order in before_the_end for order in hidden)
        assert told[-1] == encode(e.SeedRevealed(SEED))


def _is_pile(fact: Any) -> bool:
    return isinstance(fact, Shuffled) and fact.what == "pile"


def test_only_the_commitment_of_the_seed_is_public() -> None:
    spec = Spec()

    assert seen(spec.game, spec.facts[1], 0) == e.SeedDrawn(spec.house.commitment)


def test_a_table_fact_is_the_same_for_everybody() -> None:
    spec = Spec.started("p_a", "p_b")
    for fact in spec.facts:
        if isinstance(fact, e.TableFact) and not isinstance(fact, e.SeedDrawn):
            assert all(seen(spec.game, fact, seat) is fact for seat in EVERYBODY)


def test_a_sealed_answer_is_a_blank_for_the_others() -> None:
    spec = Spec.started(game=TOY, rules=e.TableRules(places=2))
    facts = spec.does("p_a", c.Play(spec.table.raised, Lay("rot", 1)))

    assert [seen(TOY, fact, 0) for fact in facts] == list(facts)
    assert [seen(TOY, fact, 1) for fact in facts] == [None, None]
    assert [seen(TOY, fact, None) for fact in facts] == [None, None]


def view(spec: Spec, table: Any, seat: int | None) -> bytes:
    return encode(table_view(spec.game, table, awaited(spec.game, table), seat))


STEPS = 80
"""Enough of a game: one in which people choose at random need never end."""


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_view_does_not_depend_on_what_its_seat_cannot_know(name: str, seed: int) -> None:
    rng = random.Random(seed)
    other = rng.randbytes(32).hex()
    for spec in islice(played(seed, game=name), STEPS):
        table = spec.table
        if table.phase == "finished":
            break
        for seat in (None, *range(len(table.seats))):
            play = table.play and REDEAL[name](table.play, seat, rng)
            redealt = replace(table, seed=other, play=play)
            assert view(spec, redealt, seat) == view(spec, table, seat)


def test_views_hold_no_seed_until_the_end() -> None:
    for spec in played(seed=2):
        told = b"".join(view(spec, spec.table, seat) for seat in (None, 0, 1, 2))
        assert (SEED.encode() in told) == (spec.table.phase == "finished")


@pytest.mark.parametrize("phase", ["cancelled", "suspended"])
def test_a_table_that_never_ends_well(phase: str) -> None:
    spec = Spec("p_a")
    spec.does("p_a", c.Leave() if phase == "cancelled" else c.Suspend("fault"))

    assert spec.table.phase == phase
    assert (SEED.encode() in view(spec, spec.table, None)) == (phase == "cancelled")
    assert b'"ended_because"' in view(spec, spec.table, None)


def test_only_the_asked_seat_gets_the_question() -> None:
    for spec in played(seed=6):
        table = spec.table
        if table.phase != "playing":
            continue
        waiting = awaited(spec.game, table)
        for seat in (None, 0, 1, 2):
            shown = table_view(spec.game, table, waiting, seat)
            mine = [ask for _, ask in spec.asks() if ask.seat == seat]
            assert [each.kind for each in shown.questions] == [ask.kind for ask in mine]
            assert [each.options for each in shown.questions] == [ask.options for ask in mine]
            assert all(each.prompt == table.raised for each in shown.questions)
            assert shown.awaited is not None
            assert shown.awaited.prompt == table.raised


def test_a_pause_shows_who_is_still_waited_for() -> None:
    spec = Spec.started("p_a", "p_b")
    kind = spec.until_pause().kind
    spec.does("p_b", c.GoOn(spec.table.raised))
    shown = table_view(spec.game, spec.table, spec.waiting, None)

    assert shown.pause == kind
    assert shown.awaited is not None
    assert (shown.awaited.seats, shown.awaited.kind) == ((0,), "weiter")
    assert shown.awaited.deadline == spec.table.raised_at + 8_000 + 120_000
