"""Duels of two players of Speeddive in one process."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from contracts.views import Question
from domain.games import GAMES
from domain.kernel import Ask, Cards, Over, act, begin
from domain.options import admits, sample
from domain.speeddive.moves import Dive, Surface
from domain.speeddive.scoring import round_score
from domain.speeddive.views import View

Player = Callable[[View, Question, random.Random], Any]


def duel(seats: tuple[Player, ...], seed: int, **options: Any) -> tuple[int, ...]:
    """Play one game to 200 and give the ranks; `options` say more about the game."""
    game = GAMES["speeddive"]
    rng = random.Random(seed)

    def shuffle(cards: Cards) -> Cards:
        return tuple(rng.sample(cards, len(cards)))

    rules = game.options_type(**{"target": 200, "bilanz": False, **options})
    settled = begin(game, rules, tuple(range(len(seats))), shuffle)
    while not isinstance(settled.waiting, Over):
        ask = settled.waiting
        assert isinstance(ask, Ask)
        question = Question(1, ask.kind, ask.options, ask.default)
        move = seats[ask.seat](game.view(settled.state, ask.seat), question, rng)
        assert admits(ask.options, move)
        settled = act(game, settled.state, ask, move, shuffle)
    return settled.waiting.ranks


class Stopper:
    """Stops each round at a random 10 to 30 points and picks any target."""

    def __init__(self) -> None:
        self._round = 0
        self._enough = 0

    def __call__(self, view: View, question: Question, rng: random.Random) -> Any:
        if question.kind != "dive":
            return sample(question.options, rng.randrange)
        if view.board.round != self._round:
            self._round, self._enough = view.board.round, rng.randint(10, 30)
        assert view.seat is not None
        return (
            Surface()
            if round_score(view.board.divers[view.seat], view.board.options) >= self._enough
            else Dive()
        )


def share(player: Player, make_other: Callable[[], Player], games: int, **options: Any) -> float:
    """Give the share of duels that `player` wins, a shared place counting half."""
    won = 0.0
    for seed in range(games):
        mine = seed % 2
        other = make_other()
        ranks = duel((player, other) if mine == 0 else (other, player), seed, **options)
        won += 1.0 if ranks[mine] < ranks[1 - mine] else 0.5 * (ranks[0] == ranks[1])
    return won / games
