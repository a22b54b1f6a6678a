"""Computer players of Speeddrill (RULES.md 5.10)."""

from __future__ import annotations

from services.bot.strategies.speeddrill import greedy
from services.bot.strategies.strategy import Computers, Strategy

COMPUTERS = Computers(
    {
        "leicht": Strategy("leicht", 1, greedy.leicht),
        "normal": Strategy("normal", 1, greedy.normal),
        "stark": Strategy("stark", 1, greedy.normal),
    },
    lambda _view, _question, _move: "",
)
