"""Snorkeling's computers weigh turns that are all offered, and play as their strength says."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

import pytest

from domain.games import GAMES
from domain.options import admits
from domain.snorkeling.cards import DECK, Variant
from domain.snorkeling.moves import Attack, DrawCard, Pass, PlayCards, TakeCard
from domain.snorkeling.sequence import Sequence
from services.bot.arena.match import play_game
from services.bot.strategies.snorkeling.bits import CARD, FIRST, hand_mask
from services.bot.strategies.snorkeling.greedy import weighed
from services.bot.strategies.snorkeling.plays import plays
from services.bot.strategies.snorkeling.sight import move_of, sight_of
from services.bot.strategies.snorkeling.standing import DUELS
from tests.bot.test_snorkeling_asked import STRENGTHS, Asked

VARIANTS: tuple[Variant, ...] = ("BASIS", "EXPERTEN")


def dealt(variant: Variant, size: int, seed: int) -> tuple[str, tuple[str, ...]]:
    top, *hand = random.Random(f"{variant}/{size}/{seed}").sample(DECK, size + 1)
    return top, tuple(sorted(hand))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", range(1, 7))
def test_the_plays_of_a_hand_are_all_that_differ(variant: Variant, size: int) -> None:
    """Two sequences are the same if they play the same cards with the same one on top."""
    for seed in range(12):
        top, hand = dealt(variant, size, seed)
        offered = Sequence(variant, top, hand, ())
        every = {
            (tuple(sorted(order)), order[-1])
            for count in range(1, size + 1)
            for order in permutations(hand, count)
            if offered.admits(PlayCards(order))
        }
        orders = [
            tuple(CARD[n] for n in play.order)
            for play in plays(variant, FIRST[top], hand_mask(hand))
        ]

        assert all(offered.admits(PlayCards(order)) for order in orders)
        assert Counter((tuple(sorted(order)), order[-1]) for order in orders) == Counter(every)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("size", [5, 12, 25])
def test_every_turn_that_is_weighed_is_offered(variant: Variant, size: int) -> None:
    for seed in range(20):
        top, hand = dealt(variant, size, seed)
        asked = Asked(" ".join(hand), top, (4, 3, 5, 2), variant=variant, others=4)
        moves = [move_of(turn) for _, turn in weighed(sight_of(asked.view))]

        assert moves[0] == Pass()
        assert all(admits(asked.question.options, move) for move in moves)


@pytest.mark.parametrize("strength", ["normal", "stark"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_attacks_when_it_can(strength: str, variant: Variant) -> None:
    move = Asked("b0 g1 r1 v2", "r3", (3, 2), variant=variant).of(strength)

    assert isinstance(move, PlayCards)
    assert move.attack in {Attack("g1", 1), Attack("r1", 1)}


def test_normal_keeps_its_cards_when_nothing_is_hit() -> None:
    assert Asked("b3 g3 r1 v2", "r0").of("normal") == Pass()


def test_normal_keeps_the_card_for_the_next_attack() -> None:
    """The r3 hits next what shows 4 then; the r1 is worth less."""
    move = Asked("r1 r3 g4", "r0").of("normal")

    assert move == PlayCards(("r1",), Attack("g4", 1))


def test_normal_empties_its_hand_to_take_a_card_back() -> None:
    assert Asked("r0 r2", "r4", (3, 5)).of("normal") == PlayCards(("r2", "r0"))


@pytest.mark.parametrize("strength", ["normal", "stark"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_ends_the_round_with_a_strand(strength: str, variant: Variant) -> None:
    move = Asked("b0 g3 r1", "r2", (4, 1), variant=variant).of(strength)

    assert isinstance(move, PlayCards)
    assert move.attack == Attack("b0", 1)


def test_normal_gives_no_strand_while_another_is_deeper() -> None:
    move = Asked("b0 r1 r3", "r2", (2, 1, 4)).of("normal")

    assert not isinstance(move, PlayCards) or move.attack != Attack("b0", 1)


def test_stark_plays_to_the_score() -> None:
    """With 11:0 one point is enough: it ends the round on 1 and risks nothing."""
    move = Asked("b0 g3 r1", "r2", (1, 1), totals=(11, 0)).of("stark")

    assert isinstance(move, PlayCards)
    assert move.attack == Attack("b0", 1)


def test_stark_in_a_crowd_ends_no_round_that_another_wins_by() -> None:
    """The Strand would bring seat 2 the game; greed of its own would not mind."""
    asked = Asked("b0 r1 r3", "r2", (4, 1, 4), totals=(0, 0, 10))

    normal, stark = asked.of("normal"), asked.of("stark")

    assert isinstance(normal, PlayCards)
    assert normal.attack == Attack("b0", 1)
    assert not isinstance(stark, PlayCards) or stark.attack != Attack("b0", 1)


@pytest.mark.parametrize("strength", ["normal", "stark"])
def test_takes_a_card_back(strength: str) -> None:
    assert Asked("b3", "r2", (3, 4), phase="take").of(strength) == TakeCard()


def test_leicht_errs_but_attacks_more_often_than_not() -> None:
    asked = Asked("b0 g4 r1 v2", "r3")
    asked_take = Asked("b3", "r2", (3, 4), phase="take")
    moves = [asked.of("leicht", seed) for seed in range(60)]
    attacks = sum(isinstance(move, PlayCards) and move.attack is not None for move in moves)

    assert 30 < attacks < 60
    assert {asked_take.of("leicht", seed) for seed in range(20)} == {TakeCard(), DrawCard()}


def test_the_chance_to_win_a_duel_is_fair_and_grows_with_the_own_score() -> None:
    for table in DUELS.values():
        for mine in range(12):
            assert table[mine][mine] == pytest.approx(0.5)
            for other in range(12):
                assert table[mine][other] + table[other][mine] == pytest.approx(1)
                assert table[mine + 1][other] > table[mine][other]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seats", range(2, 7))
def test_whole_games_are_played_with_offered_moves_and_end(variant: Variant, seats: int) -> None:
    """`play_game` fails on a move that is not offered."""
    game = GAMES["snorkeling"]
    names = ("stark", "normal", "leicht", "normal", "leicht", "normal")
    players = [STRENGTHS[name] for name in names[:seats]]

    finished = play_game(game, game.options_type(variant=variant), players, "whole games")

    assert len(finished.over.ranks) == seats


@pytest.mark.parametrize("strength", ["leicht", "normal", "stark"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_choice_follows_from_the_seed(strength: str, variant: Variant) -> None:
    asked = Asked("b0 b2 g3 r1 r4 v2", "r3", (4, 3, 2), variant=variant)

    assert asked.of(strength, 7) == asked.of(strength, 7)
