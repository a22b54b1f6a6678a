"""All cards of a state, wherever they are; one hook per game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from domain.speeddive.cards import DECKS
from domain.speeddive.scoring import cards_before, cards_pending
from domain.speeddive.state import State as SpeeddiveState
from domain.speeddive.state import pile_left


def _speeddive(state: SpeeddiveState) -> tuple[Counter[str], Counter[str]]:
    board = state.board
    lying = [*pile_left(state), *board.discard, *cards_pending(board)]
    for diver in board.divers:
        lying += cards_before(diver)
    return Counter(lying), Counter(DECKS[board.options.edition])


CARDS: dict[str, Callable[[Any], tuple[Counter[str], Counter[str]]]] = {"speeddive": _speeddive}
"""Per game: (the cards that are there, the cards that must be there)."""
