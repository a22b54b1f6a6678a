"""Imagined worlds of Snorkeling hold every card once, and hands like those that are met."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from services.bot.strategies.snorkeling.bits import OF_VALUE, numbers
from services.bot.strategies.snorkeling.model import known_of
from services.bot.strategies.snorkeling.worlds import Worlds
from tests.bot.test_snorkeling_asked import Asked


def test_imagined_worlds_share_out_the_unseen_cards_fairly() -> None:
    asked_seat = Asked("b0 b0 r3 y4", "r2", (5, 5, 5))
    known = known_of(asked_seat.view)
    worlds = Worlds(asked_seat.view, known, 6, random.Random(1))
    counts = dict.fromkeys(known.unseen, 0)
    for _ in range(200):
        sea = worlds.imagine()
        dealt = [*numbers(sea.hands[1]), *numbers(sea.hands[2]), *sea.draws]
        assert sea.hands[0] == known.hand
        assert len(dealt) == len(set(dealt)) == 16
        for number in dealt:
            counts[number] += 1

    # Each shuffle of the 70 gives 4 worlds of 16: 50 shuffles, 64 of 70 each time.
    assert all(35 <= count <= 50 for count in counts.values())


@pytest.mark.parametrize("size", [3, 6, 9])
def test_a_large_hand_of_the_other_in_a_duel_mostly_lacks_what_hits(size: int) -> None:
    view = Asked("b0 b1 r3 y3", "r2", others=size).view
    known = known_of(view)
    worlds = Worlds(view, known, 6, random.Random(1))
    hits = sum((worlds.imagine().hands[1] & OF_VALUE[4]).bit_count() for _ in range(400))
    by_chance = 400 * size * sum(card in known.unseen for card in numbers(OF_VALUE[4])) / 70

    least, most = {3: (0.85, 1.15), 6: (0.4, 0.65), 9: (0.15, 0.35)}[size]
    assert least < hits / by_chance < most


@pytest.mark.parametrize("pile", range(8))
def test_every_unseen_card_is_somewhere_when_the_pile_ends(pile: int) -> None:
    worlds, unseen = _with_pile(size=9, pile=pile, draws=7)
    for _ in range(50):
        sea = worlds.imagine()
        assert sorted([*numbers(sea.hands[1]), *sea.draws]) == sorted(unseen)


@pytest.mark.parametrize("pile", [12, 20, 40])
def test_what_the_other_is_not_dealt_is_in_the_pile(pile: int) -> None:
    """Hand and pile hold all unseen cards: hits that the hand lacks come with the next cards."""
    worlds, unseen = _with_pile(size=12, pile=pile, draws=10)
    hits = OF_VALUE[4]
    in_hand = in_draws = 0
    for _ in range(2000):
        sea = worlds.imagine()
        in_hand += (sea.hands[1] & hits).bit_count()
        in_draws += sum(hits >> card & 1 for card in sea.draws)

    all_hits = sum(hits >> card & 1 for card in unseen)
    expected = (all_hits - in_hand / 2000) / pile
    assert in_draws / 2000 / 10 == pytest.approx(expected, abs=0.02)


def _with_pile(*, size: int, pile: int, draws: int) -> tuple[Worlds, list[int]]:
    view = Asked("b0 b1 r3 y3", "r2", others=size).view
    known = known_of(view)
    unseen = random.Random(pile).sample(known.unseen, size + pile)
    board = replace(view.board, pile_count=pile)
    known = known._replace(unseen=unseen)
    return Worlds(replace(view, board=board), known, draws, random.Random(1)), unseen
