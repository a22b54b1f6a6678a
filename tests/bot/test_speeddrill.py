"""The computers of Speeddrill play as RULES.md 5.10 says."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from contracts.views import Question
from domain.games import GAMES
from domain.kernel import Ask
from domain.speeddrill.evolve import drilled
from domain.speeddrill.material import RODS_A_SEASON, SEASONS, STOCK, rods_left
from domain.speeddrill.moves import ChooseRods, Drill
from domain.speeddrill.scoring import wertung_of
from domain.speeddrill.state import State, on_turn
from domain.speeddrill.views import View
from services.bot.arena.match import Pairing, play_deal, play_game
from services.bot.strategies import COMPUTERS, strategy_of
from services.bot.strategies.speeddrill.greedy import drill_of, standings
from services.bot.strategies.speeddrill.position import lengths_of, position_of, weights_of
from services.bot.strategies.speeddrill.stark import _Lookahead, _stakes
from services.bot.strategies.strategy import Strategy
from tests.domain.playing import Variant, play

GAME = GAMES["speeddrill"]
MODES = ("KLASSISCH", "ROHSTOFFE")
STRENGTHS = ("leicht", "normal", "stark")
Asked = tuple[View, Question, random.Random, Any]


def decisions(strength: str, seats: int, mode: str, seed: str, others: str = "") -> list[Asked]:
    """Give the decisions of a strength in one game; it plays all seats, or one against others."""
    found: list[Asked] = []
    strategy = strategy_of("speeddrill", strength)

    def choose(view: View, question: Question, rng: random.Random) -> Any:
        again = random.Random()
        again.setstate(rng.getstate())
        move = strategy.choose(view, question, rng)
        found.append((view, question, again, move))
        return move

    rivals = strategy_of("speeddrill", others) if others else Strategy(strength, 1, choose)
    players = [Strategy(strength, 1, choose)] + [rivals] * (seats - 1)
    play_game(GAME, GAME.options_type(mode=mode), players, seed)
    return found


def rods_of(asked: list[Asked], konzern: str) -> list[tuple[int, ...]]:
    """Give the rods of all four seasons; in the last one those that are left."""
    chosen = [
        move.rods
        for _, _, _, move in asked
        if isinstance(move, ChooseRods) and move.konzern == konzern
    ]
    left = STOCK
    for rods in chosen:
        left = rods_left(left, rods)
    return [*chosen, left]


def turns(mode: str, seats: int) -> Iterator[State]:
    """Give the positions of a random game in which somebody has to drill."""
    for step in play(Variant("speeddrill", {"mode": mode}, seats), 5):
        if isinstance(step.after.waiting, Ask):
            yield step.after.state


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_strength_plays_whole_games_and_every_move_has_a_reason(
    seats: int, mode: str
) -> None:
    for strength in STRENGTHS:
        asked = decisions(strength, seats, mode, "whole", others="normal")

        reasons = [COMPUTERS["speeddrill"].reason(view, q, move) for view, q, _, move in asked]

        assert {question.kind for _, question, _, _ in asked} == {"rods", "drill"}
        assert all(sentence.endswith(".") for sentence in reasons)
        assert all(any(char.isdigit() for char in sentence) for sentence in reasons)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seats", [2, 3])
def test_a_drill_gains_what_the_rules_would_score(mode: str, seats: int) -> None:
    for state in turns(mode, seats):
        board = state.board
        at = on_turn(board)
        view = GAME.view(state, board.konzerne[at].seat)
        weights = weights_of(board, view.seat)
        before = wertung_of(board).scores
        for gain, minus_rod, hole in standings(view):
            holes = list(board.holes)
            holes[hole] = drilled(holes[hole], at, -minus_rod * 100)
            after = wertung_of(replace(board, holes=tuple(holes))).scores
            changes = zip(weights, before, after, strict=False)
            assert gain == sum(weight * (new - old) for weight, old, new in changes)


@pytest.mark.parametrize("mode", MODES)
def test_a_drill_gains_in_playouts_what_it_was_taken_for(mode: str) -> None:
    for state in turns(mode, 3):
        board = state.board
        at = on_turn(board)
        view = GAME.view(state, board.konzerne[at].seat)
        stakes = _stakes(board.options.mode, view.kursfeld, SEASONS - board.season)
        weights, rods = weights_of(board, view.seat), lengths_of(board.konzerne[at].rods)
        every = position_of(board).drillings(at, range(9), rods, stakes, weights)
        few = position_of(board).drillings(at, range(9), rods, stakes, weights, all_rods=False)
        for gain, minus_rod, hole in every:
            assert position_of(board).drill(at, hole, -minus_rod, stakes, weights) == gain
        assert max(few) == max(every)


def test_standings_are_the_offered_drills() -> None:
    for state in turns("KLASSISCH", 2):
        ask = GAME.waiting(state)
        assert isinstance(ask, Ask)
        view = GAME.view(state, ask.seat)

        drills = [drill_of(view, drilling) for drilling in standings(view)]

        assert sorted(map(repr, drills)) == sorted(map(repr, ask.options.moves))


def test_leicht_takes_any_rods_and_often_drills_anywhere() -> None:
    asked = decisions("leicht", 2, "KLASSISCH", "leicht")
    drills = [each for each in asked if isinstance(each[3], Drill)]

    best = sum(
        any(drill_of(view, d) == move and d[0] == max(standings(view))[0] for d in standings(view))
        for view, _, _, move in drills
    )

    assert len({tuple(rods_of(asked, side)) for side in ("Sued", "West", "Nord", "Ost")}) == 4
    assert 0.4 * len(drills) < best < 0.8 * len(drills)


def test_normal_spreads_every_length_evenly_over_the_seasons() -> None:
    asked = decisions("normal", 2, "KLASSISCH", "normal")

    for side in ("Sued", "West", "Nord", "Ost"):
        for have, by_season in zip(STOCK, zip(*rods_of(asked, side), strict=True), strict=True):
            assert {have // SEASONS, -(-have // SEASONS)} >= set(by_season)


@pytest.mark.parametrize("mode", MODES)
def test_normal_stands_best_and_saves_large_rods(mode: str) -> None:
    for view, question, _, move in decisions("normal", 4, mode, "normal"):
        if question.kind == "drill":
            drillings = standings(view)
            taken = next(each for each in drillings if drill_of(view, each) == move)
            assert taken[0] == max(drillings)[0]
            assert move.rod == min(-d[1] for d in drillings if d[0] == taken[0]) * 100


def test_stark_takes_large_rods_early_but_keeps_the_400s_back_in_season_1() -> None:
    asked = decisions("stark", 3, "KLASSISCH", "stark", others="leicht")

    plan = [(0, 2, 4, 0), (0, 3, 0, 3), (5, 1, 0, 0), (6, 0, 0, 0)]
    assert rods_of(asked, "Sued") == plan
    assert all(sum(rods) == RODS_A_SEASON for rods in plan)


def test_stark_can_take_over_from_any_supply() -> None:
    view, question, rng, _ = next(
        each for each in decisions("leicht", 2, "ROHSTOFFE", "left") if each[0].board.season == 3
    )

    move = strategy_of("speeddrill", "stark").choose(view, question, rng)

    assert question.options.descriptors[0].admits(move)


def test_stark_imagines_no_rod_twice() -> None:
    """Whoever has one rod of a length left cannot reply with it after he has drilled with it."""
    once = 0
    for view, question, _, _ in decisions("stark", 3, "ROHSTOFFE", "twice", others="leicht"):
        if question.kind != "drill":
            continue
        rods = view.board.konzerne[on_turn(view.board)].rods
        for line in _Lookahead(view).lines():
            length = -line.drilling[1]
            assert (length in line.rods) == (rods[length - 1] > 1)
            once += length not in line.rods
    assert once


def test_stark_decides_the_same_again() -> None:
    strategy = strategy_of("speeddrill", "stark")

    for view, question, rng, move in decisions("stark", 4, "ROHSTOFFE", "again", others="leicht"):
        assert strategy.choose(view, question, rng) == move


@pytest.mark.parametrize(("strong", "weak"), [("normal", "leicht"), ("stark", "normal")])
@pytest.mark.parametrize("mode", MODES)
def test_the_stronger_wins_most_duels(strong: str, weak: str, mode: str) -> None:
    a, b = strategy_of("speeddrill", strong), strategy_of("speeddrill", weak)
    pairing = Pairing(GAME, GAME.options_type(mode=mode), 2, a, b, "duels")

    won = [share for deal in range(3) for share in play_deal(pairing, deal).shares]

    assert sum(won) > len(won) / 2


def test_the_reason_names_standing_and_effect() -> None:
    asked = decisions("normal", 3, "KLASSISCH", "reason")
    first = next(each for each in asked if isinstance(each[3], Drill))
    rival = "West" if first[0].seat == 0 else "Süd"

    assert COMPUTERS["speeddrill"].reason(first[0], first[1], first[3]) == (
        f"Endete die Saison danach, stündest du bei 6 Punkten, 6 vor {rival}: auf dem Feld "
        f"{first[3].feld} bekommst du ein neues Loch von {first[3].rod} m, hast dort die "
        "Förderlizenz und holst die Erdkern-Prämie."
    )


def test_the_reason_for_rods_counts_them() -> None:
    view, question, _, _ = decisions("normal", 3, "KLASSISCH", "reason")[0]
    move = ChooseRods(question.default.konzern, (0, 2, 4, 0))

    assert COMPUTERS["speeddrill"].reason(view, question, move) == (
        "So bohrst du diese Saison 1600 von noch 4700 m und behältst 3 × 400 m für Übernahmen: "
        "ein Loch von jetzt kann noch 4-mal zählen."
    )
    every = ChooseRods(question.default.konzern, view.board.konzerne[0].supply)
    assert "und behältst kein 400-m-Gestänge: " in COMPUTERS["speeddrill"].reason(
        view, question, every
    )
