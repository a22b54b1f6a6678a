"""Who is asked, what he may answer and what nobody chooses (RULES.md 4.3 to 4.6)."""

from __future__ import annotations

from typing import assert_never

from domain.kernel import Ask, Cards, Chance, Over, Pause, Waiting, ranked
from domain.options import Options
from domain.snorkeling.cards import DECK, HAND, LATERNENFISCH_VALUE
from domain.snorkeling.defaults import PASS, default_play
from domain.snorkeling.events import (
    CardDrawn,
    CardsPlayed,
    CardTaken,
    DrawOmitted,
    FactOfSnorkeling,
    HandsDealt,
    Passed,
    RoundScored,
    RoundStarted,
    TakeBackDeclined,
)
from domain.snorkeling.moves import DrawCard, Move, Pass, PlayCards, TakeCard
from domain.snorkeling.scoring import ends_game, tops
from domain.snorkeling.sequence import Sequence, Target, playable
from domain.snorkeling.state import Board, State

TAKE, DRAW = TakeCard(), DrawCard()
_PASS_ONLY: Options[Move] = Options((PASS,))
_TAKE_OR_DRAW: Options[Move] = Options((TAKE, DRAW))
_TARGETS = tuple(
    tuple(Target(seat, top - 1) for top in range(LATERNENFISCH_VALUE + 1)) for seat in range(6)
)
"""_TARGETS[seat][top]: what may be put on the pile of `seat` that shows the value `top`."""


def waiting(state: State) -> Waiting[Move]:
    """Say who is awaited when nothing is forced."""
    board = state.board
    match board.phase:
        case "turn":
            return _ask_turn(board, state.hands[board.turn])
        case "take":
            return Ask(board.turn, "take", _TAKE_OR_DRAW, TAKE)
        case "draw" | "extra":
            # A card must come and the pile is empty: all of the centre but its top (SNORK-R10).
            return Chance("pile", tuple(sorted(board.centre[:-1])))
        case "between":
            return Chance("starter", tuple(str(seat) for seat in range(len(board.schnorchler))))
        case "shuffle":
            return Chance("pile", DECK)
        case "bilanz":
            return Pause("bilanz")
        case _:
            totals = tuple(each.total for each in board.schnorchler)
            return Over(ranked(totals), totals, totals)


def _ask_turn(board: Board, hand: Cards) -> Ask[Move]:
    """Ask for S1 and S2 in one; who can play nothing is asked too.

    A pass without a question would tell everybody that the hand holds nothing that fits.
    """
    seat, top = board.turn, board.centre[-1]
    if not playable(top, hand):
        return Ask(seat, "turn", _PASS_ONLY, PASS)
    values = tops(board)
    targets = [_TARGETS[other][value] for other, value in enumerate(values) if other != seat]
    sequence = Sequence(board.options.variant, top, hand, tuple(targets))
    default = default_play(top, values, seat, hand)
    return Ask(seat, "turn", Options((PASS,), (sequence,)), default)


def decide(state: State, ask: Ask[Move], move: Move) -> FactOfSnorkeling:
    """Give the fact that follows from a legal answer."""
    match move:
        case PlayCards(centre, attack):
            return CardsPlayed(ask.seat, centre, attack)
        case Pass():
            return Passed(ask.seat)
        case TakeCard():
            return CardTaken(ask.seat, state.board.schnorchler[ask.seat].own[-1])
        case DrawCard():
            return TakeBackDeclined(ask.seat)
        case _:
            assert_never(move)


def forced(state: State) -> FactOfSnorkeling | None:
    """Give the next consequence that nobody chooses; None also when the house must shuffle."""
    board = state.board
    match board.phase:
        case "turn":
            return None
        case "draw" | "extra":
            return _draw(state, board)
        case "score":
            scores = tops(board)  # SNORK-R11: the Strand brings 0
            totals = [
                each.total + score for each, score in zip(board.schnorchler, scores, strict=True)
            ]
            return RoundScored(scores, ends_game(tuple(totals), board.round))
        case "deal":
            return _deal(state)
        case "between" if board.starter is not None:
            # The first starter is drawn, then the next seat starts (SNORK-R02).
            seats = len(board.schnorchler)
            starter = (board.starter + 1) % seats if board.round else board.starter
            return RoundStarted(board.round + 1, starter)
        case _:
            return None


def _draw(state: State, board: Board) -> FactOfSnorkeling | None:
    if board.pile_count:
        return CardDrawn(board.turn, state.pile[-board.pile_count])
    return None if len(board.centre) > 1 else DrawOmitted(board.turn)


def _deal(state: State) -> HandsDealt:
    # Order: the first five cards of the shuffle are seat A's, the next five B's and so on; then the
    # top card of the rest opens the centre (SNORK-A04).
    seats = len(state.hands)
    pile = state.pile
    hands = [tuple(sorted(pile[HAND * seat : HAND * (seat + 1)])) for seat in range(seats)]
    return HandsDealt(tuple(hands), pile[HAND * seats])
