"""Computer players of Speedclimb (RULES.md 3.13)."""

from __future__ import annotations

from services.bot.strategies.speedclimb import leicht, normal
from services.bot.strategies.strategy import Computers, Strategy

COMPUTERS = Computers(
    {
        "leicht": Strategy("leicht", leicht.VERSION, leicht.choose),
        "normal": Strategy("normal", normal.VERSION, normal.choose),
        "stark": Strategy("stark", normal.VERSION, normal.choose),
    },
    lambda _view, _question, _move: "",
)
