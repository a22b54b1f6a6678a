"""Deal everything again that a seat cannot know; one hook per game."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from domain.kernel import Seat
from domain.speeddive.state import State as SpeeddiveState
from domain.speeddive.state import pile_left


def _speeddive(state: SpeeddiveState, _seat: Seat | None, rng: random.Random) -> SpeeddiveState:
    left = pile_left(state)
    return replace(state, pile=tuple(rng.sample(left, len(left))))


REDEAL: dict[str, Callable[[Any, Seat | None, random.Random], Any]] = {"speeddive": _speeddive}
