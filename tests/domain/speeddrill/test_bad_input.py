"""Whatever is not offered is refused with a code, and nothing changes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from contracts.commands import MoveBody
from domain.kernel import Ask, AskAll, Settled
from domain.options import admits
from domain.records.run import run
from domain.records.text import parse
from domain.refusals import Code
from domain.speeddrill.game import Speeddrill
from domain.speeddrill.moves import ChooseRods, Chosen, Drill, PickRods
from domain.table import commands as c
from domain.table.events import TableRules
from tests.domain.table.playing import Spec

GAME = Speeddrill()


def refused(what: str, move: str, code: str = "not_offered") -> None:
    run(parse(f'game = "speeddrill"\nseats = 4\n{what}\nplay = "{move} refused {code}"\n'))


SETUP = """setup.turn = "West"
setup.holes = ["Texas OL: Nord 400"]
setup.West = {hand = "UL, MM, MM, MM", rods = "4x100, 2x300"}"""


def test_the_base_of_the_wrong_moves_is_right() -> None:
    for right in ("drill UL 300 Atacama", "drill MM 100 Texas"):
        run(parse(f'game = "speeddrill"\nseats = 4\n{SETUP}\nplay = "B {right}"\n'))


@pytest.mark.parametrize(
    ("move", "code"),
    [
        ("B drill OL 100 Texas", "not_offered"),  # no such card in the hand
        ("B drill UL 300 Texas", "not_offered"),  # no Bohrrecht: Nord has 400 there
        ("B drill MM 200 Texas", "not_offered"),  # no such rod in this season
        ("B drill MM 400 Texas", "not_offered"),
        ("B drill MM 0 Texas", "not_offered"),
        ("B drill MM 150 Texas", "not_offered"),
        ("B rods West 6x100", "not_offered"),  # the right move at the wrong time
        ("A drill UL 100 Texas", "not_your_turn"),
        ("A rods Sued 6x100", "not_your_turn"),
    ],
)
def test_wrong_drills(move: str, code: str) -> None:
    refused(SETUP, move, code)


@pytest.mark.parametrize(
    "move",
    [
        "B rods West 5x100",  # one short
        "B rods West 7x100",  # one long
        "B rods West 4x400 2x100",  # there are only three
        "B rods West 12x100",
        "B rods Sued 6x100",  # another's colour
        "B drill UL 100 Texas",  # not yet
    ],
)
def test_wrong_rods(move: str) -> None:
    refused('setup.phase = "rods"', move)


def test_a_colour_chooses_once() -> None:
    run(
        parse(
            'game = "speeddrill"\nseats = 4\nsetup.phase = "rods"\nplay = """\nB rods West 6x100\n'
            'B rods West 6x100 refused not_your_turn\nB rods West 6x200 refused not_your_turn\n"""\n'
        )
    )


def test_in_the_saisonbilanz_and_after_the_end_nobody_may_move() -> None:
    run(
        parse(
            'game = "speeddrill"\nseats = 4\nsetup.phase = "score"\nplay = """\n'
            "A drill OL 100 Texas refused not_your_turn\nweiter\n"
            'A drill OL 100 Texas refused finished\n"""\n'
        )
    )


@pytest.mark.parametrize(
    "rods",
    [
        (),
        (6,),
        (3, 1, 1),
        (3, 1, 1, 1, 0),
        (7, -1, 0, 0),
        (12, -6, 0, 0),
        (0, 0, 0, 6),
        (2, 1, 1, 1),
    ],
)
def test_rods_that_are_none(rods: tuple[int, ...]) -> None:
    pick = PickRods("Sued", (11, 6, 4, 3), 6)
    assert not pick.admits(ChooseRods("Sued", rods))
    assert not pick.admits(Drill("OL", 100, "Texas"))
    assert not pick.admits(None)
    assert pick.admits(ChooseRods("Sued", (3, 1, 1, 1)))


@pytest.mark.parametrize(
    "move",
    [
        {"type": "Drill", "card": "OL", "rod": 100, "feld": "Bayern"},
        {"type": "Drill", "card": "OL", "rod": "100", "feld": "Texas"},
        {"type": "Drill", "card": "OL", "rod": 100},
        {"type": "Drill", "card": None, "rod": 100, "feld": "Texas"},
        {"type": "ChooseRods", "konzern": "Rot", "rods": [6, 0, 0, 0]},
        {"type": "ChooseRods", "konzern": "Sued", "rods": [6, 0, 0, 0, 0]},
        {"type": "ChooseRods", "konzern": "Sued", "rods": [6.5, 0, 0, 0]},
        {"type": "ChooseRods", "konzern": "Sued", "rods": [True, 5, 0, 0]},
        {"type": "Pass"},
    ],
)
def test_what_is_no_move_does_not_even_decode(move: dict[str, Any]) -> None:
    body = {"command_id": "12345678", "prompt": 1, "move": move}
    raw = msgspec.json.decode(msgspec.json.encode(body), type=MoveBody).move
    stored = b'{"type":"Chosen","seat":0,"prompt":1,"move":' + bytes(raw) + b"}"
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(stored, type=Chosen)


def test_at_a_table_every_wrong_move_leaves_everything_as_it_was() -> None:
    spec = Spec.started(game=GAME, rules=TableRules(places=2))
    first = spec.table.raised
    wrong = (
        Drill("MM", 100, "Texas"),
        ChooseRods("West", (6, 0, 0, 0)),
        ChooseRods("Sued", (0, 0, 0, 6)),
        ChooseRods("Sued", ()),
    )
    for move in wrong:
        spec.refuses("p_a", c.Play(first, move), Code.NOT_OFFERED)
    spec.refuses("p_a", c.Play(first - 1, ChooseRods("Sued", (6, 0, 0, 0))), Code.STALE_PROMPT)
    spec.does("p_a", c.Play(first, ChooseRods("Sued", (6, 0, 0, 0))))
    spec.refuses("p_a", c.Play(first, ChooseRods("Sued", (6, 0, 0, 0))), Code.NOT_OFFERED)
    spec.does("p_a", c.Play(first, ChooseRods("Nord", (6, 0, 0, 0))))
    spec.refuses("p_a", c.Play(first, ChooseRods("Nord", (6, 0, 0, 0))), Code.NOT_YOUR_TURN)


def test_offered_means_admitted_and_nothing_else_for_all_drills() -> None:
    settled: Settled[Any, Any] = run(parse(f'game = "speeddrill"\nseats = 4\n{SETUP}\n'))
    assert isinstance(settled.waiting, Ask)
    assert not isinstance(settled.waiting, AskAll)
    options = settled.waiting.options
    everything = [
        Drill(card, rod, feld)
        for card in ("OL", "OM", "OR", "ML", "MM", "MR", "UL", "UM", "UR", "XX", "")
        for rod in (-100, 0, 100, 200, 300, 400, 500)
        for feld in ("Texas", "Atacama", "Kimberley", "Island", "Sibirien", "Outback")
    ]
    legal = [move for move in everything if admits(options, move)]
    assert set(legal) == set(options.moves)
    # MM and UL with 100 or 300 in six fields, but on Nord's 400 in Texas not.
    assert len(legal) == 22
