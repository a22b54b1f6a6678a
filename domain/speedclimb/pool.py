"""The cards of a hand by number, and the most that a run or equal numbers can use of them."""

from __future__ import annotations

from functools import cache

from domain.kernel import Cards
from domain.speedclimb.cards import COLOUR, COLOURS, NUMBER, SHERPA


class Pool:
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


@cache
def cover(counts: tuple[int, ...], sizes: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
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
        more, choices = cover(left, sizes[1:])
        if used + more > best[0]:
            best = (used + more, (index, *choices))
    return best if best[0] >= 0 else (0, (-1,) * len(sizes))


def counts_of(pool: Pool, gone: int) -> tuple[int, ...]:
    """Give how often each number is there, falling, without one of each number in `gone`."""
    counts = [len(cards) - (gone >> n & 1) for n, cards in enumerate(pool.by) if cards]
    counts.sort(reverse=True)
    return tuple(counts)


@cache
def windows(size: int, top: int) -> tuple[tuple[int, int], ...]:
    """Give (low, mask of its numbers) of every run, the highest first."""
    mask = (1 << size) - 1
    return tuple((low, mask << low) for low in range(top - size + 1, 0, -1))


@cache
def best_window(numbers: int, size: int, top: int) -> int:
    """Give 16 * (cards that are there) + low of the best run; of equals the highest."""
    return max((numbers & mask).bit_count() * 16 + low for low, mask in windows(size, top))


def colours_of(pool: Pool) -> list[tuple[int, str, int, int]]:
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
