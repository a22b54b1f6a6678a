"""How well a hand fits a camp: the fewest missing cards, and which cards then go where.

It is exact: a hand completes a camp if and only if nothing is missing (`shapes` says why).
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from domain.kernel import Cards
from domain.speedclimb.cards import COLOUR, NUMBER, PARTS, SHERPA, SIZE
from domain.speedclimb.moves import LaidPart
from domain.speedclimb.pool import Pool
from domain.speedclimb.shapes import SHAPES, Target, spread

_NOTHING_FITS = 99


class Fit(Struct, frozen=True, gc=False):
    """The best that a hand can be for a camp; `missing` counts cards beside its Sherpas."""

    missing: int
    targets: tuple[Target, ...]
    sherpas: int


@lru_cache(maxsize=16_384)
def fit(hand: Cards, camp: str, top: int) -> Fit:
    """Give the best that the hand (in canonical order) can be for the camp."""
    parts = PARTS[camp]
    pool = Pool(hand)
    targets = SHAPES[camp](pool, parts, top) if pool.once else None
    if targets is None:
        return Fit(_NOTHING_FITS, (), pool.sherpas)
    real = 0
    bare = False
    for target in targets:
        real += len(target.cards)
        bare = bare or not target.cards
    if bare:
        targets = spread(targets)
    without_real = sum([not target.cards for target in targets]) if bare else 0
    missing = max(SIZE[camp] - real - pool.sherpas, without_real, 0)
    return Fit(missing, tuple(targets), pool.sherpas)


def suggestion(found: Fit) -> tuple[LaidPart, ...]:
    """Give the parts of a camp that nothing is missing for, with as few Sherpas as possible."""
    return tuple(
        [
            LaidPart(
                t.cards + (SHERPA,) * (t.part.size - len(t.cards)),
                t.aim if t.part.kind == "FOLGE" else 0,
            )
            for t in found.targets
        ]
    )


def wanted(found: Fit, card: str) -> bool:
    """Tell whether the card would fill a gap of the best fit."""
    number = NUMBER.get(card)
    if number is None:
        return card == SHERPA
    for target in found.targets:
        part, aim, cards = target.part, target.aim, target.cards
        if len(cards) == part.size:
            continue
        if part.kind == "GLEICHE":
            fits = number == aim
        elif part.kind == "FARBE":
            fits = COLOUR[card] == target.colour
        else:
            fits = aim <= number < aim + part.size and number not in [NUMBER[c] for c in cards]
        if fits:
            return True
    return False
