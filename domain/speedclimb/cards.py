"""The cards of Speedclimb, its routes and what each camp asks for (RULES.md 3.2, 3.3)."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Literal

from msgspec import Struct

from domain.kernel import Cards

Route = Literal["GIPFELSTURM", "NORDWAND", "GROSSE_EXPEDITION", "MEISTER_EXPEDITION"]
Kind = Literal["FOLGE", "GLEICHE", "FARBE"]
"""A run of numbers, equal numbers, cards of one colour."""

SHERPA = "Sherpa"
SCHNEESTURM = "Schneesturm"
COLOURS = "RBGWOL"
"""The Seilfarben: Rot, Blau, Gelb, Weiss, Orange, Lila; the expeditions use the first four."""

HAND = 10
RUCKSACK_MAX = 4
CARRY_MAX = 4
CARRY_FROM = 5
"""The first camp of the Nordwand whose cards may be carried (CLIMB-R19)."""
ROUNDS_MAX = 40


class Part(Struct, frozen=True, gc=False):
    """One combination of a camp: its kind and exactly how many cards it has."""

    kind: Kind
    size: int


class Mountain(Struct, frozen=True, gc=False):
    """What differs between the routes: deck, highest number, camps by their code from 1.

    `expedition`: one Ablage instead of a depot each, penalties, and the last card may be attached.
    `free`: the stages are done in any order, and there is a Rucksack (Meister-Expedition).
    """

    deck: Cards
    top: int
    camps: tuple[str, ...]
    expedition: bool
    free: bool = False
    carries: bool = False


def _deck(colours: str, top: int, copies: int, sherpas: int, storms: int) -> Cards:
    numbers = [f"{c}{n}" for c in colours for n in range(1, top + 1) for _ in range(copies)]
    return (*numbers, *[SHERPA] * sherpas, *[SCHNEESTURM] * storms)


_A = _deck(COLOURS, 15, 1, 5, 3)
_B = _deck(COLOURS[:4], 12, 2, 8, 4)
_STAGES = ("S3+S3", "S3+R4", "S4+R4", "R7", "R8", "R9", "S4+S4", "C7", "S5+S2", "S5+S3")
MOUNTAINS: MappingProxyType[Route, Mountain] = MappingProxyType(
    {
        "GIPFELSTURM": Mountain(
            _A,
            15,
            ("R3+R3", "S2+S2+S2+S2", "R3+C4", "R6+S2", "R7", "S2+S3+S3", "S3+C5", "S2+S3+S4"),
            expedition=False,
        ),
        "NORDWAND": Mountain(
            _A,
            15,
            ("R3+R4", "S2+S2+S2+R3", "R4+C4", "S3+S3+S2", "R8", "S4+R4", "C6+S2", "S4+S4+S2"),
            expedition=False,
            carries=True,
        ),
        "GROSSE_EXPEDITION": Mountain(_B, 12, _STAGES, expedition=True),
        "MEISTER_EXPEDITION": Mountain(_B, 12, _STAGES, expedition=True, free=True),
    }
)
"""R is a run, S equal numbers, C one colour, each with its size: the table of RULES.md 3.3."""

_KINDS: dict[str, Kind] = {"R": "FOLGE", "S": "GLEICHE", "C": "FARBE"}
PARTS: MappingProxyType[str, tuple[Part, ...]] = MappingProxyType(
    {
        code: tuple(Part(_KINDS[part[0]], int(part[1:])) for part in code.split("+"))
        for mountain in MOUNTAINS.values()
        for code in mountain.camps
    }
)
"""Code of a camp -> its parts in order."""
SIZE: MappingProxyType[str, int] = MappingProxyType(
    {code: sum(part.size for part in parts) for code, parts in PARTS.items()}
)

NUMBER: dict[str, int] = {f"{c}{n}": n for c in COLOURS for n in range(1, 16)}
"""Number of every number card; a card that is not in here is a Sherpa or a Schneesturm."""
COLOUR: dict[str, str] = {card: card[0] for card in NUMBER}
CARDS: Cards = (*NUMBER, SHERPA, SCHNEESTURM)
_RANK = {card: rank for rank, card in enumerate(CARDS)}
_rank = _RANK.__getitem__

_TENS = 10
PENALTY: dict[str, int] = {
    **{card: 5 if number < _TENS else 10 for card, number in NUMBER.items()},
    SCHNEESTURM: 15,
    SHERPA: 25,
}
"""What each card costs who holds it at the end of a round of an expedition (CLIMB-R16)."""


def canonical(cards: Iterable[str]) -> Cards:
    """Give the cards in the order of the deck, in which hands are held and the house shuffles."""
    return tuple(sorted(cards, key=_rank))


def without(cards: Cards, gone: Iterable[str]) -> Cards:
    """Give the cards without these, each of which is there."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)
