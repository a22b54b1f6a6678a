"""What a diver may choose (decisions D1 to D3)."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from domain import kernel
from domain.kernel import Seat


class Dive(Struct, frozen=True, tag=True, gc=False):
    """Tiefer tauchen: draw a card (DIVE-R04)."""


class Surface(Struct, frozen=True, tag=True, gc=False):
    """Auftauchen: keep what this round has brought (DIVE-R04)."""


class ChooseTarget(Struct, frozen=True, tag=True, gc=False):
    """Name the diver that an action card hits (D2) or a surplus Reserveflasche goes to (D3)."""

    target: Seat


Move: TypeAlias = Dive | Surface | ChooseTarget


class Chosen(kernel.Chosen[Move], frozen=True, gc=False):
    """A diver's choice; everybody sees it."""
