"""The compact round plays by the rules of the game: turn by turn as the real one does."""

from __future__ import annotations

import random

import pytest

from domain.games import GAMES
from domain.kernel import act, asked, begin
from domain.snorkeling.cards import DECK, Variant
from domain.snorkeling.moves import TakeCard
from domain.snorkeling.scoring import tops
from domain.snorkeling.state import State, pile_left
from services.bot.arena.match import stacked
from services.bot.strategies.snorkeling.bits import CARD, FIRST, numbers
from services.bot.strategies.snorkeling.greedy import weighed
from services.bot.strategies.snorkeling.model import Sea, chain
from services.bot.strategies.snorkeling.plays import plays
from services.bot.strategies.snorkeling.sight import Sight, move_of


def opened(state: State) -> Sea:
    """Give the world as it really is, at the beginning of a round."""
    free = dict(FIRST)

    def number(card: str) -> int:
        free[card] += 1
        return free[card] - 1

    board = state.board
    return Sea(
        variant=board.options.variant,
        hands=[sum(1 << number(card) for card in hand) for hand in state.hands],
        piles=[()] * len(state.hands),
        totals=(0,) * len(state.hands),
        top=number(board.centre[-1]),
        draws=[number(card) for card in reversed(pile_left(state))],
        turn=board.turn,
    )


def hand_of(sea: Sea, seat: int) -> tuple[str, ...]:
    return tuple(sorted(CARD[number] for number in numbers(sea.hands[seat])))


@pytest.mark.parametrize("variant", ["BASIS", "EXPERTEN"])
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_turns_change_the_compact_round_as_they_change_the_real_one(
    variant: Variant, seats: int
) -> None:
    game = GAMES["snorkeling"]
    ended = 0
    for deal in range(20):
        rng = random.Random(deal)
        shuffle = stacked(f"model/{deal}")
        now = begin(game, game.options_type(variant=variant), tuple(range(seats)), shuffle)
        sea = opened(now.state)
        while True:
            board = now.state.board
            assert sea.turn == board.turn
            assert [hand_of(sea, seat) for seat in range(seats)] == list(now.state.hands)
            assert (tuple(sea.depths), CARD[sea.top]) == (tops(board), board.centre[-1])
            if board.pile_count < 2:  # the order after a new shuffle is another
                break
            hand = sea.hands[sea.turn]
            sight = Sight(variant, sea.turn, tuple(sea.depths), sea.totals, sea.top, hand)
            found = weighed(sight)
            best = max(found, key=lambda each: each[0])[1]
            turn = best if rng.randrange(4) else rng.choice(found)[1]
            over = sea.play(turn)
            now = act(game, now.state, asked(now.waiting)[0], move_of(turn), shuffle)
            if over:
                assert now.state.board.history[0].scores == tuple(sea.depths)
                ended += 1
                break
            if now.state.board.phase == "take":
                now = act(game, now.state, asked(now.waiting)[0], TakeCard(), shuffle)

    assert ended > 5


@pytest.mark.parametrize("seed", range(40))
def test_a_chain_of_all_cards_is_found_if_there_is_one(seed: int) -> None:
    top, *hand = random.Random(seed).sample(range(len(DECK)), 2 + seed % 4)
    cards = sum(1 << card for card in hand)
    lasts = {CARD[play.order[-1]] for play in plays("EXPERTEN", top, cards) if play.used == cards}
    last = chain(top, cards)

    assert CARD[last] in lasts if last >= 0 else not lasts
