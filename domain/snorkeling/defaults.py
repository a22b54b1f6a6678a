"""What is played when nobody answers: simple, pure and cheap (RULES.md 4.6)."""

from __future__ import annotations

from domain.kernel import Cards, Seat
from domain.snorkeling.cards import FITS, STRAND, VALUE
from domain.snorkeling.moves import Attack, Move, Pass, PlayCards

PASS = Pass()


def default_play(top: str, values: tuple[int, ...], seat: Seat, hand: Cards) -> Move:
    """Give one card for the centre and the attack on the highest pile that the hand can hit.

    `top` is the card on the centre, `values` are the top values of all own piles.
    """
    fits = FITS[top]
    fitting = [card for card in hand if card in fits]
    if not fitting:
        return PASS
    attack = _attack(values, seat, hand, fitting)
    if attack is None:
        return PlayCards((fitting[0],))
    spared = list(fitting)
    if attack.card in spared:
        spared.remove(attack.card)
    return PlayCards((spared[0],), attack)


def _attack(values: tuple[int, ...], seat: Seat, hand: Cards, fitting: list[str]) -> Attack | None:
    """Give the attack on the highest pile that leaves a card for the centre."""
    best, found = 0, None
    for card in hand:
        wanted = VALUE[card] + 1
        if wanted > best and wanted in values and fitting != [card]:
            target = _target(values, seat, wanted)
            if target is not None:
                best, found = wanted, Attack(card, target)
    return found


def _target(values: tuple[int, ...], seat: Seat, wanted: int) -> Seat | None:
    """Give the next pile clockwise with this value on top.

    A Strand ends the round, so it is played only by who is not behind anybody else.
    """
    seats = len(values)
    for step in range(1, seats):
        target = (seat + step) % seats
        if values[target] == wanted:
            if wanted == STRAND + 1 and values[seat] < max(values):
                return None
            return target
    return None
