"""What a fact does to the open board; needs nothing hidden, so a view folds with it too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from domain.kernel import Resumed, Seat, Shuffled
from domain.speeddive import effects
from domain.speeddive.cards import (
    ACTIONS,
    BONUS,
    FORCED_DRAWS,
    LETZTER_ATEMZUG,
    NUMBER,
    OKTOPUS,
    RESERVEFLASCHE,
    SCHATZKAMMER_BONUS,
    SCHATZKAMMER_NUMBERS,
    SEVENS,
    WEIGHTS,
)
from domain.speeddive.events import (
    ActionApplied,
    ActionLapsed,
    ActionUnused,
    AnyFact,
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
    ReserveflascheDiscarded,
    ReserveflascheGiven,
    ReserveflascheUsed,
    RoundScored,
    RoundStarted,
    SchatzkammerOpened,
    SpurCursed,
    TargetChosen,
)
from domain.speeddive.frames import arrived, counted, put, queue, resolved
from domain.speeddive.scoring import cards_before, cards_pending, totals_after
from domain.speeddive.state import (
    Board,
    CurseSpur,
    Diver,
    DrawCards,
    EndAtemzug,
    Frame,
    GiveCards,
    PassBottle,
    RoundLine,
    ScoreRound,
    TakeCard,
    UseBonus,
)

_SIX = SCHATZKAMMER_NUMBERS - 1


def evolve(board: Board, fact: AnyFact) -> Board:
    """Apply a fact to the board."""
    return _EVOLVE[type(fact)](board, fact)


def _shuffled(board: Board, fact: Shuffled) -> Board:
    if fact.what == "dealer":
        return replace(board, dealer=int(fact.order[0]))
    # The pile holds exactly what lay on the discard pile; the order is not needed here.
    return replace(board, pile_count=len(board.discard), discard=())


def _resumed(board: Board, _fact: Resumed) -> Board:
    return replace(board, phase="between")


def _round_started(board: Board, fact: RoundStarted) -> Board:
    discard = board.discard
    for diver in board.divers:
        discard += cards_before(diver)
    return replace(
        board,
        phase="round",
        divers=tuple([Diver(total=diver.total) for diver in board.divers]),
        round=fact.number,
        tie_break=fact.tie_break,
        dealer=fact.dealer,
        last=fact.dealer,
        discard=discard,
    )


def _card_drawn(board: Board, fact: CardDrawn) -> Board:
    seat, card = fact.seat, fact.card
    diver = board.divers[seat]
    frames = board.frames
    last = board.last
    at_once = True
    if not frames:
        if diver.dealt:  # not a deal card, so it was his turn
            last = seat
    elif type(top := frames[-1]) is DrawCards:
        at_once = False
        frames = counted(frames[:-1], top, card)
    else:
        frames = frames[:-1]  # TakeCard

    frame = _raised(diver, seat, card, at_once)
    return replace(
        board,
        divers=put(board.divers, seat, _with_card(diver, card)),
        last=last,
        frames=(*frames, frame) if frame else frames,
        pile_count=board.pile_count - 1,
    )


def _raised(diver: Diver, seat: Seat, card: str, at_once: bool) -> Frame | None:  # noqa: FBT001
    """Give what a drawn card leaves to be done first."""
    if card in NUMBER:
        spur = diver.spur
        if card not in spur and len(spur) != _SIX and card not in SEVENS:
            return None  # nearly always, so it is asked first
        if card == OKTOPUS:
            return CurseSpur(seat) if spur or diver.beside else None
        return arrived(seat, spur, card)
    if card == RESERVEFLASCHE:  # at once, also during forced draws
        return PassBottle(seat) if diver.reserveflasche else None
    return queue(seat, (card,), (), collected=False) if at_once and card in ACTIONS else None


def _with_card(diver: Diver, card: str) -> Diver:
    """Lay the card before the diver; whoever has drawn gets no deal card any more (DIVE-R03)."""
    spur, beside, bottle = diver.spur, diver.beside, diver.reserveflasche
    if card in NUMBER:
        spur = (*spur, card)
    elif card in BONUS:
        beside = (*beside, card)
    elif card == RESERVEFLASCHE:
        bottle = True
    return Diver(diver.status, spur, beside, bottle, True, diver.total)  # noqa: FBT003 - by position for speed


def _dive_begun(board: Board, fact: DiveBegun) -> Board:
    return replace(board, last=fact.seat, frames=(*board.frames, TakeCard(fact.seat)))


def _bottle_used(board: Board, fact: ReserveflascheUsed) -> Board:
    diver = board.divers[fact.seat]
    saved = replace(diver, spur=diver.spur[:-1], reserveflasche=False)
    return replace(
        board,
        divers=put(board.divers, fact.seat, saved),
        frames=board.frames[:-1],
        discard=(*board.discard, fact.card, RESERVEFLASCHE),
    )


def _bottle_given(board: Board, fact: ReserveflascheGiven) -> Board:
    diver = replace(board.divers[fact.target], reserveflasche=True)
    return replace(board, divers=put(board.divers, fact.target, diver), frames=board.frames[:-1])


def _bottle_discarded(board: Board, _fact: ReserveflascheDiscarded) -> Board:
    return replace(board, frames=board.frames[:-1], discard=(*board.discard, RESERVEFLASCHE))


def _target_chosen(board: Board, fact: TargetChosen) -> Board:
    match board.frames[-1]:
        case GiveCards(seat, cards, targets, collected):
            give = queue(seat, cards, (*targets, fact.target), collected=collected)
            return replace(board, frames=(*board.frames[:-1], give))
        case _:
            return board


def _action_applied(board: Board, fact: ActionApplied) -> Board:
    frames = resolved(board.frames)
    seat, card = fact.target, fact.card
    diver = board.divers[seat]
    discard = (*board.discard, card)
    draws = FORCED_DRAWS.get(card)
    if draws:
        # Depth first: these draws are finished before the next card of the queue (DIVE-A10).
        return replace(board, frames=(*frames, DrawCards(seat, draws)), discard=discard)
    if card == LETZTER_ATEMZUG:
        return replace(board, frames=(*frames, EndAtemzug(seat), TakeCard(seat)), discard=discard)
    if card in WEIGHTS:
        hung = replace(diver, beside=(*diver.beside, card))
        return replace(board, divers=put(board.divers, seat, hung), frames=frames)
    surfaced = replace(diver, status="SURFACED", dealt=True)
    return replace(board, divers=put(board.divers, seat, surfaced), frames=frames, discard=discard)


def _action_lapsed(board: Board, fact: ActionLapsed) -> Board:
    return replace(board, frames=resolved(board.frames), discard=(*board.discard, fact.card))


def _diver_surfaced(board: Board, fact: DiverSurfaced) -> Board:
    diver = replace(board.divers[fact.seat], status="SURFACED")
    return replace(board, divers=put(board.divers, fact.seat, diver), last=fact.seat)


def _diver_out(board: Board, fact: DiverOut) -> Board:
    frames, discard = board.frames[:-1], board.discard
    # His running draws end and what they put aside lapses; cards that all have a target stay.
    match frames[-1:]:
        case (DrawCards(seat, _, aside),) if seat == fact.seat:
            frames, discard = frames[:-1], discard + aside
        case (GiveCards(seat, cards, targets),) if seat == fact.seat and len(targets) < len(cards):
            frames, discard = frames[:-1], discard + cards
        case _:
            pass
    # A swap may put a diver OUT before his deal card: then it is lost.
    diver = replace(board.divers[fact.seat], status="OUT", dealt=True)
    return replace(
        board, divers=put(board.divers, fact.seat, diver), frames=frames, discard=discard
    )


def _schatzkammer_opened(board: Board, fact: SchatzkammerOpened) -> Board:
    # In Brutal the opener first says what becomes of the bonus (D5).
    brutal = board.options.brutal
    bonus = 0 if brutal else SCHATZKAMMER_BONUS
    diver = replace(board.divers[fact.seat], status="TREASURE", bonus=bonus)
    return replace(
        board,
        divers=put(board.divers, fact.seat, diver),
        frames=(ScoreRound(), UseBonus(fact.seat)) if brutal else (ScoreRound(),),
        discard=board.discard + cards_pending(board),
    )


def _charged(divers: tuple[Diver, ...]) -> Seat | None:
    return next((seat for seat, diver in enumerate(divers) if diver.bonus < 0), None)


def _round_scored(board: Board, fact: RoundScored) -> Board:
    divers = board.divers
    statuses = [diver.status for diver in divers]
    line = RoundLine(
        board.dealer or 0,
        fact.scores,
        statuses.index("TREASURE") if "TREASURE" in statuses else None,
        tuple([seat for seat, status in enumerate(statuses) if status == "OUT"]),
        board.tie_break,
        _charged(divers) if board.options.brutal else None,
    )
    totals = totals_after(divers, fact.scores)
    scored = [replace(diver, total=total) for diver, total in zip(divers, totals, strict=True)]
    pause = "bilanz" if board.options.bilanz else "between"
    return replace(
        board,
        divers=tuple(scored),
        phase="over" if fact.ends_game else pause,
        frames=(),
        history=(*board.history, line),
    )


_EVOLVE: dict[type, Callable[[Board, Any], Board]] = {
    Shuffled: _shuffled,
    Resumed: _resumed,
    RoundStarted: _round_started,
    CardDrawn: _card_drawn,
    DiveBegun: _dive_begun,
    ReserveflascheUsed: _bottle_used,
    ReserveflascheGiven: _bottle_given,
    ReserveflascheDiscarded: _bottle_discarded,
    TargetChosen: _target_chosen,
    ActionApplied: _action_applied,
    ActionLapsed: _action_lapsed,
    DiverSurfaced: _diver_surfaced,
    DiverOut: _diver_out,
    SchatzkammerOpened: _schatzkammer_opened,
    ActionUnused: effects.action_unused,
    CardHooked: effects.card_hooked,
    CardBitten: effects.card_bitten,
    CardsSwapped: effects.cards_swapped,
    SpurCursed: effects.spur_cursed,
    AtemzugEnded: effects.atemzug_ended,
    BonusTaken: effects.bonus_taken,
    DiverCharged: effects.diver_charged,
    RoundScored: _round_scored,
}
