"""What a player may choose: rods for a season (P1), and where to drill (P2)."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from domain import kernel
from domain.options import Pick
from domain.speeddrill.material import LENGTHS, Feld, Rods, Side


class ChooseRods(Struct, frozen=True, tag=True, gc=False):
    """Take these rods for the season (DRILL-R06): how many of 100, 200, 300 and 400 m.

    `rods` is empty in what others see before all have chosen.
    """

    konzern: Side
    rods: Annotated[tuple[int, ...], Meta(max_length=4)]


class Drill(Struct, frozen=True, tag=True, gc=False):
    """Play a card and put a rod under that square of a field (DRILL-R07)."""

    card: str
    rod: int
    feld: Feld


Move: TypeAlias = ChooseRods | Drill


class Chosen(kernel.Chosen[Move], frozen=True, gc=False):
    """A player's choice; rods stay hidden until all have chosen."""


class PickRods(Struct, frozen=True, tag=True, gc=False):
    """Choose exactly `count` rods from `supply` for `konzern`: answer with `ChooseRods`."""

    konzern: Side
    supply: Rods
    count: int

    def admits(self, move: object) -> bool:
        """Tell whether the move takes the right number of rods that are there."""
        if type(move) is not ChooseRods or move.konzern != self.konzern:
            return False
        rods = move.rods
        return (
            len(rods) == len(LENGTHS)
            and sum(rods) == self.count
            and all(0 <= rod <= have for rod, have in zip(rods, self.supply, strict=True))
        )

    def sample(self, pick: Pick) -> ChooseRods:
        """Draw the rods one by one from the supply."""
        pieces = [at for at, have in enumerate(self.supply) for _ in range(have)]
        rods = [0] * len(LENGTHS)
        for _ in range(self.count):
            rods[pieces.pop(pick(len(pieces)))] += 1
        return ChooseRods(self.konzern, tuple(rods))
