"""Deeper Dive and Brutal at a table: whole lively games, and answers that are refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.kernel import Ask
from domain.refusals import Code, Refused
from domain.speeddive.moves import ChargeDiver, ChooseCard, ChooseTarget, SwapCards, TakeBonus
from domain.table import commands as c
from domain.table.events import TableRules
from tests.domain.table.playing import Spec
from tests.domain.table.test_whole_games import World


class DeepWorld(World):
    """The lively table, opened for another edition."""

    def __init__(self, seed: int, options: dict[str, Any]) -> None:
        super().__init__(seed, None)
        self.spec = Spec(*self.people, rules=self.spec.table.rules, options=options)


@pytest.mark.parametrize("brutal", [False, True])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_deeper_dive_at_a_lively_table(seed: int, *, brutal: bool) -> None:
    world = DeepWorld(seed, {"edition": "DEEPER_DIVE", "brutal": brutal, "target": 100})
    world.run()
    assert world.spec.reload() == world.spec.table


def test_brutal_is_refused_in_klassisch_with_a_sentence() -> None:
    with pytest.raises(Refused, match="mode of edition DEEPER_DIVE only") as refused:
        Spec("p_a", options={"brutal": True})
    assert refused.value.code is Code.BAD_OPTIONS


def test_moves_of_other_questions_are_refused_and_change_nothing() -> None:
    spec = Spec.started(
        "p_a", "p_b", rules=TableRules(2), options={"edition": "DEEPER_DIVE", "brutal": True}
    )
    while not (isinstance(spec.waiting, Ask) and spec.waiting.kind == "dive"):
        ask = spec.waiting
        assert isinstance(ask, Ask)
        spec.does(("p_a", "p_b")[ask.seat], c.Play(spec.table.raised, ask.default))
    player = ("p_a", "p_b")[spec.waiting.seat]
    for move in (
        TakeBonus(),
        ChargeDiver(1),
        ChooseTarget(0),
        ChooseCard(0, "5"),
        SwapCards(0, "5", 1, "6"),
    ):
        spec.refuses(player, c.Play(spec.table.raised, move), Code.NOT_OFFERED)
