"""Computer players of Speeddive (RULES.md 2.10)."""

from __future__ import annotations

from services.bot.strategies.speeddive import klassisch, leicht
from services.bot.strategies.strategy import Computers, Strategy

NORMAL = Strategy("normal", klassisch.VERSION, klassisch.choose)

COMPUTERS = Computers(
    {
        "leicht": Strategy("leicht", leicht.VERSION, leicht.choose),
        "normal": NORMAL,
        "stark": NORMAL,
    },
    lambda _view, _question, _move: "",
)
