"""Deal everything again that a seat cannot know; one hook per game."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from domain.kernel import Seat
from domain.snorkeling.state import State as SnorkelingState
from domain.snorkeling.state import pile_left as snorkeling_pile
from domain.speedclimb.cards import SCHNEESTURM
from domain.speedclimb.cards import canonical as speedclimb_canonical
from domain.speedclimb.state import State as SpeedclimbState
from domain.speedclimb.state import material_left
from domain.speeddive.state import State as SpeeddiveState
from domain.speeddive.state import pile_left
from domain.speeddrill.moves import PickRods
from domain.speeddrill.state import State as SpeeddrillState
from domain.speeddrill.state import pile_left as speeddrill_pile


def _speeddive(state: SpeeddiveState, _seat: Seat | None, rng: random.Random) -> SpeeddiveState:
    left = pile_left(state)
    return replace(state, pile=tuple(rng.sample(left, len(left))))


def _speedclimb(state: SpeedclimbState, seat: Seat | None, rng: random.Random) -> SpeedclimbState:
    """Mix material, other hands and Rucksack cards; choose others' open stages and carry again."""
    board = state.board
    if board.phase == "deal":
        return replace(state, material=tuple(rng.sample(state.material, len(state.material))))
    others = [n for n in range(len(state.owns)) if n != seat]
    mixed = list(material_left(state))
    for n in others:
        mixed += [*state.owns[n].hand, *state.owns[n].rucksack]
    mixed.sort(key=lambda card: card == SCHNEESTURM)  # no Rucksack holds one
    sacks: dict[int, list[str]] = {}
    for n in others:
        size = len(state.owns[n].rucksack)
        sacks[n] = [
            mixed.pop(rng.randrange(len(mixed) - mixed.count(SCHNEESTURM))) for _ in range(size)
        ]
    rng.shuffle(mixed)
    owns = list(state.owns)
    for n in others:
        own, climber = owns[n], board.climbers[n]
        hand = [mixed.pop() for _ in own.hand]
        stage = own.stage
        if stage and not climber.stage:
            stage = rng.choice([k for k in range(1, 11) if k not in climber.done])
        carry = rng.sample(hand, len(own.carry))
        owns[n] = replace(
            own,
            hand=speedclimb_canonical(hand),
            rucksack=speedclimb_canonical(sacks[n]),
            stage=stage,
            carry=speedclimb_canonical(carry),
        )
    return replace(state, owns=tuple(owns), material=tuple(mixed))


def _snorkeling(state: SnorkelingState, seat: Seat | None, rng: random.Random) -> SnorkelingState:
    """Mix all other hands with the pile; every hand keeps its size."""
    others = [each for each in range(len(state.hands)) if each != seat]
    mixed = [*snorkeling_pile(state), *[card for each in others for card in state.hands[each]]]
    rng.shuffle(mixed)
    hands = list(state.hands)
    for each in others:
        hands[each] = tuple(sorted(mixed.pop() for _ in state.hands[each]))
    return replace(state, hands=tuple(hands), pile=tuple(mixed))


def _speeddrill(state: SpeeddrillState, seat: Seat | None, rng: random.Random) -> SpeeddrillState:
    """Mix all other hands with the pile, and choose others' sealed rods again."""
    konzerne, held = state.board.konzerne, state.held
    others = [n for n, konzern in enumerate(konzerne) if konzern.seat != seat]
    mixed = [*speeddrill_pile(state), *[card for n in others for card in held.hands[n]]]
    rng.shuffle(mixed)
    hands, sealed = list(held.hands), list(held.sealed)
    for n in others:
        hands[n] = tuple(mixed.pop() for _ in hands[n])
        if sealed[n]:
            pick = PickRods(konzerne[n].name, konzerne[n].supply, 6)
            sealed[n] = pick.sample(rng.randrange).rods
    return replace(
        state, held=replace(held, hands=tuple(hands), sealed=tuple(sealed)), pile=tuple(mixed)
    )


REDEAL: dict[str, Callable[[Any, Seat | None, random.Random], Any]] = {
    "speeddive": _speeddive,
    "speedclimb": _speedclimb,
    "snorkeling": _snorkeling,
    "speeddrill": _speeddrill,
}
