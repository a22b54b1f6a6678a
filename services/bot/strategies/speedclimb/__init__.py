"""Computer players of Speedclimb (RULES.md 3.13)."""

from __future__ import annotations

from services.bot.strategies.speedclimb import leicht, normal, stark
from services.bot.strategies.speedclimb.reason import reason
from services.bot.strategies.strategy import Computers, Strategy

COMPUTERS = Computers(
    {
        "leicht": Strategy("leicht", leicht.VERSION, leicht.choose),
        "normal": Strategy("normal", normal.VERSION, normal.choose),
        "stark": Strategy("stark", stark.VERSION, stark.choose, thinks=True),
    },
    reason,
)
