"""The cards of Speeddive and the decks that the editions are played with (RULES.md 2.2)."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Literal

from domain.kernel import Cards

Edition = Literal["KLASSISCH", "DEEPER_DIVE"]

LEERE_MUSCHEL = "0"
"""Only in Deeper Dive; in Klassisch the 0 is a number like the others."""
OKTOPUS = "7C"
LEVIATHAN = "13G"
SEVENS = frozenset(("7", OKTOPUS))
"""The two cards of one value that a Spur cannot hold together (13 and 13G it can)."""
NUMBER = MappingProxyType(
    {str(v): v for v in range(8)}
    | {OKTOPUS: 7}
    | {str(v): v for v in range(8, 14)}
    | {LEVIATHAN: 13}
)
"""Value of every number card; a card that is not in here is no number."""
PERLE = MappingProxyType({f"+{value}": value for value in (2, 4, 6, 8, 10)})
SCHATZKARTE = "x2"
STROEMUNG = "Stroemung"
SOG = "Sog"
RESERVEFLASCHE = "Reserveflasche"
BLEI = MappingProxyType({f"-{value}": value for value in (2, 4, 6, 8, 10)})
LECK = "Leck"
LETZTER_ATEMZUG = "LetzterAtemzug"
MAHLSTROM = "Mahlstrom"
ENTERHAKEN = "Enterhaken"
STROEMUNGSWECHSEL = "Stroemungswechsel"
HAIBISS = "Haibiss"

BONUS = frozenset((*PERLE, SCHATZKARTE))
"""Cards that just lie beside the Spur of who drew them and change the score."""
WEIGHTS = frozenset((*BLEI, LECK))
"""Cards that are hung on a diver and lie beside his Spur."""
FORCED_DRAWS = MappingProxyType({SOG: 3, MAHLSTROM: 4})
"""How many cards the target must draw; drawn inside forced draws, the card hits the drawer."""
HITS_SURFACED = frozenset((LETZTER_ATEMZUG, MAHLSTROM, *WEIGHTS))
"""Cards that hit a diver who is in play, also when he has surfaced."""
CARD_ACTIONS = frozenset((ENTERHAKEN, STROEMUNGSWECHSEL, HAIBISS))
"""Actions that aim at open cards; their cards are chosen only when they take effect."""
ACTIONS = frozenset((STROEMUNG, SOG, *HITS_SURFACED, *CARD_ACTIONS))
"""Cards that hit a diver or his cards and are put aside during forced draws."""

SCHATZKAMMER_NUMBERS = 7
SCHATZKAMMER_BONUS = 15

_ORDER = (
    *NUMBER,
    *PERLE,
    SCHATZKARTE,
    *BLEI,
    LECK,
    *(STROEMUNG, SOG, RESERVEFLASCHE),
    *(LETZTER_ATEMZUG, MAHLSTROM, ENTERHAKEN, STROEMUNGSWECHSEL, HAIBISS),
)
_RANK = {card: rank for rank, card in enumerate(_ORDER)}


def canonical(cards: Iterable[str]) -> Cards:
    """Give the cards in the order of the deck, the order that the house shuffles from."""
    return tuple(sorted(cards, key=_RANK.__getitem__))


def _klassisch() -> Cards:
    numbers = [str(value) for value in range(13) for _ in range(max(1, value))]
    actions = [card for card in (STROEMUNG, SOG, RESERVEFLASCHE) for _ in range(3)]
    return canonical((*numbers, *PERLE, SCHATZKARTE, *actions))


def _deeper_dive() -> Cards:
    numbers = [str(value) for value in range(14) for _ in range(max(1, value))]
    for normal, special in (("7", OKTOPUS), ("13", LEVIATHAN)):
        numbers[numbers.index(normal)] = special
    actions = [card for card in _ORDER[_RANK[LETZTER_ATEMZUG] :] for _ in range(2)]
    return canonical((*numbers, *BLEI, LECK, *actions))


DECKS: MappingProxyType[Edition, Cards] = MappingProxyType(
    {"KLASSISCH": _klassisch(), "DEEPER_DIVE": _deeper_dive()}
)
"""The whole deck of each edition in canonical order."""


def doubles(spur: Cards, card: str) -> bool:
    """Tell whether the card's value lies in the Spur already, so that it takes the air (2.5).

    Names tell everything but the sevens: there is one 13G, so a Spur has at most one 13 beside it.
    """
    if card in spur:
        return True
    return (card == "7" and OKTOPUS in spur) or (card == OKTOPUS and "7" in spur)
