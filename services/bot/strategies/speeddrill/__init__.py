"""Computer players of Speeddrill (RULES.md 5.10)."""

from __future__ import annotations

from services.bot.strategies.speeddrill import greedy, reason, stark
from services.bot.strategies.strategy import Computers, Strategy

COMPUTERS = Computers(
    {
        "leicht": Strategy("leicht", 1, greedy.leicht),
        "normal": Strategy("normal", 1, greedy.normal),
        "stark": Strategy("stark", 2, stark.stark, thinks=True),
    },
    reason.reason,
)
