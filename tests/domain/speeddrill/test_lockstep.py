"""The game against a second, independent implementation: every state, question and score."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.kernel import Ask, AskAll, Over, Pause, Resumed, Settled, act, begin, settle
from domain.options import sample
from domain.speeddrill.evolve import drilled
from domain.speeddrill.moves import ChooseRods, Drill, Move
from domain.speeddrill.state import FREE, Options, State, pile_left
from tests.domain.playing import shuffles
from tests.domain.speeddrill.naive import CLOCKWISE, WORTH, Naive

GAME = GAMES["speeddrill"]
LENGTHS = (100, 200, 300, 400)
SEATINGS = [places for seats in (2, 3, 4) for places in combinations(range(4), seats)]
GAMES_EACH = 12


def pieces(rods: tuple[int, ...]) -> list[int]:
    return [length for length, n in zip(LENGTHS, rods, strict=True) for _ in range(n)]


def ours(state: State) -> dict[str, Any]:
    board = state.board
    names = [konzern.name for konzern in board.konzerne]
    return {
        "pile": list(pile_left(state)),
        "discard": list(board.discard),
        "season": board.season,
        "start": names[board.start],
        "kursfeld": board.kursfelder[-1] if board.kursfelder else "",
        "now": list(GAME.view(state, None).jetzt.scores),
        "colours": [
            (k.name, k.seat, k.side, list(hand), pieces(k.supply), pieces(k.rods), k.score)
            for k, hand in zip(board.konzerne, state.held.hands, strict=True)
        ],
        "holes": {
            (feld, square // 3, square % 3): [(names[rod.konzern], rod.metres) for rod in hole.rods]
            for n, feld in enumerate(WORTH)
            for square, hole in enumerate(board.holes[9 * n : 9 * n + 9])
            if hole.rods
        },
    }


def theirs(naive: Naive) -> dict[str, Any]:
    return {
        "pile": naive.pile,
        "discard": naive.discard,
        "season": naive.season,
        "start": naive.start,
        "kursfeld": naive.kursfeld,
        "now": naive.standing() if naive.holes else [0] * len(naive.colours),
        "colours": [
            (c.name, c.player, c.looks_from, c.hand, sorted(c.supply), sorted(c.chosen), c.points)
            for c in naive.colours
        ],
        "holes": naive.holes,
    }


class Pair:
    """Both implementations of one game."""

    def __init__(self, places: tuple[int, ...], mode: Any, seed: int, *, greedy: bool) -> None:
        self.rng = random.Random(f"{seed}/{places}/{mode}")
        self.greedy = greedy
        self.naive = Naive([CLOCKWISE[place] for place in places], mode, shuffles(seed))
        self.shuffle = shuffles(seed)
        self.settled: Settled[State, Move] = begin(GAME, Options(mode), places, self.shuffle)
        self.playing = self.naive.game()

    def act(self, ask: Ask[Move], move: Move) -> None:
        self.settled = act(GAME, self.settled.state, ask, move, self.shuffle)

    def run(self) -> None:
        kind, what = next(self.playing)
        while True:
            assert ours(self.settled.state) == theirs(self.naive)
            answer = getattr(self, f"answer_{kind}")(what)
            try:
                kind, what = self.playing.send(answer)
            except StopIteration:
                break
        over = self.settled.waiting
        assert isinstance(over, Over)
        ranks, scores, base = self.naive.result()
        assert (list(over.ranks), list(over.scores)) == (ranks, scores)
        assert list(over.leaderboard_base) == base
        history = self.settled.state.board.history
        assert [list(line.wertung.scores) for line in history] == self.naive.score_log

    def answer_P1(self, missing: list[str]) -> dict[str, list[int]]:  # noqa: N802 - decision P1
        """Let all choose, in any order, each number of answers being seen on the way."""
        choices = {}
        while missing:
            waiting = self.settled.waiting
            assert isinstance(waiting, AskAll)
            assert [ask.part for ask in waiting.asks] == missing
            ask = self.rng.choice(waiting.asks)
            move = sample(ask.options, self.rng.randrange)
            assert isinstance(move, ChooseRods)
            choices[ask.part] = pieces(move.rods)
            self.act(ask, move)
            missing = [name for name in missing if name != ask.part]
        return choices

    def answer_P2(self, question: tuple[str, set[Any]]) -> tuple[str, int, str]:  # noqa: N802
        name, legal = question
        ask = self.settled.waiting
        assert isinstance(ask, Ask)
        assert ask.part == name
        offered = [(m.card, m.rod, m.feld) for m in ask.options.moves if isinstance(m, Drill)]
        assert len(offered) == len(set(offered)) == len(ask.options.moves)
        assert set(offered) == legal
        assert len(offered) <= 96
        move = ask.default if self.greedy else self.rng.choice(ask.options.moves)
        assert isinstance(move, Drill)
        self.act(ask, move)
        return move.card, move.rod, move.feld

    def answer_summary(self, _: None) -> None:
        assert self.settled.waiting == Pause("saisonbilanz")
        resumed = (Resumed("saisonbilanz"),)
        self.settled = settle(GAME, self.settled.state, resumed, self.shuffle)


@pytest.mark.parametrize("places", SEATINGS, ids=str)
@pytest.mark.parametrize("mode", ["KLASSISCH", "ROHSTOFFE"])
def test_every_state_of_many_games_equals_the_naive_one(places: tuple[int, ...], mode: str) -> None:
    reshuffles = 0
    for seed in range(GAMES_EACH):
        pair = Pair(places, mode, seed, greedy=seed % 3 == 0)
        pair.run()
        reshuffles += pair.naive.reshuffles
    assert reshuffles >= GAMES_EACH


@pytest.mark.parametrize("places", [(0, 1), (0, 1, 2), (0, 1, 2, 3)], ids=str)
def test_boards_on_which_most_squares_are_out_of_reach(places: tuple[int, ...]) -> None:
    """Colours that own almost nothing must forfeit, often several turns in a row (DRILL-R09)."""
    forfeits = 0
    for seed in range(6):
        pair = Pair(places, "KLASSISCH", seed, greedy=False)
        pair.naive.holes = deep_holes(pair)
        pair.run()
        forfeits += pair.naive.forfeits
    assert forfeits > 20


def deep_holes(pair: Pair) -> dict[tuple[str, int, int], list[tuple[str, int]]]:
    """Give both boards holes that nobody can take; a random colour has most of them."""
    names = [konzern.name for konzern in pair.settled.state.board.konzerne]
    rich = pair.rng.randrange(len(names))
    holes = []
    naive: dict[tuple[str, int, int], list[tuple[str, int]]] = {}
    for n in range(54):
        owner = rich if pair.rng.random() < 0.96 else pair.rng.randrange(len(names))
        hole = FREE
        for _ in range(12):
            hole = drilled(hole, owner, 400)
        holes.append(hole)
        square = (list(WORTH)[n // 9], n % 9 // 3, n % 3)
        naive[square] = [(names[owner], 400)] * 12
    board = replace(pair.settled.state.board, holes=tuple(holes))
    pair.settled = replace(pair.settled, state=replace(pair.settled.state, board=board))
    return naive
