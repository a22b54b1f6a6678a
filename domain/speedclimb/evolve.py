"""What a fact does to the open board; needs nothing hidden, so a view folds with it too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from domain.kernel import Cards, Resumed, Seat, Shuffled
from domain.speedclimb.cards import HAND, SCHNEESTURM, canonical
from domain.speedclimb.events import (
    AnyFact,
    CardAttached,
    CardDiscarded,
    CardPacked,
    CardTaken,
    CarryChosen,
    LagerLaid,
    RoundEnded,
    RoundStarted,
    SchneesturmPlayed,
    StageChosen,
    StageLocked,
    TurnSkipped,
)
from domain.speedclimb.melds import attached
from domain.speedclimb.state import Board, Climber, Pile, RoundLine


def evolve_board(board: Board, fact: AnyFact) -> Board:
    """Apply a fact to the board."""
    return _EVOLVE[type(fact)](board, fact)


def pile_of(board: Board, seat: Seat | None) -> int:
    """Give the index of the pile that a seat discards on: its depot, or the Ablage."""
    return 0 if board.mountain.expedition else seat or 0


def _put(climbers: tuple[Climber, ...], seat: Seat, climber: Climber) -> tuple[Climber, ...]:
    changed = list(climbers)
    changed[seat] = climber
    return tuple(changed)


def _on(board: Board, index: int, pile: Pile) -> tuple[Pile, ...]:
    changed = list(board.piles)
    changed[index] = pile
    return tuple(changed)


def _with_card(board: Board, index: int, card: str) -> tuple[Pile, ...]:
    return _on(board, index, Pile(card, board.piles[index].count + 1))


def _shown(known: Cards, cards: Iterable[str]) -> Cards:
    """Give what a seat is still known to have, when it has shown these cards."""
    left = list(known)
    for card in cards:
        if card in left:
            left.remove(card)
    return tuple(left)


def _shuffled(board: Board, fact: Shuffled) -> Board:
    if fact.what == "dealer":
        return replace(board, dealer=int(fact.order[0])) if fact.order else board
    if fact.what == "deal":
        return replace(board, phase="deal")
    # All but the open top cards, and the Schneestuerme under the material (CLIMB-R12).
    count = board.storms_below + sum([max(0, pile.count - 1) for pile in board.piles])
    piles = tuple([Pile(pile.top, min(1, pile.count)) for pile in board.piles])
    return replace(board, material_count=count, storms_below=0, piles=piles)


def _resumed(board: Board, _fact: Resumed) -> Board:
    return replace(board, phase="between")


def _round_started(board: Board, fact: RoundStarted) -> Board:
    mountain = board.mountain
    seats = len(board.climbers)
    climbers = tuple(
        [
            Climber(c.position, False, False, HAND, c.penalty, c.done, 0, c.rucksack_count)  # noqa: FBT003 - by position for speed
            for c in board.climbers
        ]
    )
    # The open card lies on the dealer's depot or the Ablage (CLIMB-R02, CLIMB-A01).
    first = pile_of(board, fact.dealer)
    count = 1 if mountain.expedition else seats
    piles = tuple([Pile(fact.open_card, 1) if i == first else Pile() for i in range(count)])
    packed = sum([climber.rucksack_count for climber in climbers])
    return replace(
        board,
        climbers=climbers,
        phase="take",
        round=fact.number,
        dealer=fact.dealer,
        turn=(fact.dealer + 1) % seats,
        material_count=len(mountain.deck) - packed - HAND * seats - 1,
        storms_below=0,
        piles=piles,
        melds=(),
        ended_by=None,
    )


def _unseen(board: Board, _fact: StageChosen | CarryChosen) -> Board:
    return board


def _stage_locked(board: Board, fact: StageLocked) -> Board:
    climber = replace(board.climbers[fact.seat], stage=fact.stage)
    return replace(board, climbers=_put(board.climbers, fact.seat, climber))


def _turn_skipped(board: Board, fact: TurnSkipped) -> Board:
    climber = replace(board.climbers[fact.seat], storm=False)
    return replace(
        board,
        climbers=_put(board.climbers, fact.seat, climber),
        turn=(fact.seat + 1) % len(board.climbers),
        # Of an expedition it has lain on the Ablage since it was played.
        storms_below=board.storms_below + (not board.mountain.expedition),
    )


def _card_taken(board: Board, fact: CardTaken) -> Board:
    climber = board.climbers[fact.seat]
    piles, material = board.piles, board.material_count
    rucksack, known = climber.rucksack_count, climber.known
    if fact.source == "material":
        material -= 1
    elif fact.source == "rucksack":
        rucksack -= 1
    else:
        index = pile_of(board, fact.owner)
        piles = _on(board, index, Pile(fact.below, piles[index].count - 1))
        known = canonical((*known, fact.card))
    climber = replace(
        climber, hand_count=climber.hand_count + 1, rucksack_count=rucksack, known=known
    )
    return replace(
        board,
        phase="main",
        climbers=_put(board.climbers, fact.seat, climber),
        piles=piles,
        material_count=material,
    )


def _lager_laid(board: Board, fact: LagerLaid) -> Board:
    climber = board.climbers[fact.seat]
    cards = [card for meld in fact.melds for card in meld.cards]
    left = climber.hand_count - len(cards)
    climber = replace(climber, laid=True, hand_count=left, known=_shown(climber.known, cards))
    mountain = board.mountain
    summit = not mountain.expedition and climber.position == len(mountain.camps)
    return replace(
        board,
        climbers=_put(board.climbers, fact.seat, climber),
        melds=board.melds + fact.melds,
        # The Gipfellager wins at once (CLIMB-R20).
        ended_by=fact.seat if summit or not left else None,
    )


def _card_attached(board: Board, fact: CardAttached) -> Board:
    climber = board.climbers[fact.seat]
    left = climber.hand_count - 1
    climber = replace(climber, hand_count=left, known=_shown(climber.known, (fact.card,)))
    melds = list(board.melds)
    melds[fact.meld] = attached(melds[fact.meld], fact.card, fact.end)
    return replace(
        board,
        climbers=_put(board.climbers, fact.seat, climber),
        melds=tuple(melds),
        ended_by=None if left else fact.seat,  # CLIMB-R13
    )


def _turn_over(board: Board, seat: Seat, climber: Climber, piles: tuple[Pile, ...]) -> Board:
    """End the turn of a seat that has played one card of its hand."""
    left = climber.hand_count - 1
    climber = replace(climber, hand_count=left)
    return replace(
        board,
        climbers=_put(board.climbers, seat, climber),
        phase="take",
        turn=(seat + 1) % len(board.climbers),
        piles=piles,
        ended_by=None if left else seat,  # CLIMB-R13
    )


def _card_discarded(board: Board, fact: CardDiscarded) -> Board:
    piles = _with_card(board, pile_of(board, fact.seat), fact.card)
    climber = board.climbers[fact.seat]
    climber = replace(climber, known=_shown(climber.known, (fact.card,)))
    return _turn_over(board, fact.seat, climber, piles)


def _schneesturm_played(board: Board, fact: SchneesturmPlayed) -> Board:
    piles = board.piles
    if board.mountain.expedition:  # it blocks the Ablage at once, only the marker is at the seat
        piles = _with_card(board, 0, SCHNEESTURM)
    hit = replace(board.climbers[fact.target], storm=True)
    climbers = _put(board.climbers, fact.target, hit)
    return _turn_over(replace(board, climbers=climbers), fact.seat, climbers[fact.seat], piles)


def _card_packed(board: Board, fact: CardPacked) -> Board:
    climber = board.climbers[fact.seat]
    climber = replace(climber, rucksack_count=climber.rucksack_count + 1, packed=True)
    return _turn_over(board, fact.seat, climber, board.piles)


def _round_ended(board: Board, fact: RoundEnded) -> Board:
    free = board.mountain.free
    climbers = []
    for seat, climber in enumerate(board.climbers):
        step = fact.steps[seat]
        climbers.append(
            replace(
                climber,
                position=climber.position if free else climber.position + step,
                done=tuple(sorted((*climber.done, climber.stage)))
                if free and step
                else climber.done,
                penalty=climber.penalty + (fact.penalties[seat] if fact.penalties else 0),
            )
        )
    line = RoundLine(
        board.dealer or 0,
        fact.finisher,
        fact.steps,
        tuple([climber.laid for climber in board.climbers]),
        tuple([climber.hand_count for climber in board.climbers]),
        fact.penalties,
        tuple([climber.stage for climber in board.climbers]) if free else (),
    )
    return replace(
        board,
        climbers=tuple(climbers),
        phase="over" if fact.ends_game else "bilanz",
        history=(*board.history, line),
    )


_EVOLVE: dict[type, Callable[[Board, Any], Board]] = {
    Shuffled: _shuffled,
    Resumed: _resumed,
    RoundStarted: _round_started,
    StageChosen: _unseen,
    StageLocked: _stage_locked,
    TurnSkipped: _turn_skipped,
    CardTaken: _card_taken,
    LagerLaid: _lager_laid,
    CardAttached: _card_attached,
    CardDiscarded: _card_discarded,
    SchneesturmPlayed: _schneesturm_played,
    CardPacked: _card_packed,
    RoundEnded: _round_ended,
    CarryChosen: _unseen,
}
