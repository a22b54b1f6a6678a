"""Who is asked, what he may answer and what nobody chooses (RULES.md 2.4 to 2.6, 2.8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

from domain.kernel import Ask, Chance, Over, Pause, Seat, Waiting, ranked
from domain.options import Options
from domain.speeddive.cards import SOG, canonical
from domain.speeddive.events import (
    ActionApplied,
    ActionLapsed,
    CardDrawn,
    DiveBegun,
    DiverOut,
    DiverSurfaced,
    FactOfSpeeddive,
    ReserveflascheDiscarded,
    ReserveflascheGiven,
    ReserveflascheUsed,
    RoundScored,
    RoundStarted,
    SchatzkammerOpened,
    TargetChosen,
)
from domain.speeddive.moves import ChooseTarget, Dive, Move, Surface
from domain.speeddive.scoring import ends_game, next_tie_break, round_score, spur_sum
from domain.speeddive.state import (
    Board,
    DrawCards,
    GiveCards,
    LoseAir,
    OpenSchatzkammer,
    PassBottle,
    ScoreRound,
    State,
    TakeCard,
)

DIVE, SURFACE = Dive(), Surface()
_DIVE_OR_SURFACE: Options[Move] = Options((DIVE, SURFACE))
_ENOUGH = 21
"""Where one more card costs as much as it brings: about sum/90 of the pile are duplicates."""
_CLOCKWISE = tuple(
    tuple(tuple((seat + step) % seats for step in range(1, seats + 1)) for seat in range(seats))
    for seats in range(7)
)
"""_CLOCKWISE[seats][seat]: all seats in order, from the left neighbour of `seat` to itself."""


def next_dealt(board: Board) -> Seat | None:
    """Give the diver whose deal card comes next; None when the deal is over (DIVE-R03)."""
    divers = board.divers
    # Order: the dealer's left neighbour first, the dealer last (DIVE-A03).
    for seat in _CLOCKWISE[len(divers)][board.dealer or 0]:
        if not divers[seat].dealt:
            return seat
    return None


def on_turn(board: Board) -> Seat | None:
    """Give the next DOWN diver after the one who had the last turn (DIVE-R04, DIVE-A05)."""
    divers = board.divers
    for seat in _CLOCKWISE[len(divers)][board.last]:
        if divers[seat].status == "DOWN":
            return seat
    return None


def down(board: Board) -> tuple[Seat, ...]:
    """Give the divers that an action card may hit in Klassisch (DIVE-A09)."""
    return tuple([seat for seat, diver in enumerate(board.divers) if diver.status == "DOWN"])


def takers(board: Board) -> tuple[Seat, ...]:
    """Give the divers that a surplus Reserveflasche may go to; its giver has one himself."""
    return tuple(
        [
            seat
            for seat, diver in enumerate(board.divers)
            if diver.status == "DOWN" and not diver.reserveflasche
        ]
    )


def waiting(board: Board) -> Waiting[Move]:
    """Say who is awaited when nothing is forced."""
    if board.phase == "round":
        frame = board.frames[-1] if board.frames else None
        if frame is None:
            seat = on_turn(board)
            if seat is not None and next_dealt(board) is None:
                return Ask(seat, "dive", _DIVE_OR_SURFACE, _default_dive(board, seat))
        elif type(frame) is GiveCards:
            return _ask_target(board, frame.seat, frame.cards[len(frame.targets)], down(board))
        elif type(frame) is PassBottle:
            return _ask_target(board, frame.seat, "bottle", takers(board))
        # A card must come and the pile is empty: only now it is shuffled (DIVE-R08, DIVE-A24).
        return Chance("pile", canonical(board.discard))
    if board.phase == "between":
        return Chance("dealer", tuple(str(seat) for seat in range(len(board.divers))))
    if board.phase == "bilanz":
        return Pause("bilanz")
    totals = tuple(diver.total for diver in board.divers)
    return Over(ranked(totals), totals, totals)


def _default_dive(board: Board, seat: Seat) -> Move:
    diver = board.divers[seat]
    return DIVE if diver.reserveflasche or spur_sum(diver) < _ENOUGH else SURFACE


def _ask_target(board: Board, seat: Seat, card: str, targets: tuple[Seat, ...]) -> Ask[Move]:
    moves = tuple([ChooseTarget(target) for target in targets])
    others = [target for target in targets if target != seat]

    def worth(target: Seat) -> int:
        return round_score(board.divers[target])

    # Stroemung hurts who has least to keep, a Sog who has most to lose; a bottle helps least there.
    chosen = (max if card == SOG else min)(others, key=worth)
    kind = "bottle" if card == "bottle" else "target"
    return Ask(seat, kind, Options(moves), ChooseTarget(chosen))


def decide(state: State, ask: Ask[Move], move: Move) -> FactOfSpeeddive:
    """Give the fact that follows from a legal answer."""
    match move:
        case Dive():
            return _draw(state, ask.seat) or DiveBegun(ask.seat)
        case Surface():
            return DiverSurfaced(ask.seat)
        case ChooseTarget(target):
            frame = state.board.frames[-1]
            if isinstance(frame, GiveCards):
                return TargetChosen(ask.seat, frame.cards[len(frame.targets)], target)
            return ReserveflascheGiven(ask.seat, target)
        case _:
            assert_never(move)


def forced(state: State) -> FactOfSpeeddive | None:
    """Give the next consequence that nobody chooses; None also when the house must shuffle."""
    board = state.board
    if board.phase == "round":
        if board.frames:
            frame = board.frames[-1]
            return _FORCED[type(frame)](state, frame)
        if on_turn(board) is None:  # DIVE-R07
            return _round_scored(board)
        dealt = next_dealt(board)
        return None if dealt is None else _draw(state, dealt)
    if board.phase == "between" and board.dealer is not None:
        # The dealer of the first round is drawn, then the left neighbour deals (DIVE-R02).
        dealer = (board.dealer + 1) % len(board.divers) if board.round else board.dealer
        return RoundStarted(board.round + 1, dealer, next_tie_break(board))
    return None


def _draw(state: State, seat: Seat) -> CardDrawn | None:
    """Give the draw of the top card; None while the pile is empty."""
    count = state.board.pile_count
    return CardDrawn(seat, state.pile[-count]) if count else None


def _take(state: State, frame: DrawCards | TakeCard) -> FactOfSpeeddive | None:
    return _draw(state, frame.seat)


def _give(state: State, frame: GiveCards) -> FactOfSpeeddive | None:
    board = state.board
    given = len(frame.targets)
    # Order: first every card gets its diver, in draw order; only then they take effect.
    if given < len(frame.cards):
        card = frame.cards[given]
        if card == SOG and frame.collected:  # a Sog inside a Sog hits the drawer himself
            return TargetChosen(frame.seat, card, frame.seat)
        targets = down(board)
        return TargetChosen(frame.seat, card, targets[0]) if len(targets) == 1 else None
    # Only the target is looked at again, not the giver (DIVE-A11, DIVE-A26).
    card, target = frame.cards[0], frame.targets[0]
    if board.divers[target].status == "DOWN":
        return ActionApplied(card, target)
    return ActionLapsed(card, target)


def _pass_bottle(state: State, frame: PassBottle) -> FactOfSpeeddive | None:
    targets = takers(state.board)
    if not targets:
        return ReserveflascheDiscarded(frame.seat)
    return ReserveflascheGiven(frame.seat, targets[0]) if len(targets) == 1 else None


def _lose_air(state: State, frame: LoseAir) -> FactOfSpeeddive:
    diver = state.board.divers[frame.seat]
    if diver.reserveflasche:  # automatic, no choice (DIVE-A21)
        return ReserveflascheUsed(frame.seat, diver.spur[-1])
    return DiverOut(frame.seat)


def _open_schatzkammer(_state: State, frame: OpenSchatzkammer) -> FactOfSpeeddive:
    return SchatzkammerOpened(frame.seat)


def _score(state: State, _frame: ScoreRound) -> FactOfSpeeddive:
    return _round_scored(state.board)


def _round_scored(board: Board) -> RoundScored:
    scores = tuple([round_score(diver) for diver in board.divers])
    totals = tuple([d.total + score for d, score in zip(board.divers, scores, strict=True)])
    return RoundScored(scores, ends_game(totals, board.options.target, board.tie_break))


_FORCED: dict[type, Callable[[State, Any], FactOfSpeeddive | None]] = {
    DrawCards: _take,
    TakeCard: _take,
    GiveCards: _give,
    PassBottle: _pass_bottle,
    LoseAir: _lose_air,
    OpenSchatzkammer: _open_schatzkammer,
    ScoreRound: _score,
}
