"""Computer players of Speedclimb."""

from __future__ import annotations

from services.bot.strategies.strategy import Computers, Strategy

COMPUTERS = Computers(
    {
        strength: Strategy(strength, 0, lambda _view, question, _rng: question.default)
        for strength in ("leicht", "normal", "stark")
    },
    lambda _view, _question, _move: "",
)
