"""What the asked seat sees, as compact numbers, and a turn as a move of the game."""

from __future__ import annotations

from typing import Final, NamedTuple

from domain.kernel import Seat
from domain.snorkeling.cards import Variant
from domain.snorkeling.moves import Attack, Move, Pass, PlayCards
from domain.snorkeling.views import View
from services.bot.strategies.snorkeling.bits import CARD, FIRST, hand_mask
from services.bot.strategies.snorkeling.plays import Play

NOTHING: Final = Play((), 0)
_PASS: Final = Pass()


class Sight(NamedTuple):
    """What counts for the player on turn; cards are bit numbers, `hand` is a set of them.

    `depths` is the value that each pile shows: what it would bring if the round ended now.
    """

    variant: Variant
    seat: Seat
    depths: tuple[int, ...]
    totals: tuple[int, ...]
    top: int
    hand: int


class Turn(NamedTuple):
    """One whole turn: `play` is NOTHING for a pass, `card` and `target` are -1 for no attack."""

    play: Play
    card: int = -1
    target: Seat = -1


PASSING: Final = Turn(NOTHING)


def sight_of(view: View) -> Sight:
    """Give what the seat of a view sees."""
    board = view.board
    assert view.seat is not None
    return Sight(
        board.options.variant,
        view.seat,
        view.scores,
        tuple([each.total for each in board.schnorchler]),
        FIRST[board.centre[-1]],
        hand_mask(view.hand),
    )


def move_of(turn: Turn) -> Move:
    """Give the move that plays this turn."""
    play, card, target = turn
    if not play.used:
        return _PASS
    centre = tuple([CARD[number] for number in play.order])
    return PlayCards(centre, None if card < 0 else Attack(CARD[card], target))
