"""Asks computers for their moves, again when they are silent, and at last decides without them."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from contracts import subjects
from contracts.fairness import strategy_seed
from contracts.views import BotPrompt, question
from domain.kernel import AnyGame, Ask, asked
from domain.table import commands as c
from domain.table.clocks import COMPUTER_MS, decided_by, due, pause_ms
from domain.table.state import Table
from services.kit.bus import Bus
from services.table.loaded import Loaded

DEFAULT_MS = 3_000
"""So long after a computer was asked in vain the table plays the question's default."""
DEFAULT_STRATEGY = "default"

_ENCODER = msgspec.json.Encoder()


class _Sent(NamedTuple):
    first_at: int
    again_at: int


class Computers:
    """The questions of one table that computers are asked."""

    def __init__(self, bus: Bus) -> None:
        """Begin with nothing asked."""
        self._bus = bus
        self._sent: dict[tuple[int, int, str], _Sent] = {}

    def attend(self, loaded: Loaded, now: int) -> tuple[int | None, c.Decide | None]:
        """Ask who has to be asked now.

        Gives the time (ms) of the next look, and the move to make without an answer when one is
        due. Cheap when nobody new is asked; call it after every fact and at every wake.
        """
        game, table, waiting = loaded.game, loaded.table, loaded.waiting
        if game is None or waiting is None:
            return None, None
        asked_at = table.raised_at + pause_ms(table, waiting)
        wakes: list[int] = []
        still: dict[tuple[int, int, str], _Sent] = {}
        for ask in asked(waiting):
            by = decided_by(table, ask, now)
            if by == "human":
                takeover = due(table, ask.clock).takeover
                wakes += [takeover] if takeover is not None else []
                continue
            if by != "timeout" and now < asked_at:
                wakes.append(asked_at)
                continue
            key = (table.raised, ask.seat, ask.part)
            sent = self._sent.get(key, _Sent(now, now))
            if now >= sent.first_at + DEFAULT_MS:
                overdue = c.Decide(ask.seat, table.raised, ask.default, DEFAULT_STRATEGY, 1)
                return None, overdue
            if now >= sent.again_at:
                self._prompt(game, table, ask, sent.first_at + DEFAULT_MS)
                sent = _Sent(sent.first_at, now + COMPUTER_MS)
            still[key] = sent
            wakes.append(min(sent.again_at, sent.first_at + DEFAULT_MS))
        self._sent = still
        return min(wakes, default=None), None

    def _prompt(self, game: AnyGame, table: Table, ask: Ask[Any], deadline: int) -> None:
        occupant = table.seats[ask.seat]
        computer = occupant.kind == "computer"
        strength = occupant.strength if computer else table.rules.strengths[0]
        prompt = bot_prompt(game, table, table.raised, ask, strength=strength, deadline=deadline)
        self._bus.publish(subjects.BOT_PROMPT, _ENCODER.encode(prompt))


def bot_prompt(
    game: AnyGame, table: Table, number: int, ask: Ask[Any], *, strength: str, deadline: int
) -> BotPrompt:
    """Give what a computer is told to answer question `number` by `deadline` (ms)."""
    return BotPrompt(
        table.table_id,
        table.game,
        ask.seat,
        question(table, number, ask),
        game.view(table.play, ask.seat),
        strength,
        deadline,
        strategy_seed(table.seed, table.table_id, number, ask.seat, ask.part),
    )
