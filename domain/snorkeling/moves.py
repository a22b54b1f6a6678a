"""What a player may choose: S1 and S2 in one move, and S3 (RULES.md 4.6)."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from domain import kernel
from domain.kernel import Cards, Seat


class Attack(Struct, frozen=True, gc=False):
    """Put `card` on the own pile of another player (SNORK-R06)."""

    card: str
    target: Seat


class Pass(Struct, frozen=True, tag=True, gc=False):
    """Passen: play nothing; always allowed (SNORK-R03)."""


class PlayCards(Struct, frozen=True, tag=True, gc=False):
    """Play cards to the centre, the last one on top, and then perhaps attack (SNORK-R04 to R06)."""

    centre: Cards
    attack: Attack | None = None


class TakeCard(Struct, frozen=True, tag=True, gc=False):
    """Take the top card of the own pile into the hand (SNORK-R08)."""


class DrawCard(Struct, frozen=True, tag=True, gc=False):
    """Leave the own pile as it is and draw one additional card (SNORK-R08, SNORK-A10)."""


Move: TypeAlias = Pass | PlayCards | TakeCard | DrawCard


class Chosen(kernel.Chosen[Move], frozen=True, gc=False):
    """A player's choice; everybody sees it, as the cards lie open at once."""
