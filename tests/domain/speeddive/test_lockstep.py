"""The game against a second, independent implementation: every state, question and score."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.kernel import Ask, Cards, Over, Pause, Resumed, Settled, Shuffle, act, ranked, settle
from domain.options import sample
from domain.speeddive.moves import (
    ChargeDiver,
    ChooseCard,
    ChooseTarget,
    Dive,
    Move,
    Surface,
    SwapAnyTwo,
    SwapCards,
    TakeBonus,
)
from domain.speeddive.scoring import cards_pending
from domain.speeddive.state import Options, State, pile_left
from tests.domain.playing import shuffles
from tests.domain.speeddive.naive import Naive, Question
from tests.domain.speeddive.naive_deeper import NaiveDeeper, Tieftaucher

GAME = GAMES["speeddive"]
KINDS = {
    "dive": "D1",
    "target": "D2",
    "bottle": "D3",
    "card": "D4",
    "swap": "D4",
    "schatzkammer": "D5",
}
GAMES_EACH = 700
DEEPER_EACH = 350


def word(move: Move) -> str:
    match move:
        case Dive():
            return "dive"
        case Surface():
            return "surface"
        case ChooseTarget(target) | ChargeDiver(target):
            return str(target)
        case ChooseCard(target, card):
            return f"{target} {card}"
        case SwapCards(first, first_card, second, second_card):
            return f"{first} {first_card} {second} {second_card}"
        case TakeBonus():
            return "bonus"


def every_move(ask: Ask[Move]) -> list[Move]:
    """Give every answer that is offered; a descriptor is held to what it admits."""
    if not ask.options.descriptors:
        return list(ask.options.moves)
    (swap,) = ask.options.descriptors
    assert isinstance(swap, SwapAnyTwo)
    assert not ask.options.moves
    lying = [(seat, card) for seat, cards in enumerate(swap.cards) for card in cards]
    every = [SwapCards(*one, *two) for one in lying for two in lying]
    return sorted((move for move in every if swap.admits(move)), key=word)


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
            (d.status, d.total, list(d.spur), sorted(d.beside), d.reserveflasche)
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
            (d.status, d.total, d.cards, sorted(d.weights), False)
            if isinstance(d, Tieftaucher)
            else (
                d.status,
                d.total,
                [str(v) for v in d.trail],
                sorted(d.pearls + ["x2"] * d.times2),
                bool(d.bottle),
            )
            for d in naive.divers
        ],
    }


def compare(settled: Settled[State, Move], question: Question, naive: Naive) -> None:
    ask = settled.waiting
    assert isinstance(ask, Ask)
    kind, seat, legal = question
    assert (KINDS[ask.kind], ask.seat) == (kind, seat)
    assert [word(move) for move in every_move(ask)] == legal
    held: Counter[str] = Counter()
    if isinstance(naive, NaiveDeeper):
        held.update(naive.held)
    elif kind == "D2" and not settled.state.board.frames[-1].collected:  # type: ignore[union-attr]
        held.update(settled.state.board.frames[-1].cards)  # type: ignore[union-attr]
    assert ours(settled.state) == theirs(naive, int(kind == "D3"), held)


def loaded(seed: int, first: str) -> Shuffle:
    """Give shuffles that bring some cards early, so that effects meet: `actions`, `low` or none."""
    fair = shuffles(seed)
    share = {"actions": 0.2, "low": 0.6, "": 1.0}[first]

    def shuffle(cards: Cards) -> Cards:
        order = fair(cards)
        rng = random.Random(f"{seed}/{order}")
        early = {card for card in order if not card[0].isdigit() and not card.startswith("+")}
        if first == "low":
            early |= {"0", "1", "2", "3", "4", "5", "6", "7C", "13G"}
        return tuple(sorted(order, key=lambda card: rng.random() * (share if card in early else 1)))

    return shuffle


def lockstep(
    naive: Naive, options: Options, seed: int, shuffle: Shuffle, bold: float
) -> Counter[str]:
    """Play one game on both sides; gives how often each kind of fact came."""
    seats = len(naive.divers)
    rng = random.Random(f"{seed}/{seats}/{bold}/{options}")
    start = GAME.start(options, tuple(range(seats)))
    if seed % 3 == 0:  # a third of the games begins with all tied at the target: Stechrunden
        tied = tuple(replace(diver, total=options.target) for diver in start.board.divers)
        start = replace(start, board=replace(start.board, divers=tied))
        for diver in naive.divers:
            diver.total = options.target
        naive.tie_breaks = 1
    settled = settle(GAME, start, (), shuffle)
    game = naive.game()
    question = next(game, None)
    facts: Counter[str] = Counter()
    while question is not None:
        if isinstance(settled.waiting, Pause):
            settled = settle(GAME, settled.state, (Resumed("bilanz"),), shuffle)
            continue
        compare(settled, question, naive)
        ask = settled.waiting
        assert isinstance(ask, Ask)
        if ask.kind == "dive" and len(ask.options.moves) > 1:
            # A cautious share keeps games long; a full one ends rounds by OUT and treasure.
            move: Move = Dive() if rng.random() < bold else Surface()
        else:
            move = sample(ask.options, rng.randrange)
        settled = act(GAME, settled.state, ask, move, shuffle)
        facts.update(type(fact).__name__ for fact in settled.facts)
        try:
            question = game.send(word(move))
        except StopIteration:
            question = None
    if isinstance(settled.waiting, Pause):
        settled = settle(GAME, settled.state, (Resumed("bilanz"),), shuffle)
    totals = tuple(d.total for d in naive.divers)
    assert settled.waiting == Over(ranked(totals), totals, totals)
    assert [list(line.scores) for line in settled.state.board.history] == naive.scores
    return facts


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
        options = Options(target=target, bilanz=seed % 2 == 0)  # type: ignore[arg-type]
        lockstep(naive, options, seed, shuffles(seed), boldness)
        tie_breaks += naive.tie_breaks
    assert tie_breaks > GAMES_EACH // 9


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("brutal", [False, True])
@pytest.mark.parametrize("first", ["", "actions", "low"])
def test_every_state_of_deeper_dive_equals_the_naive_one(
    seats: int, first: str, *, brutal: bool
) -> None:
    facts: Counter[str] = Counter()
    for seed in range(DEEPER_EACH // 3):
        naive = NaiveDeeper(seats, 100, loaded(seed, first), brutal=brutal)
        options = Options("DEEPER_DIVE", 100, bilanz=seed % 2 == 0, brutal=brutal)
        bold = (0.5, 0.8, 0.95)[seed % 3]
        facts += lockstep(naive, options, seed, loaded(seed, first), bold)
    if first:  # the corners were reached
        wanted = {"ActionUnused", "AtemzugEnded", "SchatzkammerOpened"}
        wanted |= {"SpurCursed", "CardHooked", "CardBitten", "CardsSwapped", "DiverOut"}
        wanted |= {"BonusTaken", "DiverCharged"} if brutal else set()
        wanted |= {"ActionLapsed"} if first == "actions" and seats > 2 else set()
        assert wanted <= facts.keys()
