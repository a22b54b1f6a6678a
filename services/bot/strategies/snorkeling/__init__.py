"""Computer players of Snorkeling."""

from __future__ import annotations

from services.bot.strategies.snorkeling import leicht, normal
from services.bot.strategies.snorkeling.reason import reason
from services.bot.strategies.strategy import Computers, Strategy

COMPUTERS = Computers(
    {
        "leicht": Strategy("leicht", leicht.VERSION, leicht.choose),
        "normal": Strategy("normal", normal.VERSION, normal.choose),
        "stark": Strategy("stark", normal.VERSION, normal.choose),
    },
    reason,
)
