"""The facts of Snorkeling; hands, drawn cards and the order of the pile are seen by their owners."""

from __future__ import annotations

from typing import TypeAlias

from domain.kernel import Cards, Fact, Resumed, Seat, Shuffled
from domain.snorkeling.moves import Attack


class RoundStarted(Fact, frozen=True, gc=False):
    """All cards are collected; each pile is the Laternenfisch alone (SNORK-R01, SNORK-R02)."""

    number: int
    starter: Seat


class HandsDealt(Fact, frozen=True, gc=False):
    """Five cards for each seat, and the card that opens the centre.

    A seat sees its own hand; the others are empty in its form of the fact.
    """

    hands: tuple[Cards, ...]
    centre: str


class Passed(Fact, frozen=True, gc=False):
    """The player on turn played nothing."""

    seat: Seat


class CardsPlayed(Fact, frozen=True, gc=False):
    """Cards went to the centre in this order, and then perhaps one onto another player's pile."""

    seat: Seat
    centre: Cards
    attack: Attack | None = None


class CardDrawn(Fact, frozen=True, gc=False):
    """The top card of the pile came to a hand; `card` is empty for all other eyes."""

    seat: Seat
    card: str = ""


class DrawOmitted(Fact, frozen=True, gc=False):
    """A card should have been drawn, but there is none (SNORK-R10)."""

    seat: Seat


class CardTaken(Fact, frozen=True, gc=False):
    """The top card of the own pile came to the hand; everybody knows it."""

    seat: Seat
    card: str


class TakeBackDeclined(Fact, frozen=True, gc=False):
    """The player left his pile as it is; he draws an additional card (SNORK-A10)."""

    seat: Seat


class RoundScored(Fact, frozen=True, gc=False):
    """The round brought these scores, one per seat; `ends_game` by SNORK-R12 and SNORK-R14."""

    scores: tuple[int, ...]
    ends_game: bool = False


FactOfSnorkeling: TypeAlias = (
    RoundStarted
    | HandsDealt
    | Passed
    | CardsPlayed
    | CardDrawn
    | DrawOmitted
    | CardTaken
    | TakeBackDeclined
    | RoundScored
)
AnyFact: TypeAlias = FactOfSnorkeling | Shuffled | Resumed
