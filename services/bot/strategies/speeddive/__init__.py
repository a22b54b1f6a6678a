"""Computer players of Speeddive (RULES.md 2.10)."""

from __future__ import annotations

from services.bot.strategies.speeddive import klassisch, leicht, stark
from services.bot.strategies.speeddive.reasons import reason
from services.bot.strategies.strategy import Computers, Strategy

COMPUTERS = Computers(
    {
        "leicht": Strategy("leicht", leicht.VERSION, leicht.choose),
        "normal": Strategy("normal", klassisch.VERSION, klassisch.choose),
        "stark": Strategy("stark", stark.VERSION, stark.choose, thinks=True),
    },
    reason,
)
