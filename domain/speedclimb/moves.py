"""What a climber may choose (decisions C0 to C5)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from domain import kernel
from domain.kernel import Cards, Seat

End = Literal["", "low", "high"]
"""Where a card is attached: at an end of a run, `""` at everything else."""


class ChooseStage(Struct, frozen=True, tag=True, gc=False):
    """C0: play for this stage in this round, until the own first take (CLIMB-R04)."""

    stage: int


class TakeMaterial(Struct, frozen=True, tag=True, gc=False):
    """C1: take the hidden top card of the material."""


class TakeDepot(Struct, frozen=True, tag=True, gc=False):
    """C1: take the open top card of a seat's depot, the own one included (CLIMB-A05)."""

    owner: Seat


class TakeAblage(Struct, frozen=True, tag=True, gc=False):
    """C1: take the open top card of the Ablage."""


class TakeRucksack(Struct, frozen=True, tag=True, gc=False):
    """C1: take this card out of the own Rucksack."""

    card: str


class LaidPart(Struct, frozen=True, gc=False):
    """The cards for one part, in any order; `low` is the lowest number of a run, else 0."""

    cards: Cards
    low: int = 0


class LayLager(Struct, frozen=True, tag=True, gc=False):
    """C2: lay all parts of the camp, in the order in which the camp names them (CLIMB-R07)."""

    parts: tuple[LaidPart, ...]


class AttachCard(Struct, frozen=True, tag=True, gc=False):
    """C3: add a card to a meld, counted from 0 (CLIMB-R08)."""

    card: str
    meld: int
    end: End = ""


class Discard(Struct, frozen=True, tag=True, gc=False):
    """C4: lay a card open on the own depot or on the Ablage."""

    card: str


class PlaySchneesturm(Struct, frozen=True, tag=True, gc=False):
    """C4: lay a Schneesturm before another seat, which loses its next turn."""

    target: Seat


class Pack(Struct, frozen=True, tag=True, gc=False):
    """C4: put a card into the own Rucksack."""

    card: str


class ChooseCarry(Struct, frozen=True, tag=True, gc=False):
    """C5: take up to four cards into the next round (CLIMB-R19); their order means nothing."""

    cards: Cards = ()


Move: TypeAlias = (
    ChooseStage
    | TakeMaterial
    | TakeDepot
    | TakeAblage
    | TakeRucksack
    | LayLager
    | AttachCard
    | Discard
    | PlaySchneesturm
    | Pack
    | ChooseCarry
)
SECRET = (ChooseStage, TakeRucksack, Pack, ChooseCarry)
"""Moves that name what the others may not know (yet)."""


class Chosen(kernel.Chosen[Move], frozen=True, gc=False):
    """A climber's choice; the others see it unless it is in `SECRET`."""
