"""The facts of Speeddrill; those that tell of hands and sealed rods name the seat that may see."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from domain.kernel import Cards, Fact, Resumed, Seat, Shuffled
from domain.speeddrill.material import Feld, Rods, Side


class HandDealt(Fact, frozen=True, gc=False):
    """A colour got its four cards (DRILL-R04); others see it without them."""

    seat: Seat
    konzern: Side
    cards: Cards = ()


class SeasonStarted(Fact, frozen=True, gc=False):
    """A season begins with this colour (DRILL-R05)."""

    number: int
    start: Side


class RodsSealed(Fact, frozen=True, gc=False):
    """A colour has chosen its rods (DRILL-R06); others see it without them, until all have."""

    keeps_questions: ClassVar[bool] = True

    seat: Seat
    konzern: Side
    rods: Rods = ()


class RodsRevealed(Fact, frozen=True, gc=False):
    """All have chosen: the rods of each colour for this season, in turn order."""

    rods: tuple[Rods, ...]


class RodDrilled(Fact, frozen=True, gc=False):
    """A colour played a card and put a rod under a square (DRILL-R07).

    `square` counts from 0 in rows from north, columns from west.
    """

    konzern: Side
    card: str
    rod: int
    feld: Feld
    square: int


class TurnForfeited(Fact, frozen=True, gc=False):
    """A colour could not drill anywhere: this card and this rod are gone (DRILL-R09)."""

    konzern: Side
    card: str
    rod: int


class CardDrawn(Fact, frozen=True, gc=False):
    """A colour took the top card of the pile, which ends its turn; others see it without."""

    seat: Seat
    konzern: Side
    card: str = ""


class SeasonScored(Fact, frozen=True, gc=False):
    """The season brought these scores, one for each colour in turn order (RULES.md 5.5)."""

    scores: tuple[int, ...]


FactOfSpeeddrill: TypeAlias = (
    HandDealt
    | SeasonStarted
    | RodsSealed
    | RodsRevealed
    | RodDrilled
    | TurnForfeited
    | CardDrawn
    | SeasonScored
)
AnyFact: TypeAlias = FactOfSpeeddrill | Shuffled | Resumed
