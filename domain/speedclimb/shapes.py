"""The best use of a hand for each shape of camp: runs, equal numbers, one colour and their pairs.

The reason that greed suffices for most of it: any choice of real cards that gives every part one
can be extended to a largest one without taking a part's last real card away. So a best choice is
sought by the number of real cards alone, and a part that has none is given one that another part
can spare.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from domain.kernel import Cards
from domain.speedclimb.cards import NUMBER, PARTS, Part
from domain.speedclimb.pool import Pool, best_window, colours_of, counts_of, cover, windows


class Target(Struct, frozen=True, gc=False):
    """What a part is to become, and the real cards that are there for it.

    `aim` is the lowest number of a run, the number of equal ones, 0 for one colour.
    """

    part: Part
    aim: int
    colour: str
    cards: Cards


def spread(targets: list[Target]) -> list[Target]:
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


def _only_run(pool: Pool, parts: tuple[Part, ...], top: int) -> list[Target] | None:
    low = best_window(pool.once, parts[0].size, top) & 15
    return [Target(parts[0], low, "", pool.run(low, parts[0].size))]


def _two_runs(pool: Pool, parts: tuple[Part, ...], top: int) -> list[Target] | None:
    one, two = parts
    best, lows = -1, (0, 0)
    for low, mask in windows(one.size, top):
        here = (pool.once & mask).bit_count()
        if not here:
            continue
        left = (pool.once & ~mask) | pool.twice
        found = best_window(left, two.size, top)
        if here + (found >> 4) > best:
            best, lows = here + (found >> 4), (low, found & 15)
    first = pool.run(lows[0], one.size)
    second = pool.run(lows[1], two.size)
    if not second and len(first) > 1:  # the second run begins with a card that the first spares
        card = first[-1]
        low = min(NUMBER[card], top - two.size + 1)
        return [Target(one, lows[0], "", first[:-1]), Target(two, low, "", (card,))]
    return [Target(one, lows[0], "", first), Target(two, lows[1], "", second)]


def _sets(pool: Pool, parts: tuple[Part, ...], top: int) -> list[Target] | None:
    """Equal numbers, with one run among the parts or none."""
    run = next((part for part in parts if part.kind == "FOLGE"), None)
    sizes = tuple([part.size for part in parts if part is not run])
    low = 0
    if run:
        bound = cover(counts_of(pool, 0), sizes)[0]
        best = -1
        ways = [
            ((pool.once & mask).bit_count(), start, mask) for start, mask in windows(run.size, top)
        ]
        ways.sort(reverse=True)
        for here, start, mask in ways:
            if not here or here + bound <= best:
                break
            used = here + cover(counts_of(pool, mask), sizes)[0]
            if used > best:
                best, low = used, start
    taken = pool.run(low, run.size) if run else ()
    order = [(len(cards), n) for n, cards in enumerate(pool.by) if cards]
    order.sort(reverse=True)
    counts = tuple([count for count, _ in order])
    choices = iter(cover(counts, sizes)[1])
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


def _of_colour(pool: Pool, part: Part, colour: str) -> Target:
    cards = [card for cards in pool.by for card in cards if card[0] == colour]
    return Target(part, 0, colour, tuple(cards[: part.size]))


def _only_colour(pool: Pool, parts: tuple[Part, ...], _top: int) -> list[Target] | None:
    return [_of_colour(pool, parts[0], colours_of(pool)[0][1])]


def _run_and_colour(pool: Pool, parts: tuple[Part, ...], top: int) -> list[Target] | None:
    run, part = parts
    best, low, colour = -1, 0, ""
    for count, name, own, others in colours_of(pool):
        if run.size + min(part.size, count) <= best:
            break
        mine = own & ~others
        for start, mask in windows(run.size, top):
            free = (others & mask).bit_count()
            shared = (mine & mask).bit_count()
            # The run takes cards of the colour only where there is no other.
            used = free + min(shared + part.size, count)
            if used > best and (free or (shared and count > 1)):
                best, low, colour = used, start, name
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


def _set_and_colour(pool: Pool, parts: tuple[Part, ...], _top: int) -> list[Target] | None:
    equal = next(part for part in parts if part.kind == "GLEICHE")
    part = next(part for part in parts if part.kind == "FARBE")
    best, number, colour = -1, 0, ""
    for count, name, _, _ in colours_of(pool):
        if equal.size + min(part.size, count) <= best:
            break
        for value, cards in enumerate(pool.by):
            if not cards:
                continue
            own = sum([card[0] == name for card in cards])
            free = len(cards) - own
            lent = min(own, max(0, equal.size - free))
            used = min(equal.size, free) + min(lent + part.size, count)
            if used > best and (free or (own and count > 1)):
                best, number, colour = used, value, name
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


SHAPES = {camp: _shape(parts) for camp, parts in PARTS.items()}
