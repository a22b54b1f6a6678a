"""All records of the repository come true, and a game that was played can be written as one."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

import domain
from domain.games import GAMES, NOTATIONS
from domain.kernel import Chosen, Over
from domain.records.notation import RecordError
from domain.records.run import check, run
from domain.records.text import locate, parse
from domain.records.write import record_of
from domain.variants import label, variant_of, variants
from tests.domain.playing import VARIANTS, Variant, opened, play

RECORDS = Path(__file__).parent.parent / "records"
FILES = sorted(RECORDS.rglob("*.toml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_record(file: Path) -> None:
    assert check(file.read_text(), file.name) is None


def test_every_game_and_every_variant_of_it_has_records() -> None:
    assert NOTATIONS.keys() == GAMES.keys()
    records = [parse(file.read_text()) for file in FILES]
    written = Counter(
        label(record.game, variant_of(record.game, record.options)) for record in records
    )
    every = [label(game, variant) for game in GAMES.values() for variant in variants(game)]
    assert [name for name in every if not written[name]] == []


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_played_game_runs_again_from_its_record(variant: Variant) -> None:
    game, options = opened(variant)
    for seed in range(3):
        facts: list[object] = []
        steps = play(variant, seed, rare=seed == 0)
        for step in steps:
            if step.ask:
                facts.append(game.chosen_type(step.ask.seat, 1, step.move, part=step.ask.part))
            facts += step.after.facts
        text = record_of(game, options, variant.seats, facts)
        again = run(parse(text))
        assert again.state == steps[-1].after.state
        assert isinstance(again.waiting, Over)
        # A game that is still going on can be written as well.
        cut = next(n for n in range(len(facts) // 2, len(facts)) if isinstance(facts[n], Chosen))
        assert check(record_of(game, options, variant.seats, facts[:cut]), "half") is None


BASE = """game = "speeddive"
seats = 2
setup.turn = "A"
setup.A = {spur = "5"}
play = '''
A dive
'''
"""


def test_the_base_of_the_wrong_records_is_right() -> None:
    assert check(BASE, "base") is None


@pytest.mark.parametrize(
    ("right", "wrong", "line", "says"),
    [
        ('game = "speeddive"', 'game = "skat"', 1, "game must be one of speeddive"),
        ("seats = 2", "seats = 5", 2, "seats must be a number from 2 to 4"),
        ("seats = 2", "seats = = 2", 2, "this is not TOML"),
        ("A dive", "A dive refused not_offerd", 6, "no move is refused with 'not_offerd'; there"),
        ("A dive", "A dive refused sealed", 6, "are: not_offered, not_your_turn, finished"),
        ("seats = 2", "seats = 2\noptions = {colour = 1}", 3, "unknown field `colour`"),
        ("seats = 2", "seats = 2\noptions = {target = 150}", 3, "150"),
        ("seats = 2", "seats = 2\nplayers = 3", 3, "there is no field 'players' in a record"),
        ("seats = 2", "seats = 2\nshuffles = 3", 3, "shuffles must be an array of texts"),
        ('turn = "A"', 'turn = "D"', 3, "turn must be a seat, A to B, not 'D'"),
        ('turn = "A"', "pause = 1", 3, "there is no field 'pause' here; there are: A, B"),
        ('spur = "5"', 'spur = "14"', 4, "'14' is no number card"),
        ('spur = "5"', 'spur = "5, 5"', 4, "a diver with a number twice is OUT"),
        ('spur = "5"', "spur = 5", 4, "spur must be a text in quotes"),
        ('spur = "5"', 'beside = "+3"', 4, "'+3' is no Perle and not x2"),
        ('turn = "A"', 'pile = "0, 0, ..."', 3, "there are only 1 of '0'"),
        ('turn = "A"', 'pile = "Schnee, ..."', 3, "there is no such card as 'Schnee' here"),
        ('turn = "A"', 'pending = ["B waits"]', 3, "write 'B draws 2 aside Sog'"),
        ("A dive", "A jump", 6, "'jump' is no move; write dive"),
        ("A dive", "B dive", 6, "refused with not_your_turn; A is asked: dive, surface"),
        ("A dive", "A target B", 6, "refused with not_offered; A is asked: dive, surface"),
        ("A dive", "A dive refused not_offered", 6, "the move is legal"),
        ("A dive", "dive", 6, "a line is a move ('A dive')"),
        ("A dive", "weiter", 6, "there is no pause to end; A is asked"),
        ("A dive", "expect A.spur 5", 6, "write 'expect PATH = VALUES'"),
        ("A dive", "expect A.spur = 6", 6, "A.spur is 5, expected 6"),
        ("A dive", "expect A.air = 6", 6, "A.air: there is no 'air' now, only status"),
        ("A dive", "expect A = 6", 6, "A has parts; name one: status"),
        ("A dive", "expect dealer.x = 6", 6, "nothing lies below"),
        ("A dive", "\n\nA dive\nB jump", 9, "no move"),
    ],
)
def test_a_wrong_record_names_the_line_and_what_is_right(
    right: str, wrong: str, line: int, says: str
) -> None:
    failure = check(BASE.replace(right, wrong), "wrong.toml")
    assert failure is not None
    assert says in failure.detail
    assert failure.line == line
    assert failure.file == "wrong.toml"


def test_a_play_below_the_setup_is_explained() -> None:
    source = 'game = "speeddive"\nseats = 2\n[setup]\nturn = "A"\nplay = "A dive"\n'
    with pytest.raises(RecordError, match="put play above") as error:
        parse(source)
    assert error.value.line == 5


def test_a_field_is_found_in_tables_and_dotted_keys() -> None:
    source = "a = 1\nb.c = 2\nplay = '''\nb.d = 3\n'''\n[t.u]\nv = 4\n"
    assert locate(source, ("a",)) == 1
    assert locate(source, ("b", "c", "x")) == 2
    assert locate(source, ("t", "u", "v")) == 7
    assert locate(source, ("t", "u")) == 6
    assert locate(source, ("z",)) == 0


def test_the_examples_of_the_page_come_true() -> None:
    page = (Path(domain.__file__).parent / "RECORDS.md").read_text()
    examples = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 3
    for example in examples:
        assert check(example, "RECORDS.md") is None


def test_nothing_but_a_failure_comes_of_a_broken_record() -> None:
    rng = random.Random(7)
    sources = [file.read_text() for file in FILES]
    words = " ".join(sources).split()
    for _ in range(1_000):
        source = rng.choice(sources)
        at = rng.randrange(len(source))
        put = rng.choice((rng.choice(words), rng.choice('"[]{}=,.#/ ABC019x\n'), ""))
        check(source[:at] + put + source[at + rng.randrange(12) :], "broken")
