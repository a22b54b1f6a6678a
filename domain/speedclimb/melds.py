"""Combinations that lie on the table: what is one, and what fits to it (CLIMB-R08, R11)."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct

from domain.kernel import Cards, Seat
from domain.speedclimb.cards import COLOUR, NUMBER, SCHNEESTURM, SHERPA, Kind, Part
from domain.speedclimb.moves import End, LaidPart


class Meld(Struct, frozen=True, gc=False):
    """A combination that lies open; Sherpas in it never move.

    The cards of a run lie in order from `low` on. `number` is that of equal numbers, `colour` that
    of cards of one colour.
    """

    owner: Seat
    kind: Kind
    cards: Cards
    low: int = 0
    number: int = 0
    colour: str = ""


class Place(Struct, frozen=True, gc=False):
    """An end of a run, or another meld, and each different card of the hand that fits there."""

    meld: int
    end: End
    cards: Cards


def high(meld: Meld) -> int:
    """Give the highest number of a run."""
    return meld.low + len(meld.cards) - 1


def part_fault(part: Part, laid: LaidPart, top: int) -> str:
    """Tell what is wrong with the cards for a part; nothing if they are such a combination."""
    cards, low = laid.cards, laid.low
    if len(cards) != part.size:
        return "size"
    real = [card for card in cards if card != SHERPA]
    if not real:
        return "only Sherpas"
    if SCHNEESTURM in real:
        return "Schneesturm"
    if part.kind == "FARBE":
        fits = low == 0 and len({COLOUR.get(card) for card in real}) == 1
        return "" if fits else "colour"
    numbers = {NUMBER.get(card, 0) for card in real}
    if part.kind == "GLEICHE":
        return "" if low == 0 and len(numbers) == 1 else "number"
    # No wrap, every number once, and Sherpas stand for the numbers between low and the high end.
    last = low + part.size - 1
    inside = low >= 1 and last <= top and low <= min(numbers) and max(numbers) <= last
    return "" if inside and len(numbers) == len(real) else "run"


def meld_of(owner: Seat, part: Part, laid: LaidPart) -> Meld:
    """Give the meld that legal cards for a part become."""
    real = [card for card in laid.cards if card != SHERPA]
    if part.kind == "FOLGE":
        lying = [SHERPA] * part.size
        for card in real:
            lying[NUMBER[card] - laid.low] = card
        return Meld(owner, "FOLGE", tuple(lying), laid.low)
    if part.kind == "GLEICHE":
        return Meld(owner, "GLEICHE", laid.cards, 0, NUMBER[real[0]])
    return Meld(owner, "FARBE", laid.cards, 0, 0, COLOUR[real[0]])


def attached(meld: Meld, card: str, end: End) -> Meld:
    """Give the meld with one card more."""
    if end == "low":
        return Meld(meld.owner, meld.kind, (card, *meld.cards), meld.low - 1)
    cards = (*meld.cards, card)
    return Meld(meld.owner, meld.kind, cards, meld.low, meld.number, meld.colour)


def places(melds: tuple[Meld, ...], hand: Cards, top: int) -> tuple[Place, ...]:
    """Give every place where a card of the hand fits, in the order of the melds."""
    by: defaultdict[str | int, list[str]] = defaultdict(list)
    sherpa: list[str] = []
    for card in dict.fromkeys(hand):
        if card in NUMBER:
            by[NUMBER[card]].append(card)
            by[COLOUR[card]].append(card)
        elif card == SHERPA:
            sherpa.append(card)
    found = []
    for index, meld in enumerate(melds):
        if meld.kind == "FOLGE":
            low, above = meld.low, meld.low + len(meld.cards)
            if low > 1 and (low - 1 in by or sherpa):
                found.append(Place(index, "low", (*by.get(low - 1, ()), *sherpa)))
            if above <= top and (above in by or sherpa):
                found.append(Place(index, "high", (*by.get(above, ()), *sherpa)))
        else:
            key = meld.number or meld.colour
            if key in by or sherpa:
                found.append(Place(index, "", (*by.get(key, ()), *sherpa)))
    return tuple(found)
