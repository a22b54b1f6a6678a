"""The page for client authors is true: its descriptors are all there are, and its moves are moves."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

import contracts
from contracts.commands import decode_move
from domain.games import GAMES

PAGE = (Path(contracts.__file__).parent / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\w+) \| `(\w+)` \| .* \| `(\{.*\})` \|$", PAGE, re.MULTILINE)


def test_the_page_explains_every_descriptor() -> None:
    every = {
        (game.name, each.__name__) for game in GAMES.values() for each in game.descriptor_types
    }
    assert every <= {(game, name) for game, name, _ in ROWS}


def test_the_moves_of_the_page_are_moves() -> None:
    for game, _, move in ROWS:
        if game in GAMES:
            decode_move(GAMES[game], msgspec.Raw(move.encode()))
