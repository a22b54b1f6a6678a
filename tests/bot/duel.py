"""Games of Speeddive between choosers, as the arena plays them."""

from __future__ import annotations

from typing import Any

from domain.games import GAMES
from services.bot.arena.match import Pairing, play_deal, play_game
from services.bot.arena.opponents import opponent
from services.bot.strategies.strategy import Choose, Strategy

STOPPER = opponent("speeddive", "stopper").choose
_GAME = GAMES["speeddive"]


def play(choosers: tuple[Choose, ...], seed: int, **options: Any) -> None:
    """Play one game to the end; fails if anybody gives a move that he was not offered."""
    players = [Strategy(f"seat {seat}", 1, choose) for seat, choose in enumerate(choosers)]
    play_game(_GAME, _GAME.options_type(**options), players, str(seed))


def share(choose: Choose, other: Choose, games: int, **options: Any) -> float:
    """Give the share of duels that `choose` wins, a shared place counting half."""
    one, two = Strategy("one", 1, choose), Strategy("two", 1, other)
    pairing = Pairing(_GAME, _GAME.options_type(**options), 2, one, two, "test")
    shares = [each for deal in range(games // 2) for each in play_deal(pairing, deal).shares]
    return sum(shares) / len(shares)
