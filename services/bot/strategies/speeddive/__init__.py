"""Computer players of Speeddive (RULES.md 2.10)."""

from __future__ import annotations

from services.bot.strategies.speeddive import klassisch
from services.bot.strategies.strategy import Computers, Strategy

NORMAL = Strategy("normal", klassisch.VERSION, klassisch.choose)

COMPUTERS = Computers(
    dict.fromkeys(("leicht", "normal", "stark"), NORMAL), lambda _view, _question, _move: ""
)
