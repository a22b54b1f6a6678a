"""Scores, ranks and Rohstoffe of Speeddrill by rule id; the worked examples are in tests/records."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.kernel import Shuffled, begin, ranked
from domain.ranking import place_bonus
from domain.speeddrill.events import SeasonStarted
from domain.speeddrill.evolve import drilled
from domain.speeddrill.game import Speeddrill
from domain.speeddrill.rohstoffe import TABLE, hole_score
from domain.speeddrill.scoring import leaderboard_base, strengths_of
from domain.speeddrill.seating import konzerne_of
from domain.speeddrill.state import FREE, Board, Konzern, Options
from tests.domain.playing import Variant, facts_of, play, shuffles
from tests.domain.speeddrill.playing import plays

GAME = Speeddrill()


def test_drill_a01_three_two_one() -> None:
    plays(
        4,
        'phase = "score"\nholes = ["Texas OL: Sued 300", "Texas OM: West 200", "Texas OR: Sued 100"]',
        "expect seasons.1.scores = 7, 1, 0, 0\nexpect seasons.1.erdkern = Sued",
    )


def test_drill_a04_most_holes_not_most_metres() -> None:
    plays(
        4,
        'holes = ["Texas OL: Sued 400 400", "Texas OM: West 100", "Texas OR: West 100"]',
        "expect Texas.lizenz = West\nexpect Texas.metres = 800, 200, 0, 0",
    )


def test_drill_5_5_a_shared_deepest_hole_pays_nobody_even_to_one_colour() -> None:
    plays(
        4,
        'holes = ["Texas OL: Sued 400", "Island OM: Sued 400", "Island MM: West 300"]',
        "expect erdkern = -\nexpect now = 4, 1, 0, 0",
    )


def test_drill_5_5_an_empty_field_and_an_empty_board_give_nothing() -> None:
    plays(
        4,
        'phase = "score"',
        "expect seasons.1.scores = 0, 0, 0, 0\nexpect erdkern = -\nexpect Texas.lizenz = -\n"
        "weiter\nexpect ranks = 1, 1, 1, 1\nexpect leaderboard = 30, 30, 30, 30",
    )


def test_drill_a16_the_own_two_colours_tie_each_other() -> None:
    plays(
        2,
        'holes = ["Texas OL: Sued 400", "Texas OM: Nord 400"]',
        "expect Texas.lizenz = -\nexpect erdkern = -\nexpect Sued.now = 1\nexpect Nord.now = 1",
    )


def test_drill_5_5_points_accumulate_and_holes_stay() -> None:
    plays(
        4,
        'phase = "score"\nseason = 2\nholes = ["Texas OL: Sued 300"]\nSued = {score = 5}',
        "expect Sued.score = 11\nexpect totals = 11, 0, 0, 0\nexpect question = pause\n"
        "weiter\nexpect season = 3\nexpect Texas.OL.owner = Sued\nexpect question = rods",
    )


def test_drill_5_9_endet_die_saison_jetzt_is_always_reckoned() -> None:
    for mode in ("KLASSISCH", "ROHSTOFFE"):
        for step in play(Variant("speeddrill", {"mode": mode}, 3), 8):
            if step.after.state.board.phase == "bilanz":
                view = GAME.view(step.after.state, None)
                assert view.jetzt == view.board.history[-1].wertung
                scored = [
                    sum(line.wertung.scores[n] for line in view.board.history) for n in range(3)
                ]
                assert view.totals == tuple(scored)


def ending(
    konzerne: tuple[Konzern, ...], *holes: tuple[int, int], mode: Any = "KLASSISCH"
) -> Board:
    """Give a finished board; each hole is (colour, depth)."""
    board = [FREE] * 54
    for n, (konzern, depth) in enumerate(holes):
        for _ in range(depth // 100):
            board[n] = drilled(board[n], konzern, 100)
    return Board(Options(mode), konzerne, "over", 4, holes=tuple(board))


def scored(*scores: int, places: tuple[int, ...] = (0, 1, 2, 3)) -> tuple[Konzern, ...]:
    konzerne = konzerne_of(places)
    return tuple(
        msgspec.structs.replace(konzern, score=score)
        for konzern, score in zip(konzerne, scores, strict=True)
    )


@pytest.mark.parametrize(
    ("board", "ranks"),
    [
        (ending(scored(9, 8, 7, 6), (3, 900)), (1, 2, 3, 4)),
        (ending(scored(9, 9, 7, 6), (0, 300), (1, 400)), (2, 1, 3, 4)),  # the deepest own hole
        (ending(scored(9, 9, 7, 6), (0, 300), (1, 300), (0, 100)), (1, 2, 3, 4)),  # more holes
        (ending(scored(9, 9, 7, 6), (0, 300), (1, 300)), (1, 1, 3, 4)),  # shared
        (ending(scored(5, 5, 5, 5)), (1, 1, 1, 1)),
        # A17: the deepest hole of either colour, then the holes of both.
        (ending(scored(5, 6, 7, 6, places=(0, 1)), (2, 400), (1, 300)), (1, 2)),
        (ending(scored(5, 6, 7, 6, places=(0, 1)), (2, 400), (3, 400), (0, 100)), (1, 2)),
        (ending(scored(5, 6, 7, 6, places=(0, 1)), (2, 400), (3, 400)), (1, 1)),
    ],
)
def test_drill_r11_a17_ties(board: Board, ranks: tuple[int, ...]) -> None:
    assert ranked(strengths_of(board)) == ranks


@pytest.mark.parametrize(
    ("total", "base"),
    [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (10, 6), (13, 8), (72, 43), (75, 45)],
)
def test_drill_r12_a13_rohstoffe_count_six_tenths_half_up(total: int, base: int) -> None:
    konzerne = scored(total, 0, 0, 0)
    assert leaderboard_base(ending(konzerne, mode="ROHSTOFFE"))[0] == base
    assert leaderboard_base(ending(konzerne))[0] == total


def test_drill_r12_a13_the_factor_is_for_the_sum_of_both_colours() -> None:
    board = ending(scored(1, 0, 1, 0, places=(0, 1)), mode="ROHSTOFFE")
    assert leaderboard_base(board) == (1, 0)  # 0.6 x 2, not twice 0.6 x 1


def test_drill_r12_a12_e19_two_players_are_two_and_the_second_gets_no_bonus() -> None:
    assert (place_bonus(2, 2), place_bonus(2, 3), place_bonus(3, 3), place_bonus(3, 4)) == (
        0,
        15,
        0,
        5,
    )


def test_drill_r13_a11_a_hole_that_reaches_the_layer_by_all_its_metres() -> None:
    plays(
        4,
        'kursfelder = "Island, Sibirien, Outback, Kimberley"\n'
        'holes = ["Texas OL: West 100 100, Sued 200", "Texas OM: Sued 300"]',
        "expect Texas.layer = 400\nexpect Texas.value = 3\n"
        "expect now = 9, 0, 0, 0",  # 3 + 1, licence 2, Erdkern 3
        'options = {mode = "ROHSTOFFE"}',
    )


def test_drill_r14_a09_each_field_is_kursfeld_at_most_once_and_before_the_rods() -> None:
    for seed in range(5):
        steps = play(Variant("speeddrill", {"mode": "ROHSTOFFE"}, 3), seed)
        facts = facts_of(steps)
        drawn = [
            n
            for n, fact in enumerate(facts)
            if isinstance(fact, Shuffled) and fact.what == "kursfeld"
        ]
        assert [len(facts[n].order) for n in drawn] == [6, 5, 4, 3]
        fields = [facts[n].order[0] for n in drawn]
        assert len(set(fields)) == 4
        assert all(isinstance(facts[n - 1], SeasonStarted) for n in drawn)
        board = steps[-1].after.state.board
        assert [line.kursfeld for line in board.history] == fields


def test_drill_r14_the_kursfeld_doubles_only_what_reaches_the_layer() -> None:
    assert [hole_score("Kimberley", depth, "Kimberley") for depth in (100, 600, 700)] == [1, 1, 12]
    assert [hole_score("Kimberley", depth, "Texas") for depth in (600, 700, 800)] == [1, 6, 6]


def test_drill_r14_a_new_season_has_no_kursfeld_until_it_is_drawn() -> None:
    state = GAME.start(Options("ROHSTOFFE"), (0, 1, 2))
    seen = []
    for fact in facts_of(play(Variant("speeddrill", {"mode": "ROHSTOFFE"}, 3), 2)):
        state = GAME.evolve(state, fact)
        if isinstance(fact, SeasonStarted):
            seen.append(GAME.view(state, 0).kursfeld)
    assert seen == [None] * 4


def test_drill_r14_klassisch_has_no_kursfeld() -> None:
    facts = facts_of(play(Variant("speeddrill", {}, 2), 3))
    assert not [f for f in facts if isinstance(f, Shuffled) and f.what == "kursfeld"]


def test_drill_r15_a08_the_table() -> None:
    assert {feld: (r.name, r.layer, r.value) for feld, r in TABLE.items()} == {
        "Atacama": ("Lithium", 200, 2),
        "Outback": ("Opale", 300, 2),
        "Texas": ("Öl", 400, 3),
        "Island": ("Erdwärme", 500, 3),
        "Sibirien": ("Gas", 600, 4),
        "Kimberley": ("Diamanten", 700, 6),
    }
    rohstoffe = begin(GAME, Options("ROHSTOFFE"), (0, 1), shuffles(1)).state
    klassisch = begin(GAME, Options(), (0, 1), shuffles(1)).state
    assert GAME.view(rohstoffe, 0).rohstoffe == dict(TABLE)
    assert GAME.view(klassisch, 0).rohstoffe == {}


def test_drill_a10_the_distance_to_the_erdkern() -> None:
    plays(
        4,
        'holes = ["Texas OL: Sued 400 300", "Island OM: West 200", "Outback MM: Ost 400 300"]',
        "expect Texas.to_erdkern = 0\nexpect Outback.to_erdkern = 0\nexpect Island.to_erdkern = 500\n"
        "expect Atacama.to_erdkern = 700\nexpect Island.deepest = 200",
    )
