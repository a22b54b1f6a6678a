"""The chance to win by what two divers still miss, from the file that `tables` makes.

`wins.bin` holds a square of unsigned 16-bit numbers (little-endian, UNIT = certain) for each
edition, one value for every STEP points of own (rows) and other (columns); what lies between is
interpolated. A target of 100, 200 or 300 differs only in where a game starts: what counts is how
many points are missing. The file is what `tables` writes with the normal that plays now; when
normal changes it has to be made anew, and a new file is a new version of stark.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from domain.speeddive.state import Options

FAR: Final = 300
"""The most that can be missing: the highest target."""
STEP = 3
NODES = FAR // STEP + 1
"""Values in a row: for 1, 1 + STEP, ... missing points, the last for FAR; 0 is never looked up."""
UNIT = 65535
PATH = Path(__file__).with_name("wins.bin")
EDITIONS = (
    Options("KLASSISCH", FAR, bilanz=False),
    Options("DEEPER_DIVE", FAR, bilanz=False),
    Options("DEEPER_DIVE", FAR, bilanz=False, brutal=True),
)
"""The order of the squares in the file; target and Bilanz make no difference."""


def pack(squares: list[list[list[float]]]) -> bytes:
    """Give the content of the file: per edition the chance by missing own and other points."""
    nodes = [min(FAR, 1 + node * STEP) for node in range(NODES)]
    chances = [square[own][other] for square in squares for own in nodes for other in nodes]
    return struct.pack(f"<{len(chances)}H", *[round(chance * UNIT) for chance in chances])


@lru_cache(maxsize=len(EDITIONS))
def wins_of(edition: str, *, brutal: bool) -> list[list[float]]:
    """Give W[own][other] for 1 to FAR missing points; index 0 is not used."""
    number = next(
        n for n, each in enumerate(EDITIONS) if (each.edition, each.brutal) == (edition, brutal)
    )
    size = NODES * NODES
    square = struct.unpack_from(f"<{size}H", PATH.read_bytes(), 2 * number * size)
    chances = [value / UNIT for value in square]
    columns = [_between(chances[column::NODES]) for column in range(NODES)]
    return [_between([column[own] for column in columns]) for own in range(FAR + 1)]


def _between(nodes: Sequence[float]) -> list[float]:
    """Give a value for every number of missing points from those for 1, 1 + STEP, ..."""
    line = [0.0]
    for low, high in pairwise(nodes):
        line += [low + (high - low) * part / STEP for part in range(STEP)]
    return line
