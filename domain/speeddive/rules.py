"""Who is asked, what he may answer and what nobody chooses (RULES.md 2.4 to 2.6, 2.8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

from domain.kernel import Ask, Chance, Over, Pause, Seat, Waiting, ranked
from domain.options import Options
from domain.speeddive.cards import (
    ENTERHAKEN,
    FORCED_DRAWS,
    LEERE_MUSCHEL,
    STROEMUNGSWECHSEL,
    canonical,
)
from domain.speeddive.defaults import default_card, default_dive, default_swap, default_target
from domain.speeddive.events import (
    ActionApplied,
    ActionLapsed,
    ActionUnused,
    AtemzugEnded,
    BonusTaken,
    CardBitten,
    CardDrawn,
    CardHooked,
    CardsSwapped,
    DiveBegun,
    DiverCharged,
    DiverOut,
    DiverSurfaced,
    FactOfSpeeddive,
    ReserveflascheDiscarded,
    ReserveflascheGiven,
    ReserveflascheUsed,
    RoundScored,
    RoundStarted,
    SchatzkammerOpened,
    SpurCursed,
    TargetChosen,
)
from domain.speeddive.moves import (
    ChargeDiver,
    ChooseCard,
    ChooseTarget,
    Dive,
    Move,
    Surface,
    SwapAnyTwo,
    SwapCards,
    TakeBonus,
)
from domain.speeddive.scoring import ends_game, next_tie_break, round_score, totals_after
from domain.speeddive.state import (
    Board,
    CurseSpur,
    DrawCards,
    EndAtemzug,
    Frame,
    GiveCards,
    LoseAir,
    OpenSchatzkammer,
    PassBottle,
    ScoreRound,
    State,
    TakeCard,
    UseBonus,
)
from domain.speeddive.targets import card_choices, divers_for, open_cards, still_hits, takers

DIVE, SURFACE, TAKE_BONUS = Dive(), Surface(), TakeBonus()
_DIVE_OR_SURFACE: Options[Move] = Options((DIVE, SURFACE))
_DIVE_ONLY: Options[Move] = Options((DIVE,))
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


def waiting(board: Board) -> Waiting[Move]:
    """Say who is awaited when nothing is forced."""
    if board.phase == "round":
        frame = board.frames[-1] if board.frames else None
        if frame is None:
            seat = on_turn(board)
            if seat is not None and next_dealt(board) is None:
                return Ask(seat, "dive", _turn_options(board, seat), default_dive(board, seat))
        elif type(frame) is GiveCards:
            if len(frame.targets) == len(frame.cards):
                return _ask_card(board, frame.seat, frame.cards[0])
            card = frame.cards[len(frame.targets)]
            return _ask_target(board, frame.seat, card, divers_for(board, card))
        elif type(frame) is PassBottle:
            return _ask_target(board, frame.seat, "bottle", takers(board))
        elif type(frame) is UseBonus:
            return _ask_bonus(board, frame.seat)
        # A card must come and the pile is empty: only now it is shuffled (DIVE-R08, DIVE-A24).
        return Chance("pile", canonical(board.discard))
    if board.phase == "between":
        return Chance("dealer", tuple(str(seat) for seat in range(len(board.divers))))
    if board.phase == "bilanz":
        return Pause("bilanz")
    totals = tuple(diver.total for diver in board.divers)
    return Over(ranked(totals), totals, totals)


def _turn_options(board: Board, seat: Seat) -> Options[Move]:
    """With the Leere Muschel before him a diver may not surface, but it stays his turn (R04)."""
    if board.options.edition != "KLASSISCH" and LEERE_MUSCHEL in board.divers[seat].spur:
        return _DIVE_ONLY
    return _DIVE_OR_SURFACE


def _ask_target(board: Board, seat: Seat, card: str, targets: tuple[Seat, ...]) -> Ask[Move]:
    moves = tuple([ChooseTarget(target) for target in targets])
    kind = "bottle" if card == "bottle" else "target"
    return Ask(seat, kind, Options(moves), default_target(board, seat, card, targets))


def _ask_card(board: Board, seat: Seat, card: str) -> Ask[Move]:
    if card == STROEMUNGSWECHSEL:
        cards = open_cards(board)
        return Ask(seat, "swap", Options((), (SwapAnyTwo(cards),)), default_swap(seat, cards))
    choices = card_choices(board, seat, card)
    return Ask(seat, "card", Options(choices), default_card(board, seat, card, choices))


def _ask_bonus(board: Board, seat: Seat) -> Ask[Move]:
    others = [ChargeDiver(other) for other in range(len(board.divers)) if other != seat]
    return Ask(seat, "schatzkammer", Options((TAKE_BONUS, *others)), TAKE_BONUS)


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
        case ChooseCard():
            return _taken(state.board.frames[-1], move)
        case SwapCards(first, first_card, second, second_card):
            return CardsSwapped(ask.seat, first, first_card, second, second_card)
        case TakeBonus():
            return BonusTaken(ask.seat)
        case ChargeDiver(target):
            return DiverCharged(ask.seat, target)
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
        if card in FORCED_DRAWS and frame.collected:  # a Sog inside a Sog hits the drawer himself
            return TargetChosen(frame.seat, card, frame.seat)
        targets = divers_for(board, card)
        return TargetChosen(frame.seat, card, targets[0]) if len(targets) == 1 else None
    card, target = frame.cards[0], frame.targets[0]
    if target is None:
        return _use(board, frame, card)
    # Only the target is looked at again, not the giver (DIVE-A11, DIVE-A26).
    if still_hits(board, card, target):
        return ActionApplied(card, target)
    return ActionLapsed(card, target)


def _use(board: Board, frame: GiveCards, card: str) -> FactOfSpeeddive | None:
    """Let a card action lapse that cannot be used; it must be used if it can (DIVE-A22)."""
    seat = frame.seat
    if board.divers[seat].status == "OUT":  # whoever has surfaced still chooses (DIVE-A11b)
        return ActionUnused(seat, card)
    if card == STROEMUNGSWECHSEL:
        owners = [cards for cards in open_cards(board) if cards]
        return ActionUnused(seat, card) if len(owners) < 2 else None  # noqa: PLR2004 - two divers
    choices = card_choices(board, seat, card)
    if not choices:
        return ActionUnused(seat, card)
    return _taken(frame, choices[0]) if len(choices) == 1 else None


def _taken(frame: Frame, move: ChooseCard) -> FactOfSpeeddive:
    assert isinstance(frame, GiveCards)
    taken = CardHooked if frame.cards[0] == ENTERHAKEN else CardBitten
    return taken(frame.seat, move.target, move.card)


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


def _curse(_state: State, frame: CurseSpur) -> FactOfSpeeddive:
    return SpurCursed(frame.seat)


def _end_atemzug(_state: State, frame: EndAtemzug) -> FactOfSpeeddive:
    return AtemzugEnded(frame.seat)


def _use_bonus(_state: State, _frame: UseBonus) -> None:
    return None


def _score(state: State, _frame: ScoreRound) -> FactOfSpeeddive:
    return _round_scored(state.board)


def _round_scored(board: Board) -> RoundScored:
    scores = tuple([round_score(diver, board.options) for diver in board.divers])
    totals = totals_after(board.divers, scores)
    return RoundScored(scores, ends_game(totals, board.options.target, board.tie_break))


_FORCED: dict[type, Callable[[State, Any], FactOfSpeeddive | None]] = {
    DrawCards: _take,
    TakeCard: _take,
    GiveCards: _give,
    PassBottle: _pass_bottle,
    LoseAir: _lose_air,
    CurseSpur: _curse,
    EndAtemzug: _end_atemzug,
    UseBonus: _use_bonus,
    OpenSchatzkammer: _open_schatzkammer,
    ScoreRound: _score,
}
