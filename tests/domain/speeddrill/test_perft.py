"""Small ends of games are counted to the last line, here and by the naive implementation."""

from __future__ import annotations

import copy
from collections import Counter
from itertools import product
from typing import Any

import pytest

from domain.games import GAMES
from domain.kernel import Ask, Settled, act
from domain.records.run import run
from domain.records.text import parse
from domain.speeddrill.evolve import drilled
from domain.speeddrill.moves import Drill, Move
from domain.speeddrill.state import FREE, State
from tests.domain.speeddrill.naive import CLOCKWISE, Colour, Naive, absolute

GAME = GAMES["speeddrill"]
HANDS = {
    "Sued": "OL, OM, MM, MM",
    "West": "UL, UM, UL, MM",
    "Nord": "UR, UM, OL, MM",
    "Ost": "OR, OL, UR, OR",
}
HOLES = {
    "Texas": {"OL": "Sued 200", "MM": "Ost 400 100", "OM": "West 100, Nord 100"},
    "Island": {"OL": "Nord 300 400", "OM": "Sued 100, Ost 400"},
    "Outback": {"MM": "Sued 100, West 100, Sued 100"},
}
RODS = {"Sued": 300, "West": 200, "Nord": 100, "Ost": 100}
"""One round is left of season 4, and these are the last rods."""


def record(mode: str) -> str:
    options = f'options = {{mode = "{mode}"}}\n'
    if mode == "ROHSTOFFE":
        options += 'setup.kursfelder = "Kimberley, Sibirien, Atacama, Texas"\n'
    lines = [f'"{f} {s}: {rods}"' for f, holes in HOLES.items() for s, rods in holes.items()]
    konzerne = "".join(
        f'setup.{name} = {{hand = "{hand}", rods = "{RODS[name]}"}}\n'
        for name, hand in HANDS.items()
    )
    return (
        f'game = "speeddrill"\nseats = 4\n{options}setup.round = 6\n'
        f"setup.holes = [{', '.join(lines)}]\n{konzerne}"
    )


def ours(settled: Settled[State, Move], found: Counter[tuple[int, ...]]) -> None:
    """Count the scores that all lines of play lead to."""
    ask = settled.waiting
    if not isinstance(ask, Ask):
        found[settled.state.board.history[-1].wertung.scores] += 1
        return
    for move in ask.options.moves:
        ours(act(GAME, settled.state, ask, move, lambda cards: cards), found)


def naive(game: Naive, order: list[Colour], found: Counter[tuple[int, ...]]) -> None:
    if not order:
        found[tuple(game.standing())] += 1
        return
    colour, *later = order
    for card, rod, where in game.legal(colour) or [("", 0, "")]:
        after = copy.copy(game)
        after.holes = {square: list(rods) for square, rods in game.holes.items()}
        if rod:
            square = (where, *absolute(colour.looks_from, card))
            after.holes.setdefault(square, []).append((colour.name, rod))
        naive(after, later, found)


def prepared(mode: str) -> Naive:
    game = Naive(CLOCKWISE, mode, lambda cards: cards)
    game.kursfeld = "Texas" if mode == "ROHSTOFFE" else ""
    for feld, holes in HOLES.items():
        for square, text in holes.items():
            rods = []
            for part in text.split(", "):
                name, *lengths = part.split()
                rods += [(name, int(length)) for length in lengths]
            game.holes[(feld, *absolute("Sued", square))] = rods
    for colour in game.colours:
        colour.hand = HANDS[colour.name].split(", ")
        colour.chosen = [RODS[colour.name]]
    return game


@pytest.mark.parametrize("mode", ["KLASSISCH", "ROHSTOFFE"])
def test_all_ends_of_a_game(mode: str) -> None:
    mine: Counter[tuple[int, ...]] = Counter()
    theirs: Counter[tuple[int, ...]] = Counter()
    settled = run(parse(record(mode)))
    game = prepared(mode)
    # The last two of the round, after one move of the first two.
    for colour in game.colours[:2]:
        ask = settled.waiting
        assert isinstance(ask, Ask)
        move = ask.default
        assert isinstance(move, Drill)
        settled = act(GAME, settled.state, ask, move, lambda cards: cards)
        square = (move.feld, *absolute(colour.looks_from, move.card))
        game.holes.setdefault(square, []).append((colour.name, move.rod))
    ours(settled, mine)
    naive(game, game.colours[2:], theirs)
    assert mine == theirs
    assert mine.total() > 150


def test_the_bohrrecht_after_every_short_order_of_rods() -> None:
    """All holes of up to four rods of three colours: who may add what."""
    names = CLOCKWISE[:3]
    game = Naive(names, "KLASSISCH", lambda cards: cards)
    count = 0
    for depth in range(5):
        for rods in product(product(names, (100, 200, 300, 400)), repeat=depth):
            hole = FREE
            game.holes = {("Texas", 0, 0): []}
            if not _legal(game, rods):
                continue
            for name, length in rods:
                hole = drilled(hole, names.index(name), length)
            count += 1
            allowed: Any = {
                (colour.name, length)
                for colour in game.colours
                for length in (100, 200, 300, 400)
                if game.allowed(colour, ("Texas", 0, 0), length)
            }
            mine = {
                (name, length)
                for n, name in enumerate(names)
                for length in (100, 200, 300, 400)
                if length >= hole.needs[n]
            }
            assert mine == allowed
    assert count > 5_000


def _legal(game: Naive, rods: tuple[tuple[str, int], ...]) -> bool:
    square = ("Texas", 0, 0)
    by_name = {colour.name: colour for colour in game.colours}
    for name, length in rods:
        if not game.allowed(by_name[name], square, length):
            return False
        game.holes[square].append((name, length))
    return True
