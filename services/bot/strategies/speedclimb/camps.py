"""How far a hand is from a camp, and which cards bring it nearer: exact, and fast enough to try.

A hand is an integer, so that a card is added by `+ UNIT[camp][card]`: how often it has each number
(4 bits a number) for camps of runs and equal numbers; how often each colour (4 bits a colour) for a
camp of one colour; and which cards it has (16 bits a colour, one a number) for camps that mix
them, whose deck has every card once. Sherpas are counted apart. Kinds of cards that a camp does
not tell apart share a bit in `KIND`: numbers, colours, or single cards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from types import MappingProxyType
from typing import NamedTuple

from domain.speedclimb.cards import COLOURS, NUMBER, PARTS, SCHNEESTURM, SHERPA
from domain.speedclimb.pool import cover, windows

_KEPT = 1 << 16
_SLOT = 16
_NUMBERS = 0xFFFE
_EVERY = sum([_NUMBERS << _SLOT * index for index in range(len(COLOURS))])


class Reach(NamedTuple):
    """The most real cards of a hand that a camp can use; `outs`: kinds of which one more could be."""

    used: int
    outs: int


def _mixed(camp: str) -> bool:
    return "C" in camp and "+" in camp


def _kinds(camp: str, *, wide: bool) -> dict[str, int]:
    kinds = dict.fromkeys((SHERPA, SCHNEESTURM), 0)
    for card, number in NUMBER.items():
        colour = COLOURS.index(card[0])
        if _mixed(camp):
            kinds[card] = 1 << (_SLOT * colour + number)
        else:
            kinds[card] = 1 << (colour if "C" in camp else number) * (4 if wide else 1)
    return kinds


UNIT = MappingProxyType({camp: _kinds(camp, wide=True) for camp in PARTS})
"""Camp -> card -> what it adds to a hand; nothing for a Sherpa or Schneesturm."""
KIND = MappingProxyType({camp: _kinds(camp, wide=False) for camp in PARTS})
"""Camp -> card -> the bit of its kind in `Reach.outs`."""


def key_of(hand: tuple[str, ...], camp: str) -> int:
    """Give the hand as an integer."""
    return sum(map(UNIT[camp].__getitem__, hand))


@lru_cache(maxsize=_KEPT)
def reach(key: int, camp: str, top: int) -> Reach:
    """Give how much of the hand the camp can use, leaving Sherpas aside; `top`: highest number."""
    return _SHAPES[camp](key, top)


def _masks(key: int) -> tuple[int, int]:
    """Give the numbers that are there once at least, and twice at least."""
    once = twice = 0
    bit = 1
    while key:
        count = key & 15
        if count:
            once |= bit
            if count > 1:
                twice |= bit
        key >>= 4
        bit <<= 1
    return once, twice


@cache
def _run(numbers: int, size: int, top: int) -> Reach:
    """Give the best that a run can be, and the gaps of all runs that are as good."""
    best = outs = 0
    for _, mask in windows(size, top):
        there = (numbers & mask).bit_count()
        if there > best:
            best, outs = there, 0
        if there == best:
            outs |= mask & ~numbers
    return Reach(best, outs)


@cache
def _equal(counts: tuple[int, ...], sizes: tuple[int, ...]) -> Reach:
    """Give what equal numbers can use of the counts; bit n: one more of a number there n times."""
    used = cover(counts, sizes)[0]
    outs = int(cover((*counts, 1), sizes)[0] > used)
    for index, count in enumerate(counts):
        if index and counts[index - 1] == count:
            continue
        more = (*counts[:index], count + 1, *counts[index + 1 :])
        outs |= (cover(more, sizes)[0] > used) << count
    return Reach(used, outs)


def _sets(key: int, sizes: tuple[int, ...], gone: int, top: int) -> Reach:
    """Give what equal numbers can use beside a run that has taken one of each number in `gone`."""
    counts = [(key >> 4 * n & 15) - (gone >> n & 1) for n in range(1, top + 1)]
    used, by_count = _equal(tuple(sorted([c for c in counts if c], reverse=True)), sizes)
    outs = 0
    for index, count in enumerate(counts):
        outs |= (by_count >> count & 1) << index + 1
    return Reach(used, outs)


def _run_and_sets(key: int, size: int, sizes: tuple[int, ...], top: int) -> Reach:
    once, _ = _masks(key)
    bound = _sets(key, sizes, 0, top).used
    ways = [((once & mask).bit_count(), mask) for _, mask in windows(size, top)]
    ways.sort(reverse=True)
    best = outs = 0
    for here, mask in ways:
        if here + bound < best:
            break
        used, more = _sets(key, sizes, once & mask, top)
        if here + used > best:
            best, outs = here + used, 0
        if here + used == best:
            outs |= (mask & ~once) | more
    return Reach(best, outs)


def _two_runs(key: int, one: int, two: int, top: int) -> Reach:
    once, twice = _masks(key)
    best = outs = 0
    for _, mask in windows(one, top):
        here = (once & mask).bit_count()
        if here + two < best:
            continue
        used, more = _run((once & ~mask) | twice, two, top)
        if here + used > best:
            best, outs = here + used, 0
        if here + used == best:
            outs |= (mask & ~once) | more
    return Reach(best, outs)


def _one_colour(key: int, size: int) -> Reach:
    counts = [key >> 4 * index & 15 for index in range(len(COLOURS))]
    best = max(counts)
    if best >= size:
        return Reach(size, 0)
    return Reach(best, sum([1 << n for n, count in enumerate(counts) if count == best]))


def _by_colour(key: int) -> list[tuple[int, int, int]]:
    """Give (cards, shift, numbers) of each colour that is there, the most first."""
    shifts = range(0, _SLOT * len(COLOURS), _SLOT)
    each = [(key >> shift & _NUMBERS, shift) for shift in shifts]
    return sorted([(m.bit_count(), shift, m) for m, shift in each if m], reverse=True)


def _of_every(numbers: int) -> int:
    """Give all cards that have one of the numbers."""
    return sum([numbers << shift for shift in range(0, _SLOT * len(COLOURS), _SLOT)])


def _run_and_colour(key: int, size: int, colour: int, top: int) -> Reach:
    every = _by_colour(key)
    best = outs = 0
    for count, shift, own in every:
        if size + min(colour, count) < best:
            break
        others = 0
        for _, other, numbers in every:
            others |= numbers if other != shift else 0
        mine = own & ~others
        for _, mask in windows(size, top):
            shared = (mine & mask).bit_count()
            # The run takes cards of the colour only where there is no other.
            used = (others & mask).bit_count() + min(shared + colour, count)
            if used < best:
                continue
            if used > best:
                best, outs = used, 0
            if count < shared + colour:
                outs |= _NUMBERS << shift | _of_every(mask & ~others)
            else:
                outs |= _of_every(mask & ~others & ~mine)
    return Reach(best, outs & ~key)


def _set_and_colour(key: int, size: int, colour: int, top: int) -> Reach:
    every = _by_colour(key)
    totals = [
        (n, sum([numbers >> n & 1 for _, _, numbers in every]), 1 << n) for n in range(1, top + 1)
    ]
    best = outs = 0
    for count, shift, own in every:
        if size + min(colour, count) < best:
            break
        for number, total, bit in totals:
            if min(size, total) + min(1 + colour, count) < best:
                continue
            has = own >> number & 1
            free = total - has
            lent = min(has, max(0, size - free))
            used = min(size, free) + min(lent + colour, count)
            if used < best:
                continue
            if used > best:
                best, outs = used, 0
            if count < lent + colour:
                outs |= _NUMBERS << shift
            elif free < size and not has:
                outs |= bit << shift
            # Another colour's card of the number sets free one that the colour has too many of.
            if free < size and not (lent and free == size - 1 and count > colour):
                outs |= _of_every(bit) & ~(bit << shift)
    return Reach(best, outs & ~key)


def _shape(camp: str) -> Callable[[int, int], Reach]:
    runs = [part.size for part in PARTS[camp] if part.kind == "FOLGE"]
    sets = tuple([part.size for part in PARTS[camp] if part.kind == "GLEICHE"])
    colour = next((part.size for part in PARTS[camp] if part.kind == "FARBE"), 0)
    if colour and runs:
        return lambda key, top: _run_and_colour(key, runs[0], colour, top)
    if colour and sets:
        return lambda key, top: _set_and_colour(key, sets[0], colour, top)
    if colour:
        return lambda key, _top: _one_colour(key, colour)
    if runs and sets:
        return lambda key, top: _run_and_sets(key, runs[0], sets, top)
    if sets:
        return lambda key, top: _sets(key, sets, 0, top)
    if len(runs) == 1:
        return lambda key, top: _run(_masks(key)[0], runs[0], top)
    return lambda key, top: _two_runs(key, runs[0], runs[1], top)


_SHAPES = {camp: _shape(camp) for camp in PARTS}
