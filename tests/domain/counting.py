"""All cards of a state, wherever they are; one hook per game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from domain.snorkeling.cards import DECK, LATERNENFISCH
from domain.snorkeling.state import State as SnorkelingState
from domain.snorkeling.state import pile_left as snorkeling_pile
from domain.speedclimb.state import State as SpeedclimbState
from domain.speedclimb.state import material_left
from domain.speeddive.cards import DECKS
from domain.speeddive.scoring import cards_before, cards_pending
from domain.speeddive.state import State as SpeeddiveState
from domain.speeddive.state import pile_left
from domain.speeddrill.material import DECK as DRILL_DECK
from domain.speeddrill.state import State as SpeeddrillState
from domain.speeddrill.state import pile_left as speeddrill_pile


def _speeddive(state: SpeeddiveState) -> tuple[Counter[str], Counter[str]]:
    board = state.board
    lying = [*pile_left(state), *board.discard, *cards_pending(board)]
    for diver in board.divers:
        lying += cards_before(diver)
    return Counter(lying), Counter(DECKS[board.options.edition])


def _speedclimb(state: SpeedclimbState) -> tuple[Counter[str], Counter[str]]:
    board = state.board
    deck = Counter(board.mountain.deck)
    if not board.round and board.phase != "deal":  # not yet shuffled
        return deck, deck
    lying = [card for own in state.owns for card in own.rucksack]
    if board.phase == "deal":  # what lay there is gathered and shuffled, but not what was carried
        lying += [*state.material, *[card for own in state.owns for card in own.carry]]
        return Counter(lying), deck
    lying += [*material_left(state), *["Schneesturm"] * board.storms_below]
    lying += [card for own in state.owns for card in own.hand]
    lying += [card for pile in state.piles for card in pile]
    lying += [card for meld in board.melds for card in meld.cards]
    if not board.mountain.expedition:
        lying += ["Schneesturm"] * sum(climber.storm for climber in board.climbers)
    for climber, own in zip(board.climbers, state.owns, strict=True):
        assert climber.hand_count == len(own.hand)
        assert climber.rucksack_count == len(own.rucksack)
    for pile, cards in zip(board.piles, state.piles, strict=True):
        assert (pile.top, pile.count) == ("".join(cards[-1:]), len(cards))
    return Counter(lying), deck


def _snorkeling(state: SnorkelingState) -> tuple[Counter[str], Counter[str]]:
    board = state.board
    lying = [*snorkeling_pile(state), *board.centre]
    for each, hand in zip(board.schnorchler, state.hands, strict=True):
        assert each.hand_count == len(hand)
        lying += [*hand, *each.own]
    return Counter(lying), Counter((*DECK, *[LATERNENFISCH] * len(state.hands)))


def _speeddrill(state: SpeeddrillState) -> tuple[Counter[str], Counter[str]]:
    board = state.board
    if board.phase == "pile":  # not yet shuffled
        return Counter(), Counter()
    lying = [*speeddrill_pile(state), *board.discard]
    for hand in state.held.hands:
        lying += hand
    return Counter(lying), Counter(DRILL_DECK)


CARDS: dict[str, Callable[[Any], tuple[Counter[str], Counter[str]]]] = {
    "speeddive": _speeddive,
    "speedclimb": _speedclimb,
    "snorkeling": _snorkeling,
    "speeddrill": _speeddrill,
}
"""Per game: (the cards that are there, the cards that must be there)."""
