"""The game against a second, independent implementation: every state, question and score."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.kernel import Ask, Over, Pause, Resumed, Settled, act, ranked, settle
from domain.speeddive.moves import ChooseTarget, Dive, Move, Surface
from domain.speeddive.scoring import cards_pending
from domain.speeddive.state import Options, State, pile_left
from tests.domain.playing import shuffles
from tests.domain.speeddive.naive import Naive, Question

GAME = GAMES["speeddive"]
KINDS = {"dive": "D1", "target": "D2", "bottle": "D3"}
GAMES_EACH = 700


def word(move: Move) -> str:
    match move:
        case Dive():
            return "dive"
        case Surface():
            return "surface"
        case ChooseTarget(target):
            return str(target)


def ours(state: State) -> dict[str, Any]:
    board = state.board
    return {
        "pile": list(pile_left(state)),
        "discard": Counter(board.discard),
        "dealer": board.dealer,
        "tie_break": board.tie_break,
        "round": board.round,
        "pending": Counter(cards_pending(board)),
        "divers": [
            (d.status, d.total, [int(c) for c in d.spur], sorted(d.beside), d.reserveflasche)
            for d in board.divers
        ],
    }


def theirs(naive: Naive, waiting_bottle: int, waiting_action: Counter[str]) -> dict[str, Any]:
    pending = Counter(card for queue in naive.pending for card in queue)
    pending.update(["Reserveflasche"] * waiting_bottle)
    pending.update(waiting_action)
    return {
        "pile": naive.draw_pile,
        "discard": Counter(naive.discard),
        "dealer": naive.dealer,
        "tie_break": naive.tie_breaks,
        "round": naive.round_no,
        "pending": pending,
        "divers": [
            (d.status, d.total, d.trail, sorted(d.pearls + ["x2"] * d.times2), bool(d.bottle))
            for d in naive.divers
        ],
    }


def compare(settled: Settled[State, Move], question: Question, naive: Naive) -> None:
    ask = settled.waiting
    assert isinstance(ask, Ask)
    kind, seat, legal = question
    assert (KINDS[ask.kind], ask.seat) == (kind, seat)
    assert [word(move) for move in ask.options.moves] == legal
    held: Counter[str] = Counter()
    if kind == "D2" and not settled.state.board.frames[-1].collected:  # type: ignore[union-attr]
        held.update(settled.state.board.frames[-1].cards)  # type: ignore[union-attr]
    assert ours(settled.state) == theirs(naive, int(kind == "D3"), held)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("boldness", [0.5, 0.9, 1.0])
def test_every_state_of_thousands_of_games_equals_the_naive_one(
    seats: int, boldness: float
) -> None:
    tie_breaks = 0
    for seed in range(GAMES_EACH // 3):
        rng = random.Random(f"{seed}/{seats}/{boldness}")
        target = rng.choice((100, 200, 300))
        naive = Naive(seats, target, shuffles(seed))
        shuffle = shuffles(seed)
        options = Options(target=target, bilanz=seed % 2 == 0)  # type: ignore[arg-type]
        start = GAME.start(options, tuple(range(seats)))
        if seed % 3 == 0:  # a third of the games begins with all tied at the target: Stechrunden
            tied = tuple(replace(diver, total=target) for diver in start.board.divers)
            start = replace(start, board=replace(start.board, divers=tied))
            for diver in naive.divers:
                diver.total = target
            naive.tie_breaks = 1
        settled = settle(GAME, start, (), shuffle)
        game = naive.game()
        question = next(game, None)
        while question is not None:
            if isinstance(settled.waiting, Pause):
                settled = settle(GAME, settled.state, (Resumed("bilanz"),), shuffle)
                continue
            compare(settled, question, naive)
            ask = settled.waiting
            assert isinstance(ask, Ask)
            if ask.kind == "dive":
                # A cautious share keeps games long; a full one ends rounds by OUT and treasure.
                move: Move = Dive() if rng.random() < boldness else Surface()
            else:
                move = rng.choice(ask.options.moves)
            settled = act(GAME, settled.state, ask, move, shuffle)
            try:
                question = game.send(word(move))
            except StopIteration:
                question = None
        if isinstance(settled.waiting, Pause):
            settled = settle(GAME, settled.state, (Resumed("bilanz"),), shuffle)
        totals = tuple(d.total for d in naive.divers)
        assert settled.waiting == Over(ranked(totals), totals, totals)
        assert [list(line.scores) for line in settled.state.board.history] == naive.scores
        tie_breaks += naive.tie_breaks
    assert tie_breaks > GAMES_EACH // 9
