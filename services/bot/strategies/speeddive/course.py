"""What a round still brings to one diver: the chances of his points, and the best way to dive on.

A Spur is a set of bits, one for each value; 13G has a bit of its own, 7C lies there as the 7 that
it is. Cards that are no numbers are looked at for the first draw only, by who is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from domain.speeddive.cards import (
    BLEI,
    LECK,
    LEERE_MUSCHEL,
    LEVIATHAN,
    NUMBER,
    OKTOPUS,
    PERLE,
    RESERVEFLASCHE,
    SCHATZKAMMER_BONUS,
    SCHATZKAMMER_NUMBERS,
    SCHATZKARTE,
)
from domain.speeddive.scoring import round_score
from domain.speeddive.state import Diver, Options

_BIT = {card: 1 << (14 if card == LEVIATHAN else value) for card, value in NUMBER.items()}
_BOTTLE = 1 << 15
_SPUR = _BOTTLE - 1
_LAST = SCHATZKAMMER_NUMBERS - 1
_AFTER_CURSE = 12
"""About what a diver gets out of a round in which the Oktopus has taken all he had."""
_BOTTLE_WORTH = 5


class Sea(NamedTuple):
    """The cards that can come: (bit, value, count) of the numbers, and counts of all cards."""

    numbers: tuple[tuple[int, int, int], ...]
    number_count: int
    curses: int
    muschel: bool
    counts: Mapping[str, int]
    total: int


def sea_of(counts: Mapping[str, int], total: int, options: Options) -> Sea:
    """Sort the cards that can come."""
    numbers = tuple(
        [
            (_BIT[card], NUMBER[card], n)
            for card in NUMBER
            if card != OKTOPUS and (n := counts.get(card, 0))
        ]
    )
    curses = counts.get(OKTOPUS, 0)
    number_count = sum([n for _, _, n in numbers]) + curses
    deeper = options.edition == "DEEPER_DIVE"
    return Sea(numbers, number_count, curses, deeper, counts, max(total, 1))


class Course(NamedTuple):
    """A diver as his round goes on: `key` is his Spur and his bottle, `sum` its numbers.

    `points[sum]`: what he has if he surfaces; `lost`: what is left when he is OUT; `risky`: cards
    that throw him out; `fresh`: the sum of the numbers that can come and do not.
    """

    key: int
    sum: int
    risky: int
    fresh: int
    points: tuple[int, ...]
    lost: int
    down: bool
    stuck: bool
    times: float
    extra: int


def course_of(diver: Diver, sea: Sea, options: Options) -> Course:
    """Give the course of a diver, whatever his status."""
    key = 0
    for card in diver.spur:
        key |= _BIT[card]
    held = sum([NUMBER[card] for card in diver.spur])
    risky = sum([n for bit, _, n in sea.numbers if key & bit])
    fresh = sum([n * value for bit, value, n in sea.numbers if not key & bit])
    deeper = options.edition == "DEEPER_DIVE"
    lead = sum([BLEI.get(card, 0) for card in diver.beside]) if deeper else 0
    lost = -lead if options.brutal else 0
    if diver.status == "OUT":
        points: tuple[int, ...] = (round_score(diver, options),) * _SUMS
    elif deeper:
        halves = LECK in diver.beside
        low = -1000 if options.brutal else 0
        points = tuple([max(low, (s // 2 if halves else s) - lead) for s in range(_SUMS)])
    else:
        pearls = sum([PERLE.get(card, 0) for card in diver.beside])
        points = _sums(2 if SCHATZKARTE in diver.beside else 1, pearls)
    extra = sum([value * sea.counts.get(card, 0) for card, value in PERLE.items()])
    if not diver.reserveflasche:
        extra += _BOTTLE_WORTH * sea.counts.get(RESERVEFLASCHE, 0)
    times = 2.0 if SCHATZKARTE in diver.beside else 0.5 if LECK in diver.beside else 1.0
    return Course(
        key | (_BOTTLE if diver.reserveflasche else 0),
        held,
        risky,
        fresh,
        points,
        lost,
        diver.status == "DOWN",
        deeper and LEERE_MUSCHEL in diver.spur and diver.status in {"DOWN", "SURFACED"},
        times,
        extra,
    )


_SUMS = 100


def _sums(times: int, plus: int) -> tuple[int, ...]:
    return tuple([s * times + plus for s in range(_SUMS)])


def ends(course: Course, sea: Sea, forced: int = 0, *, stops: bool = False) -> dict[int, float]:
    """Give the chance of each number of points that the round may bring the diver.

    First he draws `forced` cards. Then he dives on as normal would if he is DOWN and not `stops`.
    """
    if course.stuck:
        return {course.lost: 1.0}
    out: dict[int, float] = {}
    points, lost, times, extra = course.points, course.lost, course.times, course.extra
    goes_on = course.down and not stops
    numbers = sea.numbers
    level = {course.key: [1.0, course.sum, course.risky, course.fresh]}
    draw = 0
    while level:
        following: dict[int, list[float]] = {}
        for key, (chance, held_, risky, fresh) in level.items():
            held = int(held_)
            now = points[held]
            size = (key & _SPUR).bit_count()
            if draw >= forced and (
                not goes_on
                or (
                    not key & _BOTTLE
                    and fresh * times
                    + extra
                    + (15 * (sea.number_count - risky) if size == _LAST else 0)
                    <= risky * (now - lost)
                )
            ):
                out[now] = out.get(now, 0.0) + chance
                continue
            new = [each for each in numbers if not key & each[0]]
            can_come = risky + sea.curses + sum([n for _, _, n in new])
            if not can_come:
                out[now] = out.get(now, 0.0) + chance
                continue
            each = chance / can_come
            if draw < forced:  # a card that is no number is one of the forced ones
                each = chance / (can_come + sea.total - sea.number_count)
                kept = each * (sea.total - sea.number_count)
                if kept > 0.0:
                    _add(following, key, kept, held, risky, fresh)
            if risky:
                if key & _BOTTLE:
                    _add(following, key & _SPUR, each * risky, held, risky, fresh)
                else:
                    out[lost] = out.get(lost, 0.0) + each * risky
            if sea.curses:
                out[_AFTER_CURSE] = out.get(_AFTER_CURSE, 0.0) + each * sea.curses
            for bit, value, n in new:
                if size == _LAST:
                    rich = points[held + value] + SCHATZKAMMER_BONUS
                    out[rich] = out.get(rich, 0.0) + each * n
                elif sea.muschel and not value:
                    out[lost] = out.get(lost, 0.0) + each * n
                else:
                    state = following.get(key | bit)
                    if state is None:
                        following[key | bit] = [
                            each * n,
                            held + value,
                            risky + n - 1,
                            fresh - n * value,
                        ]
                    else:
                        state[0] += each * n
        level = following
        draw += 1
    return out


def _add(
    level: dict[int, list[float]], key: int, chance: float, held: int, risky: float, fresh: float
) -> None:
    state = level.get(key)
    if state is None:
        level[key] = [chance, held, risky, fresh]
    else:
        state[0] += chance


class Dives:
    """The best way to dive on, in units of `worth`: what it is worth to end the round with points."""

    def __init__(self, course: Course, sea: Sea, worth: Mapping[int, float]) -> None:
        self._course = course
        self._sea = sea
        self._worth = worth
        self._lost = worth[course.lost]
        self._memo: dict[int, float] = {}

    def draw(self, depth: int) -> float:
        """Give the worth of one more card, with up to `depth` - 1 more after it."""
        course = self._course
        return self._draw(course.key, course.sum, course.risky, depth)

    def _draw(self, key: int, held: int, risky: int, depth: int) -> float:
        sea, worth, points = self._sea, self._worth, self._course.points
        count = risky + sea.curses
        size = (key & _SPUR).bit_count()
        if key & _BOTTLE:
            acc = risky * (
                self._best(key & _SPUR, held, risky, depth - 1)
                if depth > 1
                else worth[points[held]]
            )
        else:
            acc = risky * self._lost
        if sea.curses:
            acc += sea.curses * worth[_AFTER_CURSE]
        for bit, value, n in sea.numbers:
            if key & bit:
                continue
            count += n
            if size == _LAST:
                acc += n * worth[points[held + value] + SCHATZKAMMER_BONUS]
            elif sea.muschel and not value:
                acc += n * self._lost
            elif depth == 1:
                acc += n * worth[points[held + value]]
            else:
                acc += n * self._best(key | bit, held + value, risky + n - 1, depth - 1)
        if not sea.muschel:
            now = points[held]
            for card, plus in PERLE.items():
                if sea.counts.get(card, 0):
                    acc += worth[now + plus]
                    count += 1
            if sea.counts.get(SCHATZKARTE, 0):
                acc += worth[now + held]
                count += 1
        return acc / count if count else worth[points[held]]

    def _best(self, key: int, held: int, risky: int, depth: int) -> float:
        known = self._memo.get(key)
        if known is None:
            known = max(self._worth[self._course.points[held]], self._draw(key, held, risky, depth))
            self._memo[key] = known
        return known
