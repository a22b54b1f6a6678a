"""What a fact does to the open board and to one hand; so a view folds with it too."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from domain.kernel import Cards, Resumed, Seat, Shuffled
from domain.snorkeling.cards import DECK, HAND, STRAND, VALUE
from domain.snorkeling.events import (
    AnyFact,
    CardDrawn,
    CardsPlayed,
    CardTaken,
    DrawOmitted,
    HandsDealt,
    Passed,
    RoundScored,
    RoundStarted,
    TakeBackDeclined,
)
from domain.snorkeling.scoring import TURNS_MAX, stranded
from domain.snorkeling.state import Board, Phase, RoundLine, Schnorchler

All = tuple[Schnorchler, ...]


def evolve(board: Board, fact: AnyFact) -> Board:
    """Apply a fact to the board."""
    return _EVOLVE[type(fact)](board, fact)


def hand_after(hand: Cards, seat: Seat, fact: AnyFact) -> Cards:
    """Give the hand of a seat after a fact; the same hand if the fact does not touch it."""
    match fact:
        case CardDrawn() | CardTaken() if fact.seat == seat:
            return with_card(hand, fact.card)
        case CardsPlayed() if fact.seat == seat:
            return without(hand, fact)
        case HandsDealt(hands):
            return hands[seat]
        case RoundStarted():
            return ()
        case _:
            return hand


def with_card(hand: Cards, card: str) -> Cards:
    """Give the hand with one card more, in the order of the deck."""
    cards = list(hand)
    insort(cards, card)
    return tuple(cards)


def without(hand: Cards, fact: CardsPlayed) -> Cards:
    """Give what is left of the hand that was played from."""
    cards = list(hand)
    for card in fact.centre:
        cards.remove(card)
    if fact.attack:
        cards.remove(fact.attack.card)
    return tuple(cards)


def _put(everybody: All, seat: Seat, own: Cards, hand_count: int) -> All:
    changed = list(everybody)
    changed[seat] = Schnorchler(own, hand_count, everybody[seat].total)
    return tuple(changed)


def _shuffled(board: Board, fact: Shuffled) -> Board:
    if fact.what == "starter":
        return replace(board, starter=int(fact.order[0]))
    if board.phase == "shuffle":
        return replace(board, phase="deal")
    # The new pile is the centre without its top card (SNORK-R10); its order is not needed here.
    return replace(board, pile_count=len(board.centre) - 1, centre=board.centre[-1:])


def _resumed(board: Board, _fact: Resumed) -> Board:
    return replace(board, phase="between")


def _round_started(board: Board, fact: RoundStarted) -> Board:
    return Board(
        board.options,
        tuple([Schnorchler(total=each.total) for each in board.schnorchler]),
        "shuffle",
        fact.number,
        fact.starter,
        fact.starter,
        pile_count=len(DECK),
        history=board.history,
    )


def _hands_dealt(board: Board, fact: HandsDealt) -> Board:
    return replace(
        board,
        phase="turn",
        schnorchler=tuple([Schnorchler(each.own, HAND, each.total) for each in board.schnorchler]),
        centre=(fact.centre,),
        pile_count=board.pile_count - HAND * len(fact.hands) - 1,
    )


def _passed(board: Board, fact: Passed) -> Board:
    emptied = not board.schnorchler[fact.seat].hand_count
    return replace(board, phase="draw", emptied=emptied)


def _cards_played(board: Board, fact: CardsPlayed) -> Board:
    everybody, seat = board.schnorchler, fact.seat
    me = everybody[seat]
    count = me.hand_count - len(fact.centre)
    phase: Phase = "draw"
    if fact.attack:
        count -= 1
        card, target = fact.attack.card, fact.attack.target
        hit = everybody[target]
        everybody = _put(everybody, target, (*hit.own, card), hit.hand_count)
        if VALUE[card] == STRAND:  # the round ends at once, without drawing (SNORK-R07)
            phase = "score"
    return replace(
        board,
        schnorchler=_put(everybody, seat, me.own, count),
        phase=phase,
        emptied=not count,
        centre=board.centre + fact.centre,
    )


def _card_drawn(board: Board, fact: CardDrawn) -> Board:
    me = board.schnorchler[fact.seat]
    return _drawn(
        board, _put(board.schnorchler, fact.seat, me.own, me.hand_count + 1), board.pile_count - 1
    )


def _draw_omitted(board: Board, _fact: DrawOmitted) -> Board:
    return _drawn(board, board.schnorchler, board.pile_count)


def _drawn(board: Board, everybody: All, pile_count: int) -> Board:
    """Go on after a draw: whoever has emptied his hand gets a second card or takes one back."""
    if board.phase == "draw" and board.emptied:
        # The Laternenfisch stays where it is; above it lies at least one card that may be taken.
        phase: Phase = "take" if len(everybody[board.turn].own) > 1 else "extra"
        return replace(board, schnorchler=everybody, phase=phase, pile_count=pile_count)
    return _turn_over(board, everybody, pile_count)


def _turn_over(board: Board, everybody: All, pile_count: int) -> Board:
    turns = board.turns + 1
    seats = len(everybody)
    return Board(
        board.options,
        everybody,
        "turn" if turns < TURNS_MAX * seats else "score",  # SNORK-R14
        board.round,
        board.starter,
        (board.turn + 1) % seats,
        turns,
        False,  # noqa: FBT003 - by position for speed
        board.centre,
        pile_count,
        board.history,
    )


def _card_taken(board: Board, fact: CardTaken) -> Board:
    me = board.schnorchler[fact.seat]
    everybody = _put(board.schnorchler, fact.seat, me.own[:-1], me.hand_count + 1)
    return _turn_over(board, everybody, board.pile_count)


def _take_back_declined(board: Board, _fact: TakeBackDeclined) -> Board:
    return replace(board, phase="extra")


def _round_scored(board: Board, fact: RoundScored) -> Board:
    everybody = tuple(
        [
            Schnorchler(each.own, each.hand_count, each.total + score)
            for each, score in zip(board.schnorchler, fact.scores, strict=True)
        ]
    )
    line = RoundLine(board.starter or 0, fact.scores, stranded(board))
    after: Phase = "bilanz" if board.options.bilanz else "between"
    return replace(
        board,
        schnorchler=everybody,
        phase="over" if fact.ends_game else after,
        history=(*board.history, line),
    )


_EVOLVE: dict[type, Callable[[Board, Any], Board]] = {
    Shuffled: _shuffled,
    Resumed: _resumed,
    RoundStarted: _round_started,
    HandsDealt: _hands_dealt,
    Passed: _passed,
    CardsPlayed: _cards_played,
    CardDrawn: _card_drawn,
    DrawOmitted: _draw_omitted,
    CardTaken: _card_taken,
    TakeBackDeclined: _take_back_declined,
    RoundScored: _round_scored,
}
