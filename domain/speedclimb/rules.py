"""Who is awaited, what he may answer and what nobody chooses (RULES.md 3.5, 3.6, 3.8, 3.9)."""

from __future__ import annotations

from typing import assert_never

from domain.kernel import Ask, Cards, Chance, Pause, Seat, Waiting
from domain.options import Descriptor, Options
from domain.speedclimb.cards import (
    CARDS,
    HAND,
    RUCKSACK_MAX,
    SCHNEESTURM,
    canonical,
    without,
)
from domain.speedclimb.defaults import default_main, default_take
from domain.speedclimb.descriptors import AttachCards, CarryCards
from domain.speedclimb.events import (
    CardAttached,
    CardDiscarded,
    CardPacked,
    CardTaken,
    CarryChosen,
    FactOfSpeedclimb,
    LagerLaid,
    RoundStarted,
    SchneesturmPlayed,
    StageChosen,
    StageLocked,
    TurnSkipped,
)
from domain.speedclimb.hands import attachable, lay_parts, parts_of
from domain.speedclimb.melds import meld_of
from domain.speedclimb.moves import (
    AttachCard,
    ChooseCarry,
    ChooseStage,
    Discard,
    LayLager,
    Move,
    Pack,
    PlaySchneesturm,
    TakeAblage,
    TakeDepot,
    TakeMaterial,
    TakeRucksack,
)
from domain.speedclimb.scoring import may_carry, over, proposed_stage, round_ended
from domain.speedclimb.state import Board, State
from domain.speedclimb.takes import takeable

_DISCARD: dict[str, Move] = {card: Discard(card) for card in CARDS}
_PACK: dict[str, Move] = {card: Pack(card) for card in CARDS if card != SCHNEESTURM}
_PLAY: tuple[Move, ...] = tuple(PlaySchneesturm(seat) for seat in range(6))
_STAGE = tuple(ChooseStage(stage) for stage in range(11))


def waiting(state: State) -> Waiting[Move]:
    """Say who is awaited when nothing is forced."""
    board = state.board
    if board.phase == "bilanz":
        return Pause("bilanz")
    if board.phase == "over":
        return over(board)
    if board.phase == "between":
        if board.dealer is None:
            return Chance("dealer", tuple(str(seat) for seat in range(len(board.climbers))))
        return Chance("deal", _to_deal(state))
    if not board.material_count and (cards := _to_reshuffle(state)):
        return Chance("material", cards)
    seat = board.turn
    if board.phase == "take":
        own = state.owns[seat]
        takes = takeable(board, own.rucksack)
        return Ask(seat, "take", Options(takes), default_take(board, seat, own, takes))
    return _ask_main(state, seat)


def _to_deal(state: State) -> Cards:
    """Give all cards but those in a Rucksack or carried (CLIMB-R02)."""
    kept = [card for own in state.owns for card in (*own.rucksack, *own.carry)]
    return without(state.board.mountain.deck, kept) if kept else state.board.mountain.deck


def _to_reshuffle(state: State) -> Cards:
    """Give what becomes the new material: all but the open top cards (CLIMB-R12, CLIMB-A08)."""
    cards = [card for pile in state.piles for card in pile[:-1]]
    return canonical([*cards, *[SCHNEESTURM] * state.board.storms_below])


def _ask_main(state: State, seat: Seat) -> Ask[Move]:
    board, own = state.board, state.owns[seat]
    hand = own.hand
    climber = board.climbers[seat]
    laying = lay_parts(board, climber, own)
    fitting = attachable(board, climber, hand)
    descriptors: tuple[Descriptor, ...] = ()
    if laying:
        descriptors = (laying,)
    elif fitting:
        descriptors = (AttachCards(fitting),)
    moves = _ends(board, seat, hand)
    return Ask(
        seat,
        "main",
        Options(moves, descriptors),
        default_main(board, seat, own, laying, fitting),
    )


def _ends(board: Board, seat: Seat, hand: Cards) -> tuple[Move, ...]:
    """Give the ways to end the turn (CLIMB-R09)."""
    last = len(hand) == 1
    different = list(dict.fromkeys(hand))
    if SCHNEESTURM not in different:
        moves = [_DISCARD[card] for card in different]
    elif last:  # it has no effect as the last card (CLIMB-A09)
        moves = [_DISCARD[SCHNEESTURM]]
    else:
        targets = [s for s, c in enumerate(board.climbers) if s != seat and not c.storm]
        moves = [_DISCARD[card] for card in different if not targets or card != SCHNEESTURM]
        moves += [_PLAY[target] for target in targets]
    if board.mountain.free and not last:
        climber = board.climbers[seat]
        if not climber.packed and climber.rucksack_count < RUCKSACK_MAX:
            moves += [_PACK[card] for card in different if card != SCHNEESTURM]
    return tuple(moves)


def offers(state: State) -> tuple[Ask[Move], ...]:
    """Give the standing offers: stage (C0) until the own first take, carrying (C5) in the Bilanz."""
    board = state.board
    if board.phase == "bilanz":
        if not board.mountain.carries:
            return ()
        return tuple(
            [
                Ask(
                    seat,
                    "carry",
                    Options((), (CarryCards(own.hand),)),
                    ChooseCarry(own.carry),
                    "none",
                )
                for seat, own in enumerate(state.owns)
                if may_carry(board, board.climbers[seat])
            ]
        )
    if not board.mountain.free or board.phase not in {"take", "main"}:
        return ()
    asks = []
    for seat, climber in enumerate(board.climbers):
        if not climber.stage:
            moves: tuple[Move, ...] = tuple(
                [_STAGE[n] for n in range(1, 11) if n not in climber.done]
            )
            now = _STAGE[state.owns[seat].stage]
            asks.append(Ask(seat, "stage", Options(moves), now, "none"))
    return tuple(asks)


def decide(state: State, ask: Ask[Move], move: Move) -> FactOfSpeedclimb:
    """Give the fact that follows from a legal answer."""
    seat = ask.seat
    match move:
        case TakeMaterial() | TakeDepot() | TakeAblage() | TakeRucksack():
            return _take(state, seat, move)
        case LayLager(laid):
            parts = parts_of(state.board, state.board.climbers[seat], state.owns[seat].stage)
            melds = [meld_of(seat, part, cards) for part, cards in zip(parts, laid, strict=True)]
            return LagerLaid(seat, tuple(melds))
        case AttachCard(card, meld, end):
            return CardAttached(seat, card, meld, end)
        case Discard(card):
            return CardDiscarded(seat, card)
        case PlaySchneesturm(target):
            return SchneesturmPlayed(seat, target)
        case Pack(card):
            return CardPacked(seat, card)
        case ChooseStage(stage):
            return StageChosen(seat, stage)
        case ChooseCarry(cards):
            return CarryChosen(seat, canonical(cards))
        case _:
            assert_never(move)


def _take(
    state: State, seat: Seat, move: TakeMaterial | TakeDepot | TakeAblage | TakeRucksack
) -> CardTaken:
    match move:
        case TakeMaterial():
            top = state.material[len(state.material) - state.board.material_count]
            return CardTaken(seat, "material", top)
        case TakeRucksack(card):
            return CardTaken(seat, "rucksack", card)
        case TakeDepot(owner):
            pile = state.piles[owner]
            return CardTaken(seat, "depot", pile[-1], owner, pile[-2] if len(pile) > 1 else "")
        case TakeAblage():
            pile = state.piles[0]
            below = pile[-2] if len(pile) > 1 else ""
            return CardTaken(seat, "ablage", pile[-1], None, below)


def forced(state: State) -> FactOfSpeedclimb | None:
    """Give the next consequence that nobody chooses; None also when the house must shuffle."""
    board = state.board
    if board.phase == "take" or board.phase == "main":  # noqa: PLR1714 - faster on the hot path
        return _forced_in_play(state, board)
    return _started(state) if board.phase == "deal" else None


def _forced_in_play(state: State, board: Board) -> FactOfSpeedclimb | None:
    # Order: a round that is over (CLIMB-R13, R20) needs no new material (CLIMB-R12); with new
    # material there may be something to take (CLIMB-R17), and a storm comes before that (R05).
    if board.ended_by is not None:
        return round_ended(state)
    seat = board.turn
    climber = board.climbers[seat]
    own = state.owns[seat]
    if board.phase == "main":
        if board.mountain.free and not climber.stage:
            return StageLocked(seat, own.stage)
        return None
    if not board.material_count:
        if any(len(pile) > 1 for pile in state.piles) or board.storms_below:
            return None
        if not climber.storm and not takeable(board, own.rucksack):
            return round_ended(state)
    return TurnSkipped(seat) if climber.storm else None


def _started(state: State) -> RoundStarted:
    """Deal (CLIMB-R02): the dealer's left neighbour gets his cards first, then the open card."""
    board = state.board
    seats = len(state.owns)
    # The dealer of the first round is drawn, then the next seat deals (CLIMB-R01).
    dealer = ((board.dealer or 0) + bool(board.round)) % seats
    hands: list[Cards] = [()] * seats
    at = 0
    for step in range(1, seats + 1):
        seat = (dealer + step) % seats
        carry = state.owns[seat].carry
        count = HAND - len(carry)  # carried cards count to the ten (CLIMB-A06)
        hands[seat] = canonical((*carry, *state.material[at : at + count]))
        at += count
    stages: tuple[int, ...] = ()
    if board.mountain.free:
        stages = tuple(
            [
                proposed_stage(board, climber, hand)
                for climber, hand in zip(board.climbers, hands, strict=True)
            ]
        )
    return RoundStarted(board.round + 1, dealer, tuple(hands), state.material[at], stages)
