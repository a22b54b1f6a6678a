"""Speeddrill at a table: the clock of the rods, expiry, leavers, places with gaps, whole games."""

from __future__ import annotations

import random
from typing import Any

import pytest

from domain.kernel import AskAll, Pause
from domain.options import sample
from domain.refusals import Code
from domain.speeddrill.events import RodsRevealed
from domain.speeddrill.game import Speeddrill
from domain.speeddrill.moves import ChooseRods
from domain.table import commands as c
from domain.table.clocks import due, next_due
from domain.table.events import TableRules
from tests.domain.table.playing import START, Spec
from tests.domain.table.test_whole_games import World

GAME = Speeddrill()


def started(*players: str, places: int = 2, **rules: Any) -> Spec:
    how: dict[str, Any] = {"game": GAME, "rules": TableRules(places, **rules)}
    return Spec.started(*players, **how)


def test_drill_r06_a05_two_colours_have_one_window_of_45_s_without_grace() -> None:
    spec = started("p_a", "p_b", thinking_s=30)
    assert isinstance(spec.waiting, AskAll)
    assert due(spec.table, "rods").deadline == due(spec.table, "rods").takeover == START + 45_000
    number = spec.table.raised
    spec.now += 40_000
    spec.does("p_a", c.Play(number, ChooseRods("Sued", (3, 1, 1, 1))))
    # An answer does not give the others more time.
    assert spec.table.raised == number
    assert next_due(spec.table, spec.waiting) == START + 45_000
    missing = {(0, "Nord"), (1, "West"), (1, "Ost")}
    assert {(ask.seat, ask.part) for _, ask in spec.asks()} == missing
    nord = c.Decide(0, number, ChooseRods("Nord", (3, 1, 1, 1)), "test", 1)
    spec.refuses("bot", nord, Code.NOT_YOUR_TURN)
    spec.now = START + 45_000
    # Only what is missing is completed, colour by colour; the chosen one stays.
    again = c.Decide(0, number, ChooseRods("Sued", (6, 0, 0, 0)), "test", 1)
    spec.refuses("bot", again, Code.NOT_OFFERED)
    chosen = spec.does("bot", nord)[0]
    assert (chosen.decided_by, chosen.part) == ("timeout", "Nord")
    spec.does("bot", c.Decide(1, number, ChooseRods("Ost", (6, 0, 0, 0)), "test", 1))
    facts = spec.does("p_b", c.Play(number, ChooseRods("West", (0, 6, 0, 0))))  # late, but in time
    (revealed,) = [fact for fact in facts if isinstance(fact, RodsRevealed)]
    assert revealed.rods == ((3, 1, 1, 1), (0, 6, 0, 0), (3, 1, 1, 1), (6, 0, 0, 0))


def test_drill_r06_without_clock_the_rods_have_all_the_time() -> None:
    spec = started("p_a", "p_b", thinking_s=0)
    assert next_due(spec.table, spec.waiting) is None
    spec.now += 10**9
    number = spec.table.raised
    move = c.Decide(0, number, ChooseRods("Sued", (3, 1, 1, 1)), "test", 1)
    spec.refuses("bot", move, Code.NOT_YOUR_TURN)


def test_a_turn_has_the_thinking_time_and_grace() -> None:
    spec = started("p_a", "p_b", thinking_s=30)
    while isinstance(spec.waiting, AskAll):
        spec.plays()
    raised = spec.table.raised_at
    assert due(spec.table, spec.ask().clock).deadline == raised + 30_000
    assert due(spec.table, spec.ask().clock).takeover == raised + 40_000


@pytest.mark.parametrize(
    ("place", "names"),
    [(1, "Sued West Nord Ost"), (2, "Sued Nord West Ost"), (3, "Sued Ost Nord West")],
)
def test_drill_r02_two_people_at_a_table_of_four(place: int, names: str) -> None:
    spec = Spec("p_a", game=GAME, rules=TableRules(4, computers=False))
    spec.does("p_b", c.Join(place))
    spec.does("p_a", c.Start())
    assert [konzern.name for konzern in spec.table.play.board.konzerne] == names.split()
    assert [spec.player(konzern.seat) for konzern in spec.table.play.board.konzerne] == [
        "p_a",
        "p_b",
        "p_a",
        "p_b",
    ]
    assert spec.reload().play == spec.table.play


def test_warten_needs_two_people() -> None:
    spec = Spec("p_a", game=GAME, rules=TableRules(4, computers=False))
    spec.refuses("p_a", c.Start(), Code.TOO_FEW_SEATS)


def test_a_leaver_s_colours_are_played_by_the_computer() -> None:
    spec = started("p_a", "p_b", thinking_s=0)
    spec.does("p_a", c.Leave())
    number = spec.table.raised
    for name in ("Nord", "Sued"):
        spec.does("bot", c.Decide(0, number, ChooseRods(name, (3, 1, 1, 1)), "test", 1))
    assert {ask.seat for _, ask in spec.asks()} == {1}


@pytest.mark.parametrize("places", [2, 3, 4])
@pytest.mark.parametrize("mode", ["KLASSISCH", "ROHSTOFFE"])
def test_whole_games_of_people_and_computers(places: int, mode: str) -> None:
    rng = random.Random(f"{places}{mode}")
    spec = Spec("p_a", "g_b", game=GAME, rules=TableRules(places), options={"mode": mode})
    spec.does("p_a", c.Start())
    pauses = 0
    while spec.table.phase == "playing":
        spec.now += rng.randrange(3_000)
        if isinstance(spec.waiting, Pause):
            pauses += 1
            spec.does("g_b", c.GoOn(spec.table.raised))
            spec.does("p_a", c.GoOn(spec.table.raised))
            continue
        number, ask = rng.choice(spec.asks())
        move = sample(ask.options, rng.randrange)
        if spec.table.seats[ask.seat].kind == "computer":
            spec.does("bot", c.Decide(ask.seat, number, move, "test", 1, "5eed"))
        else:
            spec.does(spec.player(ask.seat), c.Play(number, move))
    assert pauses == 4
    assert spec.table.phase == "finished"
    assert spec.reload() == spec.table
    result = spec.table.result
    assert result is not None
    assert len(result.ranks) == len(result.scores) == places


@pytest.mark.parametrize("seed", range(12))
def test_speeddrill_at_a_lively_table(seed: int) -> None:
    world = World(seed, GAME)
    world.run()
    assert world.spec.reload() == world.spec.table
