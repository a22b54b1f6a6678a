"""The words of Speeddrill in records: seatings with gaps, and errors that name what is right."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from domain.games import GAMES
from domain.kernel import Over
from domain.records.run import check, run
from domain.records.text import parse
from domain.records.write import record_of
from domain.speeddrill.state import Options
from tests.domain.playing import at_random, shuffles
from tests.domain.speeddrill.playing import whole_game

GAME = GAMES["speeddrill"]
SEATINGS = [places for seats in (2, 3, 4) for places in combinations(range(4), seats)]


@pytest.mark.parametrize("places", SEATINGS, ids=str)
def test_a_game_of_any_seating_runs_again_from_its_record(places: tuple[int, ...]) -> None:
    rng = random.Random(str(places))
    facts, end = whole_game(Options("ROHSTOFFE"), places, at_random(3), shuffles(3), rng.randrange)
    text = record_of(GAME, Options("ROHSTOFFE"), len(places), facts, places)
    again = run(parse(text))
    assert again.state == end
    assert isinstance(again.waiting, Over)
    assert ("places" in text) is (places != tuple(range(len(places))))


BASE = """game = "speeddrill"
seats = 2
places = [0, 2]
setup.turn = "West"
setup.holes = ["Texas OL: Sued 200, West 300"]
setup.West = {hand = "UL, ...", rods = "4x100, 2x200"}
play = '''
A bohren unten-links 100 Texas
'''
"""


def test_the_base_of_the_wrong_records_is_right() -> None:
    assert check(BASE, "base") is None


@pytest.mark.parametrize(
    ("right", "wrong", "line", "says"),
    [
        ("[0, 2]", "[2, 0]", 3, "places must be 2 ascending numbers from 0 to 3"),
        ("[0, 2]", "[0, 4]", 3, "places must be 2 ascending numbers"),
        ("[0, 2]", "[0, 1, 2]", 3, "places must be 2 ascending numbers"),
        ("[0, 2]", "[0, true]", 3, "places must be 2 ascending numbers"),
        ("[0, 2]", '"A, C"', 3, "places must be 2 ascending numbers"),
        ('turn = "West"', 'turn = "Rot"', 4, "turn must be one of Sued, Nord, West, Ost"),
        ('turn = "West"', "season = 5", 4, "season must be from 1 to 4"),
        ('turn = "West"', "round = 7", 4, "round must be from 1 to 6"),
        ('turn = "West"', 'kursfelder = "Texas"', 4, "only the mode ROHSTOFFE has a Kursfeld"),
        ('turn = "West"', 'phase = "draw"', 4, "phase must be one of turns, rods, score, season"),
        ("Texas OL", "Bayern OL", 5, "write 'Texas OL: Sued 400, West 2x200'"),
        ("Texas OL", "Texas XX", 5, "write 'Texas OL: Sued 400, West 2x200'"),
        ("Sued 200, West", "Sued, West", 5, "after the colon come colours with their rods"),
        ("Sued 200, West 300", "Sued 250", 5, "'250' is no rod; write 100, 200, 300, 400 or 3x100"),
        ("West 300", "West 100", 5, "West had no Bohrrecht for 100"),
        ("West 300", "West 4x400", 6, "more rods of West are in holes than there are"),
        ('300"', '300", "Texas OL: Ost 100"', 5, "Texas OL is there twice"),
        ('hand = "UL, ..."', 'hand = "UL, OL"', 6, "a hand has 4 cards"),
        ('hand = "UL, ..."', 'hand = "XX, ..."', 0, "there is no such card as 'XX' here"),
        ('hand = "UL, ..."', 'cards = "UL"', 6, "there is no field 'cards' here"),
        ("4x100, 2x200", "4x100", 6, "6 rods are due here, not 4"),
        ("4x100, 2x200", "6x400", 6, "there are not that many rods"),
        ("A bohren", "A graben", 8, "is no move; write rods COLOUR"),
        ("A bohren", "B bohren", 8, "refused with not_your_turn; A/West is asked"),
        ("bohren unten-links 100 Texas", "gestaenge West 50", 8, "'50' is no rod"),
        ("bohren", "expect", 8, "is no move"),
    ],
)
def test_a_wrong_record_names_the_line_and_what_is_right(
    right: str, wrong: str, line: int, says: str
) -> None:
    failure = check(BASE.replace(right, wrong), "wrong.toml")
    assert failure is not None
    assert says in failure.detail
    assert failure.line == line


def test_rohstoffe_name_a_kursfeld_for_each_season() -> None:
    head = 'game = "speeddrill"\nseats = 3\noptions = {mode = "ROHSTOFFE"}\nsetup.season = 2\n'
    for wrong in ('"Texas"', '"Texas, Texas"', '"Texas, Bayern"'):
        assert check(f"{head}setup.kursfelder = {wrong}\n", "wrong") is not None
    assert check(f'{head}setup.kursfelder = "Texas, Island"\n', "right") is None
