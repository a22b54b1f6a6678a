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
_WAVES = 2 * SCHATZKAMMER_NUMBERS
"""Spuren in the order in which one may lead to another: by their size, with a bottle first."""
_AFTER_CURSE = 12
"""About what a diver gets out of a round in which the Oktopus has taken all he had."""
_BOTTLE_WORTH = 5
_SUMS = 100
"""More than any Spur can hold."""

Ends = dict[int, float]
"""The chance of each number of points that the round may bring a diver."""


class Sea(NamedTuple):
    """The cards that can come: (bit, value, count) of the numbers, and counts of all cards."""

    numbers: tuple[tuple[int, int, int], ...]
    number_count: int
    curses: int
    muschel: bool
    perlen: tuple[str, ...]
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
    perlen = tuple([card for card in (*PERLE, SCHATZKARTE) if counts.get(card)])
    number_count = sum([n for _, _, n in numbers]) + curses
    deeper = options.edition == "DEEPER_DIVE"
    return Sea(numbers, number_count, curses, deeper, perlen, counts, max(total, 1))


class Course(NamedTuple):
    """A diver as his round goes on: `key` is his Spur and his bottle, `sum` its numbers.

    `points[sum]`: what he has if he surfaces; `lost`: what is left when he is OUT; `risky`: cards
    that throw him out; `fresh`: the sum of the numbers that can come and do not; `enough`: the points
    with which normal is content.
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
    enough: int


def course_of(diver: Diver, sea: Sea, options: Options, enough: int = _SUMS) -> Course:
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
        min(enough, _SUMS),
    )


def _sums(times: int, plus: int) -> tuple[int, ...]:
    return tuple([s * times + plus for s in range(_SUMS)])


class _Node:
    """A Spur that may lie there some draws later, and the chance of it."""

    __slots__ = ("chance", "fresh", "held", "risky")

    def __init__(self, chance: float, held: int, risky: int, fresh: int) -> None:
        self.chance, self.held, self.risky, self.fresh = chance, held, risky, fresh


_Level = dict[int, _Node]


def ends(course: Course, sea: Sea, forced: int = 0, *, stops: bool = False) -> Ends:
    """Give the chance of each number of points that the round may bring the diver.

    First he draws `forced` cards. Then he dives on as normal would if he is DOWN and not `stops`.
    """
    if course.stuck:
        return {course.lost: 1.0}
    if forced and course.extra:
        # Perlen and bottles come with forced cards; on the way they were drawn for nothing.
        points = tuple([each + round(forced * course.extra / sea.total) for each in course.points])
        course = course._replace(points=points)
    out: Ends = {}
    level = {course.key: _Node(1.0, course.sum, course.risky, course.fresh)}
    blanks = sea.total - sea.number_count  # they are drawn, too, but of free will one dives on
    for _ in range(forced):
        following: _Level = {}
        for key, node in level.items():
            _spread(course, sea, key, node, following, following, out, blanks)
        level = following
    if course.down and not stops:
        _dive_on(course, sea, level, out)
    else:
        for node in level.values():
            _put(out, course.points[node.held], node.chance)
    return out


def _dive_on(course: Course, sea: Sea, level: _Level, out: Ends) -> None:
    """Draw as normal would; only the Spur counts, not the draw that led to it: each comes once."""
    waves: list[_Level] = [{} for _ in range(_WAVES + 2)]
    for key, node in level.items():
        waves[2 * (key & _SPUR).bit_count() + (key < _BOTTLE)][key] = node
    for wave, caught, grown in zip(waves, waves[1:], waves[2:], strict=False):
        for key, node in wave.items():
            if _dives(course, sea, key, node):
                _spread(course, sea, key, node, grown, caught, out, 0)
            else:
                _put(out, course.points[node.held], node.chance)


def _dives(course: Course, sea: Sea, key: int, node: _Node) -> bool:
    """Tell whether normal would: it weighs what a card brings against what it may cost."""
    if course.points[node.held] >= course.enough:
        return False
    gain = node.fresh * course.times + course.extra
    if key & _BOTTLE:
        return gain > node.risky * _BOTTLE_WORTH
    if (key & _SPUR).bit_count() == _LAST:
        gain += SCHATZKAMMER_BONUS * (sea.number_count - node.risky)
    return gain > node.risky * (course.points[node.held] - course.lost)


def _spread(  # noqa: C901, PLR0917 - the innermost step: in one piece, by position, for speed
    course: Course,
    sea: Sea,
    key: int,
    node: _Node,
    grown: _Level,
    caught: _Level,
    out: Ends,
    blanks: int,
) -> None:
    """Draw every card that can come, among them `blanks` that are no numbers.

    To `grown` go the longer Spuren, to `caught` what is left when the bottle catches a duplicate.
    """
    held, risky, fresh = node.held, node.risky, node.fresh
    size = (key & _SPUR).bit_count()
    # Every new number has left the cards that can come.
    can_come = sea.number_count + (course.key & _SPUR).bit_count() - size
    if not can_come:
        _put(out, course.points[held], node.chance)
        return
    each = node.chance / (can_come + blanks)
    if blanks:
        _join(grown, key, _Node(each * blanks, held, risky, fresh))
    if risky:
        if key & _BOTTLE:
            _join(caught, key & _SPUR, _Node(each * risky, held, risky, fresh))
        else:
            _put(out, course.lost, each * risky)
    if sea.curses:
        _put(out, _AFTER_CURSE, each * sea.curses)
    last = size == _LAST
    for bit, value, n in sea.numbers:
        if key & bit:
            continue
        # Most often other cards have led to the same Spur already, so that is asked first.
        there = grown.get(key | bit)
        if there is not None:
            there.chance += each * n
        elif last:
            _put(out, course.points[held + value] + SCHATZKAMMER_BONUS, each * n)
        elif sea.muschel and not value:
            _put(out, course.lost, each * n)
        else:
            grown[key | bit] = _Node(each * n, held + value, risky + n - 1, fresh - n * value)


def _put(out: Ends, points: int, chance: float) -> None:
    out[points] = out.get(points, 0.0) + chance


def _join(level: _Level, key: int, node: _Node) -> None:
    there = level.get(key)
    if there is None:
        level[key] = node
    else:
        there.chance += node.chance


class Dives:
    """The best way to dive on, in units of `worth`: what it is worth to end the round with points."""

    def __init__(self, course: Course, sea: Sea, worth: Mapping[int, float]) -> None:
        self._course = course
        self._sea = sea
        self._worth = worth
        self._lost = worth[course.lost]
        self._known: dict[int, float] = {}

    def draw(self, depth: int) -> float:
        """Give the worth of one more card, with up to `depth` - 1 more after it."""
        course = self._course
        return self._draw(course.key, course.sum, course.risky, depth)

    def _draw(self, key: int, held: int, risky: int, depth: int) -> float:
        sea, worth, points = self._sea, self._worth, self._course.points
        count, acc = risky + sea.curses, risky * self._lost
        if risky and key & _BOTTLE:
            acc = risky * self._best(key & _SPUR, held, risky, depth - 1)
        if sea.curses:
            acc += sea.curses * worth[_AFTER_CURSE]
        last = (key & _SPUR).bit_count() == _LAST
        for bit, value, n in sea.numbers:
            if key & bit:
                continue
            count += n
            if last:
                acc += n * worth[points[held + value] + SCHATZKAMMER_BONUS]
            elif sea.muschel and not value:
                acc += n * self._lost
            else:
                acc += n * self._best(key | bit, held + value, risky + n - 1, depth - 1)
        for card in sea.perlen:
            acc += worth[points[held] + (PERLE.get(card) or held)]  # x2 once more doubles the sum
            count += 1
        return acc / count if count else worth[points[held]]

    def _best(self, key: int, held: int, risky: int, depth: int) -> float:
        """Give the worth of surfacing or diving on; the Spur tells how many draws are left."""
        now = self._worth[self._course.points[held]]
        if not depth:
            return now
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = max(now, self._draw(key, held, risky, depth))
        return known
