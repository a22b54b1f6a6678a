"""The Rohstoffe table, the one configuration of the mode ROHSTOFFE (DRILL-R15, A08).

It is our own: the rules give none. Whoever changes it raises `rules_version` of the game; scores
of games that were played are facts and stay.
"""

from __future__ import annotations

from types import MappingProxyType

from msgspec import Struct

from domain.speeddrill.material import Feld


class Rohstoff(Struct, frozen=True, gc=False):
    """What lies under a field: the layer begins at `layer` metres, a hole into it pays `value`."""

    name: str
    layer: int
    value: int


TABLE: MappingProxyType[Feld, Rohstoff] = MappingProxyType(
    {
        "Texas": Rohstoff("Öl", 400, 3),
        "Atacama": Rohstoff("Lithium", 200, 2),
        "Kimberley": Rohstoff("Diamanten", 700, 6),
        "Island": Rohstoff("Erdwärme", 500, 3),
        "Sibirien": Rohstoff("Gas", 600, 4),
        "Outback": Rohstoff("Opale", 300, 2),
    }
)


def hole_score(feld: Feld, depth: int, kursfeld: Feld | None) -> int:
    """Give what a hole pays its owner in ROHSTOFFE: its whole depth counts (R13, R14, A11)."""
    rohstoff = TABLE[feld]
    if depth < rohstoff.layer:
        return 1
    return rohstoff.value * 2 if feld == kursfeld else rohstoff.value
