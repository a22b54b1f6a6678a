"""Every line of play on small piles is counted, here and by the naive implementation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest

from domain.kernel import Ask, Cards, Settled, act, settle
from domain.speeddive.game import Speeddive
from domain.speeddive.moves import Move
from domain.speeddive.state import Board, Diver, Options, State
from tests.domain.speeddive.naive import Naive
from tests.domain.speeddive.naive_deeper import NaiveDeeper
from tests.domain.speeddive.test_lockstep import every_move, word

GAME = Speeddive()


def in_order(cards: Cards) -> Cards:
    return cards


def naive_of(seats: int, options: Options) -> Naive:
    if options.edition == "KLASSISCH":
        return Naive(seats, 200, in_order)
    return NaiveDeeper(seats, 200, in_order, brutal=options.brutal)


def rest_of(pile: Cards, options: Options) -> Cards:
    rest = list(naive_of(2, options).deck)
    for card in pile:
        rest.remove(card)
    return tuple(rest)


def lines(settled: Settled[State, Move], depth: int) -> Iterator[str]:
    """Give all lines of play with up to `depth` decisions of the first round, one text each."""
    ask = settled.waiting
    if not isinstance(ask, Ask) or not depth:
        yield f"={[d.status for d in settled.state.board.divers]}"
        return
    for move in every_move(ask):
        for line in lines(act(GAME, settled.state, ask, move, in_order), depth - 1):
            yield f"{ask.seat}:{word(move)} {line}"


def ours(pile: Cards, seats: int, depth: int, options: Options) -> list[str]:
    divers = tuple(Diver() for _ in range(seats))
    rest = rest_of(pile, options)
    board = Board(options, divers, "round", 1, 0, 0, 0, (), len(pile), rest)
    return list(lines(settle(GAME, State(board, pile), (), in_order), depth))


def naive(
    pile: Cards, seats: int, depth: int, options: Options, answers: tuple[str, ...] = ()
) -> list[str]:
    """Play the round once per line: a generator cannot be copied."""
    game = naive_of(seats, options)
    game.dealer, game.draw_pile, game.discard = 0, list(pile), list(rest_of(pile, options))
    playing = game.round()
    said = ""
    try:
        question = next(playing)
        for answer in answers:
            said += f"{question[1]}:{answer} "
            question = playing.send(answer)
        if len(answers) < depth:
            return [
                line
                for each in question[2]
                for line in naive(pile, seats, depth, options, (*answers, each))
            ]
    except StopIteration:
        pass
    return [f"{said}={[d.status for d in game.divers]}"]


@pytest.mark.parametrize(
    ("cards", "seats", "depth", "count"),
    [
        (("1", "2", "2", "3"), 2, 8, 176),
        (("2", "2", "Sog", "Stroemung"), 2, 7, 91),
        (("2", "Reserveflasche", "Reserveflasche", "2", "Sog"), 2, 5, 513),
        (("Sog", "Sog", "Stroemung", "Stroemung", "3"), 3, 5, 1495),
        (("5", "Sog", "Stroemung", "Reserveflasche", "Reserveflasche"), 3, 4, 1683),
    ],
)
def test_lines_of_play(cards: Cards, seats: int, depth: int, count: int) -> None:
    assert counted(cards, seats, depth, Options()) == count


@pytest.mark.parametrize(
    ("cards", "seats", "depth", "plain", "brutal"),
    [
        (("7", "7C", "-4", "Haibiss"), 2, 7, 721, 721),
        (("2", "2", "Enterhaken", "LetzterAtemzug"), 2, 8, 92, 92),
        (("13G", "13", "Stroemungswechsel", "Leck"), 2, 7, 850, 850),
        (("0", "3", "3", "Mahlstrom", "-2"), 2, 5, 570, 600),
        (("Mahlstrom", "Mahlstrom", "LetzterAtemzug", "Haibiss", "4"), 3, 5, 2393, 2393),
    ],
)
def test_lines_of_play_in_deeper_dive(
    cards: Cards, seats: int, depth: int, plain: int, brutal: int
) -> None:
    assert counted(cards, seats, depth, Options("DEEPER_DIVE")) == plain
    assert counted(cards, seats, depth, Options("DEEPER_DIVE", brutal=True)) == brutal


def counted(cards: Cards, seats: int, depth: int, options: Options) -> int:
    total = 0
    for pile in sorted(set(permutations(cards))):
        found = ours(pile, seats, depth, options)
        assert found == naive(pile, seats, depth, options)
        total += len(found)
    return total
