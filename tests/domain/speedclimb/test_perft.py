"""Every line of play from small positions is counted, here and by the naive implementation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from domain.kernel import Ask, Cards, Settled, act
from domain.records.run import run
from domain.records.text import parse
from domain.speedclimb.descriptors import AttachCards, LayParts
from domain.speedclimb.game import Speedclimb
from domain.speedclimb.moves import AttachCard, LaidPart, LayLager, Move
from tests.domain.speedclimb.naive import Answer, Liegt, Naive, RoundOverError
from tests.domain.speedclimb.test_laying import every_laying
from tests.domain.speedclimb.test_lockstep import answer
from tests.domain.speedclimb.test_rules import record

GAME = Speedclimb()


def in_order(cards: Cards) -> Cards:
    return cards


def moves(ask: Ask[Move], camp: str) -> Iterator[Move]:
    """Give every move, those of descriptors written out; `camp` is that of every seat."""
    yield from ask.options.moves
    for descriptor in ask.options.descriptors:
        if isinstance(descriptor, AttachCards):
            for place in descriptor.places:
                for card in place.cards:
                    yield AttachCard(card, place.meld, place.end)
        elif isinstance(descriptor, LayParts):
            for way in every_laying(descriptor.hand, camp, descriptor.top):
                yield LayLager(tuple(LaidPart(cards, low) for cards, low in way))


def ours(settled: Settled[Any, Move], camp: str, depth: int) -> Iterator[tuple[Answer, ...]]:
    ask = settled.waiting
    if not depth or not isinstance(ask, Ask):
        yield (("end", not isinstance(ask, Ask)),)
        return
    for move in moves(ask, camp):
        after = act(GAME, settled.state, ask, move, in_order)
        for line in ours(after, camp, depth - 1):
            yield ((ask.seat, *answer(move)), *line)


def position(state: Any, route: str) -> Naive:
    """Put the naive game into the same position, in the middle of a turn."""
    naive = Naive(route, len(state.owns), in_order, lambda _hand, _done: 1, lambda _seat: [])
    naive.round_no, naive.dealer, naive.turn = 1, 0, 0
    naive.material = list(state.material)
    naive.melds = [
        Liegt(
            meld.owner,
            {"FOLGE": "R", "GLEICHE": "S", "FARBE": "C"}[meld.kind],
            list(range(meld.low, meld.low + len(meld.cards))) if meld.low else [],
            meld.number or meld.colour or None,
            list(meld.cards),
        )
        for meld in state.board.melds
    ]
    for player, own, climber in zip(naive.players, state.owns, state.board.climbers, strict=True):
        player.hand, player.rucksack = list(own.hand), list(own.rucksack)
        player.laid, player.stage = climber.laid, own.stage
        player.position = climber.position
    return naive


def naive_lines(
    state: Any, route: str, camp: str, depth: int, said: tuple[Answer, ...] = ()
) -> Iterator[tuple[Answer, ...]]:
    """Play the position once per line: a generator cannot be copied."""
    naive = position(state, route)
    playing = turns(naive)
    try:
        question = next(playing)
        for each in said:
            question = playing.send(each[1:])
    except RoundOverError:
        yield (*said, ("end", True))
        return
    if len(said) == depth:
        yield (*said, ("end", False))
        return
    _, seat, legal, may_lay = question
    answers = sorted(legal, key=repr)
    if may_lay:
        hand = tuple(naive.players[seat].hand)
        answers += [("lay", way) for way in every_laying(hand, camp, naive.top)]
    for each in answers:
        yield from naive_lines(state, route, camp, depth, (*said, (seat, *each)))


def turns(naive: Naive) -> Any:
    """Go on from the middle of A's turn."""
    naive.refill()
    yield from naive.main(naive.players[0])
    naive.dealer = 0
    yield from naive.turns()


@pytest.mark.parametrize(
    ("route", "camp", "setup", "depth", "count"),
    [
        (
            "GIPFELSTURM",
            "R3+R3",
            'material = "G1, G2"\nA = {hand = "R1, R2, R3, R4, B5, B6, B7, Sherpa"}\nB = {hand = "W1"}',
            3,
            384,
        ),
        (
            "GIPFELSTURM",
            "R3+R3",
            (
                'melds = ["B run G4 G5 W6", "B run O1 O2 O3"]\nmaterial = "Schneesturm, G2"\n'
                'A = {laid = true, hand = "R7, Schneesturm, Sherpa"}\nB = {laid = true, hand = "W7, B4"}'
            ),
            6,
            1113,
        ),
        (
            "GROSSE_EXPEDITION",
            "S3+S3",
            (
                'melds = ["B G4 W4 R4"]\nmaterial = "R1"\n'
                'A = {laid = true, hand = "B4, Sherpa"}\nB = {laid = true, hand = "W4, B7"}'
            ),
            6,
            244,
        ),
        (
            "MEISTER_EXPEDITION",
            "S3+S3",
            (
                'melds = ["B G4 W4 R4"]\nmaterial = "Schneesturm"\n'
                'A = {laid = true, hand = "B4, B9", rucksack = "G9"}\n'
                'B = {laid = true, hand = "Schneesturm, B7"}'
            ),
            6,
            331,
        ),
    ],
)
def test_lines_of_play(route: str, camp: str, setup: str, depth: int, count: int) -> None:
    source = record(2, f'phase = "main"\nturn = "A"\n{setup}', "", route)
    settled = run(parse(source))
    found = sorted(ours(settled, camp, depth), key=repr)
    assert found == sorted(naive_lines(settled.state, route, camp, depth), key=repr)
    assert len(found) == count
