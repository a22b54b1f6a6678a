"""Options that are too many to be listed: laying a camp, attaching, carrying."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from msgspec import Struct

from domain.kernel import Cards
from domain.options import Pick
from domain.speedclimb.cards import (
    CARRY_MAX,
    COLOUR,
    NUMBER,
    PARTS,
    SHERPA,
    Kind,
    Part,
    without,
)
from domain.speedclimb.melds import Place, part_fault
from domain.speedclimb.moves import AttachCard, ChooseCarry, LaidPart, LayLager

_TRIES = 6


class Fillable(Struct, frozen=True, gc=False):
    """A part of the camp: the different cards of the hand that some filling of it has.

    `lows` are the lowest numbers that a run of it may begin with.
    """

    kind: Kind
    size: int
    cards: Cards
    lows: tuple[int, ...] = ()


class LayParts(Struct, frozen=True, tag=True, gc=False):
    """C2: fill every part with exactly its number of cards of the hand, each with a real card.

    A run is given with its lowest number, so that surplus Sherpas may lie above, below or both
    (CLIMB-A04). `suggestion` is such a filling, with as few Sherpas as possible.
    """

    hand: Cards
    parts: tuple[Fillable, ...]
    top: int
    suggestion: tuple[LaidPart, ...]

    def admits(self, move: object) -> bool:
        """Tell whether the move fills every part from the hand."""
        if type(move) is not LayLager or len(move.parts) != len(self.parts):
            return False
        used: list[str] = []
        for part, laid in zip(self.parts, move.parts, strict=True):
            if part_fault(Part(part.kind, part.size), laid, self.top):
                return False
            used += laid.cards
        left = Counter(self.hand)
        left.subtract(used)
        return min(left.values()) >= 0

    def sample(self, pick: Pick) -> LayLager:
        """Give a filling; every one is possible, up to the order of the cards in a part."""
        for _ in range(_TRIES):
            filled = self._filled(pick)
            if filled:
                return LayLager(filled)
        return LayLager(self.suggestion)

    def _filled(self, pick: Pick) -> tuple[LaidPart, ...]:
        """Fill part after part by chance; nothing if that leads nowhere."""
        left = list(self.hand)
        filled = []
        for part in self.parts:
            laid = _run(part, left, pick) if part.kind == "FOLGE" else _alike(part, left, pick)
            if len(laid.cards) < part.size or set(laid.cards) == {SHERPA}:
                return ()
            for card in laid.cards:
                left.remove(card)
            filled.append(laid)
        return tuple(filled)


def _run(part: Fillable, left: list[str], pick: Pick) -> LaidPart:
    low = part.lows[pick(len(part.lows))]
    sherpas = left.count(SHERPA)
    cards: list[str] = []
    for number in range(low, low + part.size):
        fitting = [card for card in left if NUMBER.get(card) == number]
        # A Sherpa may lie where a real card could: seldom, so that most tries succeed.
        if sherpas and (not fitting or not pick(8)):
            sherpas -= 1
            cards.append(SHERPA)
        elif fitting:
            cards.append(fitting[pick(len(fitting))])
    return LaidPart(tuple(cards), low)


def _alike(part: Fillable, left: list[str], pick: Pick) -> LaidPart:
    keys = NUMBER if part.kind == "GLEICHE" else COLOUR
    real = [card for card in part.cards if card != SHERPA and card in left]
    if not real:
        return LaidPart(())
    key = keys[real[pick(len(real))]]
    fitting = [card for card in left if keys.get(card) == key]
    sherpas = left.count(SHERPA)
    cards: list[str] = []
    while len(cards) < part.size and (fitting or sherpas):
        if sherpas and (not fitting or not pick(8)):
            sherpas -= 1
            cards.append(SHERPA)
        else:
            cards.append(fitting.pop(pick(len(fitting))))
    return LaidPart(tuple(cards))


@lru_cache(maxsize=4_096)
def fillable(hand: Cards, camp: str, top: int) -> tuple[Fillable, ...]:
    """Give for every part what of the hand may fill it, if the other parts are left aside."""
    sherpas = hand.count(SHERPA)
    real = [card for card in hand if card in NUMBER]
    numbers = Counter([NUMBER[card] for card in real])
    colours = Counter([COLOUR[card] for card in real])
    different = tuple(dict.fromkeys(real))
    joker = (SHERPA,) if sherpas else ()
    parts = []
    for part in PARTS[camp]:
        lows: tuple[int, ...] = ()
        if part.kind == "FOLGE":
            for low in range(1, top - part.size + 2):
                there = sum([n in numbers for n in range(low, low + part.size)])
                if there and there + sherpas >= part.size:
                    lows += (low,)
            inside = {n for low in lows for n in range(low, low + part.size)}
            cards = tuple([card for card in different if NUMBER[card] in inside])
        elif part.kind == "GLEICHE":
            cards = tuple([c for c in different if numbers[NUMBER[c]] + sherpas >= part.size])
        else:
            cards = tuple([c for c in different if colours[COLOUR[c]] + sherpas >= part.size])
        parts.append(Fillable(part.kind, part.size, cards + joker, lows))
    return tuple(parts)


class AttachCards(Struct, frozen=True, tag=True, gc=False):
    """C3: attach one card at one of the places where it fits."""

    places: tuple[Place, ...]

    def admits(self, move: object) -> bool:
        """Tell whether the card fits there."""
        if type(move) is not AttachCard:
            return False
        for place in self.places:
            if place.meld == move.meld and place.end == move.end:
                return move.card in place.cards
        return False

    def sample(self, pick: Pick) -> AttachCard:
        """Give a card at a place."""
        place = self.places[pick(len(self.places))]
        return AttachCard(place.cards[pick(len(place.cards))], place.meld, place.end)


class CarryCards(Struct, frozen=True, tag=True, gc=False):
    """C5: carry up to `count_max` cards of the hand into the next round (CLIMB-R19)."""

    hand: Cards
    count_max: int = CARRY_MAX

    def admits(self, move: object) -> bool:
        """Tell whether these are so many cards of the hand at most."""
        if type(move) is not ChooseCarry or len(move.cards) > self.count_max:
            return False
        left = Counter(self.hand)
        left.subtract(move.cards)
        return min(left.values(), default=0) >= 0

    def sample(self, pick: Pick) -> ChooseCarry:
        """Give any choice of cards."""
        left = self.hand
        chosen: list[str] = []
        for _ in range(pick(min(self.count_max, len(left)) + 1)):
            card = left[pick(len(left))]
            chosen.append(card)
            left = without(left, (card,))
        return ChooseCarry(tuple(chosen))


DESCRIPTORS = (LayParts, AttachCards, CarryCards)
