"""How well a hand fits a camp: the fewest missing cards, and which cards then go where.

It is exact: a hand completes a camp if and only if nothing is missing. The reason that greed
suffices for most of it: any choice of real cards that gives every part one can be extended to a
largest one without taking a part's last real card away. So a best choice is sought by the number
of real cards alone, and a part that has none is given one that another part can spare.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from msgspec import Struct

from domain.kernel import Cards
from domain.speedclimb.cards import COLOUR, COLOURS, NUMBER, PARTS, SHERPA, SIZE, Part
from domain.speedclimb.moves import LaidPart

_NOTHING_FITS = 99


class Target(Struct, frozen=True, gc=False):
    """What a part is to become, and the real cards that are there for it.

    `aim` is the lowest number of a run, the number of equal ones, 0 for one colour.
    """

    part: Part
    aim: int
    colour: str
    cards: Cards


class Fit(Struct, frozen=True, gc=False):
    """The best that a hand can be for a camp; `missing` counts cards beside its Sherpas."""

    missing: int
    targets: tuple[Target, ...]
    sherpas: int


class _Pool:
    """The cards of a hand by number, taken away as they find a part."""

    def __init__(self, hand: Cards) -> None:
        by: list[list[str]] = [[], [], [], [], [], [], [], [], [], [], [], [], [], [], [], [], []]
        once = twice = sherpas = 0
        for card in hand:
            number = NUMBER.get(card)
            if number is not None:
                bit = 1 << number
                twice |= once & bit
                once |= bit
                by[number].append(card)
            elif card == SHERPA:
                sherpas += 1
        self.by, self.once, self.twice, self.sherpas = by, once, twice, sherpas

    def take(self, number: int, avoid: str = "") -> str:
        """Take a card of the number, of the colour `avoid` only if there is no other."""
        cards = self.by[number]
        for index in range(len(cards) - 1, -1, -1):
            if COLOUR[cards[index]] != avoid:
                return cards.pop(index)
        return cards.pop()

    def run(self, low: int, size: int, avoid: str = "") -> Cards:
        """Take one card for every number of a run that is there."""
        return tuple([self.take(n, avoid) for n in range(low, low + size) if self.by[n]])


@lru_cache(maxsize=16_384)
def fit(hand: Cards, camp: str, top: int) -> Fit:
    """Give the best that the hand (in canonical order) can be for the camp."""
    parts = PARTS[camp]
    pool = _Pool(hand)
    targets = _SHAPES[camp](pool, parts, top) if pool.once else None
    if targets is None:
        return Fit(_NOTHING_FITS, (), pool.sherpas)
    real = 0
    bare = False
    for target in targets:
        real += len(target.cards)
        bare = bare or not target.cards
    if bare:
        targets = _spread(targets)
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


def _spread(targets: list[Target]) -> list[Target]:
    """Give a part without real cards one that another part can spare."""
    for index, bare in enumerate(targets):
        if bare.cards or bare.part.kind != "GLEICHE":
            continue
        for other, giver in enumerate(targets):
            if len(giver.cards) > 1 and giver.part.kind != "FARBE":
                card = giver.cards[-1]
                rest = Target(giver.part, giver.aim, giver.colour, giver.cards[:-1])
                targets[other] = rest
                targets[index] = Target(bare.part, NUMBER[card], "", (card,))
                break
    return targets


@cache
def _cover(counts: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """Give how many cards equal parts can use of `counts` (falling), and each part's choice.

    A choice is an index into `counts`, -1 if no card is left for the part.
    """
    if not sizes:
        return 0, ()
    best: tuple[int, tuple[int, ...]] = (-1, ())
    for index, count in enumerate(counts):
        if count == 0 or (index and counts[index - 1] == count):
            continue  # nothing left of it, or the same as the number before
        used = min(count, sizes[0])
        # The rest stays at its place, so that the indices stay true.
        left = (*counts[:index], count - used, *counts[index + 1 :])
        more, choices = _cover(left, sizes[1:])
        if used + more > best[0]:
            best = (used + more, (index, *choices))
    return best if best[0] >= 0 else (0, (-1,) * len(sizes))


def _counts(pool: _Pool, gone: int) -> tuple[int, ...]:
    """Give how often each number is there, falling, without one of each number in `gone`."""
    counts = [len(cards) - (gone >> n & 1) for n, cards in enumerate(pool.by) if cards]
    counts.sort(reverse=True)
    return tuple(counts)


@cache
def _windows(size: int, top: int) -> tuple[tuple[int, int], ...]:
    """Give (low, mask of its numbers) of every run, the highest first."""
    mask = (1 << size) - 1
    return tuple((low, mask << low) for low in range(top - size + 1, 0, -1))


@cache
def _best_window(numbers: int, size: int, top: int) -> int:
    """Give 16 * (cards that are there) + low of the best run; of equals the highest."""
    return max((numbers & mask).bit_count() * 16 + low for low, mask in _windows(size, top))


def _only_run(pool: _Pool, parts: tuple[Part, ...], top: int) -> list[Target] | None:
    low = _best_window(pool.once, parts[0].size, top) & 15
    return [Target(parts[0], low, "", pool.run(low, parts[0].size))]


def _two_runs(pool: _Pool, parts: tuple[Part, ...], top: int) -> list[Target] | None:
    one, two = parts
    best, lows = -1, (0, 0)
    for low, mask in _windows(one.size, top):
        here = (pool.once & mask).bit_count()
        if not here:
            continue
        left = (pool.once & ~mask) | pool.twice
        found = _best_window(left, two.size, top)
        if here + (found >> 4) > best:
            best, lows = here + (found >> 4), (low, found & 15)
    first = pool.run(lows[0], one.size)
    second = pool.run(lows[1], two.size)
    if not second and len(first) > 1:  # the second run begins with a card that the first spares
        card = first[-1]
        low = min(NUMBER[card], top - two.size + 1)
        return [Target(one, lows[0], "", first[:-1]), Target(two, low, "", (card,))]
    return [Target(one, lows[0], "", first), Target(two, lows[1], "", second)]


def _sets(pool: _Pool, parts: tuple[Part, ...], top: int) -> list[Target] | None:
    """Equal numbers, with one run among the parts or none."""
    run = next((part for part in parts if part.kind == "FOLGE"), None)
    sizes = tuple([part.size for part in parts if part is not run])
    low = 0
    if run:
        bound = _cover(_counts(pool, 0), sizes)[0]
        best = -1
        windows = [
            ((pool.once & mask).bit_count(), low, mask) for low, mask in _windows(run.size, top)
        ]
        windows.sort(reverse=True)
        for here, start, mask in windows:
            if not here or here + bound <= best:
                break
            cover = here + _cover(_counts(pool, mask), sizes)[0]
            if cover > best:
                best, low = cover, start
    taken = pool.run(low, run.size) if run else ()
    order = [(len(cards), n) for n, cards in enumerate(pool.by) if cards]
    order.sort(reverse=True)
    counts = tuple([count for count, _ in order])
    choices = iter(_cover(counts, sizes)[1])
    targets = []
    for part in parts:
        if part is run:
            targets.append(Target(part, low, "", taken))
            continue
        choice = next(choices)
        number = order[choice][1] if choice >= 0 else 0
        cards = pool.by[number][: part.size]
        del pool.by[number][: part.size]
        targets.append(Target(part, number, "", tuple(cards)))
    return targets


def _colours(pool: _Pool) -> list[tuple[int, str, int, int]]:
    """Give (cards, colour, mask of its numbers, mask of the other colours' numbers), most first."""
    found = []
    for colour in COLOURS:
        count = own = others = 0
        for number, cards in enumerate(pool.by):
            for card in cards:
                if card[0] == colour:
                    count += 1
                    own |= 1 << number
                else:
                    others |= 1 << number
        if count:
            found.append((count, colour, own, others))
    found.sort(reverse=True)
    return found


def _of_colour(pool: _Pool, part: Part, colour: str) -> Target:
    cards = [card for cards in pool.by for card in cards if card[0] == colour]
    return Target(part, 0, colour, tuple(cards[: part.size]))


def _only_colour(pool: _Pool, parts: tuple[Part, ...], _top: int) -> list[Target] | None:
    return [_of_colour(pool, parts[0], _colours(pool)[0][1])]


def _run_and_colour(pool: _Pool, parts: tuple[Part, ...], top: int) -> list[Target] | None:
    run, part = parts
    best, low, colour = -1, 0, ""
    for count, name, own, others in _colours(pool):
        if run.size + min(part.size, count) <= best:
            break
        mine = own & ~others
        for start, mask in _windows(run.size, top):
            free = (others & mask).bit_count()
            shared = (mine & mask).bit_count()
            # The run takes cards of the colour only where there is no other.
            cover = free + min(shared + part.size, count)
            if cover > best and (free or (shared and count > 1)):
                best, low, colour = cover, start, name
    if best < 0:
        return None
    own = sum(card[0] == colour for cards in pool.by for card in cards)
    cards = pool.run(low, run.size, colour)
    lent = [card for card in cards if card[0] == colour]
    # The colour needs one real card at least; the run has another then.
    if len(lent) == own:
        cards = tuple([card for card in cards if card != lent[-1]])
        pool.by[NUMBER[lent[-1]]].append(lent[-1])
    return [Target(run, low, "", cards), _of_colour(pool, part, colour)]


def _set_and_colour(pool: _Pool, parts: tuple[Part, ...], _top: int) -> list[Target] | None:
    equal = next(part for part in parts if part.kind == "GLEICHE")
    part = next(part for part in parts if part.kind == "FARBE")
    best, number, colour = -1, 0, ""
    for count, name, _, _ in _colours(pool):
        if equal.size + min(part.size, count) <= best:
            break
        for value, cards in enumerate(pool.by):
            if not cards:
                continue
            own = sum([card[0] == name for card in cards])
            free = len(cards) - own
            lent = min(own, max(0, equal.size - free))
            cover = min(equal.size, free) + min(lent + part.size, count)
            if cover > best and (free or (own and count > 1)):
                best, number, colour = cover, value, name
    if best < 0:
        return None
    total = sum(card[0] == colour for cards in pool.by for card in cards)
    taken: list[str] = []
    while pool.by[number] and len(taken) < equal.size:
        taken.append(pool.take(number, colour))
    lent_cards = [card for card in taken if card[0] == colour]
    if len(lent_cards) == total:
        taken.remove(lent_cards[-1])
        pool.by[number].append(lent_cards[-1])
    made = {
        "GLEICHE": Target(equal, number, "", tuple(taken)),
        "FARBE": _of_colour(pool, part, colour),
    }
    return [made[each.kind] for each in parts]


def _shape(parts: tuple[Part, ...]) -> Callable[..., list[Target] | None]:
    kinds = [part.kind for part in parts]
    if "FARBE" in kinds:
        with_colour = {"FOLGE": _run_and_colour, "GLEICHE": _set_and_colour, "FARBE": _only_colour}
        return with_colour[next((k for k in kinds if k != "FARBE"), "FARBE")]
    if "GLEICHE" in kinds:
        return _sets
    return _only_run if len(parts) == 1 else _two_runs


_SHAPES = {camp: _shape(parts) for camp, parts in PARTS.items()}
