"""Snorkeling at a table: anything may happen at any time, and nobody sees what he must not."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.views import table_view
from domain.refusals import Code
from domain.snorkeling.events import CardDrawn, HandsDealt
from domain.snorkeling.game import Snorkeling
from domain.snorkeling.moves import Attack, DrawCard, Pass, PlayCards, TakeCard
from domain.table import commands as c
from domain.table.decider import awaited
from domain.table.events import TableRules
from domain.table.visibility import seen
from tests.domain.redealing import REDEAL
from tests.domain.table.playing import Spec
from tests.domain.table.test_whole_games import World

GAME = Snorkeling()


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_at_a_lively_table(seed: int) -> None:
    world = World(seed, GAME)
    world.run()

    assert world.spec.reload() == world.spec.table


def spec_of(seed: int, seats: int, variant: str) -> Spec:
    spec = Spec(
        "p_a",
        "p_b",
        rules=TableRules(places=seats),
        options={"variant": variant},
        game=GAME,
        seed=random.Random(seed).randbytes(32).hex(),
    )
    spec.does("p_a", c.Start("seed"))
    return spec


def view(table: Any, seat: int | None) -> bytes:
    return msgspec.json.encode(table_view(GAME, table, awaited(GAME, table), seat))


@pytest.mark.parametrize("variant", ["BASIS", "EXPERTEN"])
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_whole_games_with_defaults_end_and_show_nothing_hidden(seats: int, variant: str) -> None:
    spec = spec_of(seats, seats, variant)
    rng = random.Random(seats)
    while spec.table.phase == "playing":
        for seat in (None, *range(seats)):
            redealt = REDEAL["snorkeling"](spec.table.play, seat, rng)
            other = msgspec.structs.replace(spec.table, play=redealt)
            assert view(other, seat) == view(spec.table, seat)
        if not spec.asks():  # the Bilanz
            for player in ("p_a", "p_b"):
                spec.does(player, c.GoOn(spec.table.raised))
            continue
        ask = spec.ask()
        spec.now += 131_000
        spec.does("bot", c.Decide(ask.seat, spec.table.raised, ask.default, "test", 1, "5eed"))
    assert spec.table.phase == "finished"
    for fact in spec.facts:
        for seat in (None, *range(seats)):
            shown = seen(GAME, fact, seat)
            if isinstance(shown, CardDrawn):
                assert bool(shown.card) == (shown.seat == seat)
            if isinstance(shown, HandsDealt):
                assert [bool(hand) for hand in shown.hands] == [s == seat for s in range(seats)]


@pytest.mark.parametrize(
    "move",
    [
        TakeCard(),
        DrawCard(),
        PlayCards(()),
        PlayCards(("zz",)),
        PlayCards(("b0",) * 4),
        PlayCards(("Laternenfisch",)),
        PlayCards(("b0",), Attack("b1", 0)),
        PlayCards(("b0",), Attack("b1", 5)),
    ],
)
def test_wrong_moves_at_the_table_are_refused(move: Any) -> None:
    spec = spec_of(1, 3, "BASIS")
    ask = spec.ask()
    while spec.table.seats[ask.seat].kind == "computer":
        spec.does("bot", c.Decide(ask.seat, spec.table.raised, Pass(), "test", 1, "5eed"))
        ask = spec.ask()
    player = spec.player(ask.seat)
    spec.refuses(player, c.Play(spec.table.raised, move), Code.NOT_OFFERED)
    other = "p_b" if player == "p_a" else "p_a"
    spec.refuses(other, c.Play(spec.table.raised, Pass()), Code.NOT_YOUR_TURN)
    spec.refuses(player, c.Play(spec.table.raised - 1, Pass()), Code.STALE_PROMPT)
    spec.does(player, c.Play(spec.table.raised, Pass()))
