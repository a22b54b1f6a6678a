"""Every turn that may be sensible, weighed by what it does at once and what it keeps.

One depth more or less is the unit. A weighing looks at the own pile and hand and at the pile that
is attacked; what others may answer it leaves out.
"""

from __future__ import annotations

from typing import Final

from domain.kernel import Seat
from domain.snorkeling.cards import LATERNENFISCH_VALUE
from services.bot.strategies.snorkeling.bits import OF_VALUE, one_of_each
from services.bot.strategies.snorkeling.plays import plays
from services.bot.strategies.snorkeling.sight import PASSING, Sight, Turn

# What things are worth beside a depth; each a little more or less plays no better.
HEAL: Final = 1.0
"""Emptying the hand when a card of the own pile can be taken back."""
REFILL: Final = 0.3
"""Emptying it with the Laternenfisch alone."""
AIM: Final = 0.4
"""Keeping a card that hits a pile as it is now."""
FOLLOW: Final = 0.2
"""Keeping a card that hits a pile after one more attack on it."""
STRAND_KEPT: Final = 0.1
CARD_KEPT: Final = 0.05
COLOUR_KEPT: Final = 0.05
END: Final = 20.0
"""A Strand for another pile, when nobody is deeper; the opposite when somebody is."""
RICHER: Final = 0.05
"""For each depth and each point that the target has."""

_COLOUR: Final = 0x7FFF
_COLOURS: Final = 5


def weighed(sight: Sight) -> list[tuple[float, Turn]]:
    """Give every sensible turn with its worth; for one value of the attack one target only."""
    depths, seat, hand = sight.depths, sight.seat, sight.hand
    targets = _targets(sight)
    emptied = HEAL if depths[seat] < LATERNENFISCH_VALUE else REFILL
    found = [(_kept(hand, depths, seat), PASSING)]
    known: dict[tuple[int, Seat], float] = {(0, seat): emptied}
    for play in plays(sight.variant, sight.top, hand):
        rest = hand & ~play.used
        worth = known.get((rest, seat))
        if worth is None:
            worth = known[rest, seat] = _kept(rest, depths, seat)
        found.append((worth, Turn(play)))
        for value, target, hit in targets:
            for card in one_of_each(rest & OF_VALUE[value]):
                left = rest & ~(1 << card)
                worth = known.get((left, target)) if left else emptied
                if worth is None:
                    after = (*depths[:target], value, *depths[target + 1 :])
                    worth = known[left, target] = _kept(left, after, seat)
                found.append((worth + hit, Turn(play, card, target)))
    return found


def _targets(sight: Sight) -> list[tuple[int, Seat, float]]:
    """Give (value of the card, target, worth of the hit), the best target for each value."""
    best: dict[int, tuple[int, Seat, float]] = {}
    seats = len(sight.depths)
    for step in range(1, seats):
        target = (sight.seat + step) % seats
        value, hit = sight.depths[target] - 1, _hit(sight, target)
        if value not in best or hit > best[value][2]:
            best[value] = value, target, hit
    return list(best.values())


def _hit(sight: Sight, target: Seat) -> float:
    depths, mine = sight.depths, sight.depths[sight.seat]
    if depths[target] > 1:
        return 1.0 + RICHER * (depths[target] + sight.totals[target])
    # The Strand ends the round (SNORK-R07).
    deepest = max(depths)
    return END if mine == deepest else 4 * (mine - deepest) - END


def _kept(hand: int, depths: tuple[int, ...], seat: Seat) -> float:
    """Give what a hand that is not empty is worth for later turns."""
    worth = CARD_KEPT * hand.bit_count()
    for colour in range(_COLOURS):
        if hand >> 15 * colour & _COLOUR:
            worth += COLOUR_KEPT
    aims = follows = 0
    for other, depth in enumerate(depths):
        if other != seat:
            aims |= 1 << depth >> 1
            follows |= 1 << depth >> 2
    for value, cards in enumerate(OF_VALUE):
        if hand & cards:
            if aims >> value & 1:
                worth += AIM
            elif follows >> value & 1:
                worth += FOLLOW
    if hand & OF_VALUE[0]:
        worth += STRAND_KEPT
    return worth
