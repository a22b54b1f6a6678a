"""Imagined worlds of Snorkeling hold every card once, and hands like those that are met."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from contracts.views import Question
from domain.games import GAMES
from domain.kernel import Cards, Over, Pause, Resumed, act, asked, begin, settle
from domain.snorkeling.cards import FITS, VALUE
from domain.snorkeling.views import View
from services.bot.arena.match import stacked
from services.bot.strategies.snorkeling.bits import OF_VALUE, numbers
from services.bot.strategies.snorkeling.model import known_of
from services.bot.strategies.snorkeling.worlds import _FIT_KEPT, _HITS_KEPT, Worlds
from tests.bot.test_snorkeling_asked import STRENGTHS, Asked


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


@pytest.mark.parametrize("variant", ["BASIS", "EXPERTEN"])
def test_hands_lack_hits_and_fits_as_the_tables_say(variant: str) -> None:
    """How the tables were counted, over fewer games: what one holds on the other's turn.

    Held and expected are sums over all turns: of the cards in a hand, and of those that a hand of
    its size would have of the unseen ones by chance.
    """
    held: Counter[tuple[int, str]] = Counter()
    expected: defaultdict[tuple[int, str], float] = defaultdict(float)
    for deal in range(60):
        for view, hand in _turns(variant, f"count/{deal}"):
            assert view.seat is not None
            size = min(len(hand), 8)
            value, fits = view.scores[view.seat] - 1, FITS[view.board.centre[-1]]
            for card, count in view.left.items():
                kind = f"hit {value}" if VALUE[card] == value else "other"
                kind = f"fit {kind}" if card in fits else kind
                held[size, kind] += hand.count(card)
                expected[size, kind] += len(hand) * count / sum(view.left.values())

    def kept(size: int, kind: str) -> float:
        often = {each: held[size, each] / expected[size, each] for each in (kind, "other")}
        return often[kind] / often["other"]

    for size in range(5, 9):
        for value in range(1, 5):
            assert kept(size, f"hit {value}") == pytest.approx(_HITS_KEPT[size - 5][value], abs=0.2)
        assert kept(size, "fit other") == pytest.approx(_FIT_KEPT, abs=0.15)


def _turns(variant: str, seed: str) -> Iterator[tuple[View, Cards]]:
    """Give the view of whoever is on turn, and the other's hand, through a game of "normal"."""
    game, normal, shuffle = GAMES["snorkeling"], STRENGTHS["normal"], stacked(seed)
    settled = begin(game, game.options_type(variant=variant), (0, 1), shuffle)
    while not isinstance(settled.waiting, Over):
        if isinstance(settled.waiting, Pause):
            settled = settle(game, settled.state, (Resumed(settled.waiting.kind),), shuffle)
            continue
        ask = asked(settled.waiting)[0]
        view = game.view(settled.state, ask.seat)
        if ask.kind == "turn":
            yield view, settled.state.hands[1 - ask.seat]
        question = Question(1, ask.kind, ask.options, ask.default)
        settled = act(
            game, settled.state, ask, normal.choose(view, question, random.Random(1)), shuffle
        )
