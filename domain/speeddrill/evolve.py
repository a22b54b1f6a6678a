"""What a fact does to the open board and to what is held.

Neither needs what its reader may not see: a view folds with the same functions, and stays as empty
where a fact came without its secret.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from msgspec.structs import replace

from domain.kernel import Cards, Resumed, Shuffled
from domain.speeddrill.events import (
    AnyFact,
    CardDrawn,
    HandDealt,
    RodDrilled,
    RodsRevealed,
    RodsSealed,
    SeasonScored,
    SeasonStarted,
    TurnForfeited,
)
from domain.speeddrill.material import (
    DECK,
    FELDER,
    HAND,
    RODS_A_SEASON,
    SEASONS,
    SQUARE_COUNT,
    Feld,
    Side,
    rods_left,
    without,
)
from domain.speeddrill.scoring import wertung_of
from domain.speeddrill.state import (
    Board,
    Bohrloch,
    Held,
    Holes,
    Konzern,
    Rod,
    Season,
    index_of,
    kursfeld,
)

_FIRST = {feld: at * SQUARE_COUNT for at, feld in enumerate(FELDER)}


def hole_at(feld: Feld, square: int) -> int:
    """Give the index of a square's hole in `Board.holes`."""
    return _FIRST[feld] + square


def drilled(hole: Bohrloch, konzern: int, rod: int) -> Bohrloch:
    """Put a rod under the others: from then on its colour owns the hole (RULES.md 5.1)."""
    metres = list(hole.metres)
    metres[konzern] += rod
    most = metres[konzern]
    # Only the owner's metres count, and the owner may always go on (DRILL-R08, A14).
    needs = [most - own for own in metres]
    needs[konzern] = 0
    return Bohrloch(
        (*hole.rods, Rod(konzern, rod)), hole.depth + rod, konzern, tuple(metres), tuple(needs)
    )


# The board


def evolve(board: Board, fact: AnyFact) -> Board:
    """Apply a fact to the board."""
    return _EVOLVE[type(fact)](board, fact)


def _put(konzerne: tuple[Konzern, ...], at: int, konzern: Konzern) -> tuple[Konzern, ...]:
    return (*konzerne[:at], konzern, *konzerne[at + 1 :])


def _shuffled(board: Board, fact: Shuffled) -> Board:
    match fact.what:
        case "start":
            start = index_of(board, cast(Side, fact.order[0]))
            return replace(board, start=start, phase="season")
        case "kursfeld":
            drawn = cast(Feld, fact.order[0])
            return replace(board, kursfelder=(*board.kursfelder, drawn), phase="rods")
        case _ if board.phase == "pile":
            return replace(board, pile_count=len(DECK), phase="deal")
        case _:  # the played cards (DRILL-R10); their order is not needed here
            return replace(board, pile_count=len(board.discard), discard=())


def _resumed(board: Board, _fact: Resumed) -> Board:
    return replace(board, phase="season" if board.season < SEASONS else "over")


def _hand_dealt(board: Board, fact: HandDealt) -> Board:
    last = fact.konzern == board.konzerne[-1].name
    return replace(board, pile_count=board.pile_count - HAND, phase="start" if last else "deal")


def _season_started(board: Board, fact: SeasonStarted) -> Board:
    return replace(
        board,
        season=fact.number,
        start=index_of(board, fact.start),
        turn=0,
        phase="kursfeld" if board.options.mode == "ROHSTOFFE" else "rods",
    )


def _rods_sealed(board: Board, fact: RodsSealed) -> Board:
    at = index_of(board, fact.konzern)
    konzern = replace(board.konzerne[at], ready=True)
    return replace(board, konzerne=_put(board.konzerne, at, konzern))


def _rods_revealed(board: Board, fact: RodsRevealed) -> Board:
    konzerne = [
        replace(konzern, supply=rods_left(konzern.supply, rods), rods=rods, ready=False)
        for konzern, rods in zip(board.konzerne, fact.rods, strict=True)
    ]
    return replace(board, konzerne=tuple(konzerne), phase="turns")


def _spent(board: Board, fact: RodDrilled | TurnForfeited, holes: Holes) -> Board:
    """Take rod and card from a colour; by position, as this is most of all facts."""
    at = index_of(board, fact.konzern)
    k = board.konzerne[at]
    konzern = Konzern(k.name, k.seat, k.side, k.supply, without(k.rods, fact.rod), k.ready, k.score)
    return Board(
        board.options,
        _put(board.konzerne, at, konzern),
        "draw",
        board.season,
        board.start,
        board.turn,
        board.kursfelder,
        holes,
        board.pile_count,
        (*board.discard, fact.card),
        board.history,
    )


def _rod_drilled(board: Board, fact: RodDrilled) -> Board:
    at = hole_at(fact.feld, fact.square)
    holes = list(board.holes)
    holes[at] = drilled(holes[at], index_of(board, fact.konzern), fact.rod)
    return _spent(board, fact, tuple(holes))


def _turn_forfeited(board: Board, fact: TurnForfeited) -> Board:
    return _spent(board, fact, board.holes)


def _card_drawn(board: Board, _fact: CardDrawn) -> Board:
    turn = board.turn + 1
    over = turn == len(board.konzerne) * RODS_A_SEASON
    return Board(
        board.options,
        board.konzerne,
        "score" if over else "turns",
        board.season,
        board.start,
        turn,
        board.kursfelder,
        board.holes,
        board.pile_count - 1,
        board.discard,
        board.history,
    )


def _season_scored(board: Board, fact: SeasonScored) -> Board:
    konzerne = [
        replace(konzern, score=konzern.score + score)
        for konzern, score in zip(board.konzerne, fact.scores, strict=True)
    ]
    start = board.konzerne[board.start].name
    # What was scored is the fact; the rest of the line explains it.
    line = Season(start, kursfeld(board), replace(wertung_of(board), scores=fact.scores))
    return replace(board, konzerne=tuple(konzerne), phase="bilanz", history=(*board.history, line))


_EVOLVE: dict[type, Callable[[Board, Any], Board]] = {
    Shuffled: _shuffled,
    Resumed: _resumed,
    HandDealt: _hand_dealt,
    SeasonStarted: _season_started,
    RodsSealed: _rods_sealed,
    RodsRevealed: _rods_revealed,
    RodDrilled: _rod_drilled,
    TurnForfeited: _turn_forfeited,
    CardDrawn: _card_drawn,
    SeasonScored: _season_scored,
}


# What is held


def hold(held: Held, board: Board, fact: AnyFact) -> Held:
    """Apply a fact to hands and sealed choices; `board` may be that before or after the fact."""
    handler = _HOLD.get(type(fact))
    return held if handler is None else handler(held, board, fact)


def _with_hand(held: Held, at: int, hand: Cards) -> Held:
    hands = held.hands
    return Held((*hands[:at], hand, *hands[at + 1 :]), held.sealed)


def _hold_dealt(held: Held, board: Board, fact: HandDealt) -> Held:
    return _with_hand(held, index_of(board, fact.konzern), fact.cards)


def _hold_played(held: Held, board: Board, fact: RodDrilled | TurnForfeited) -> Held:
    at = index_of(board, fact.konzern)
    hand = held.hands[at]
    if fact.card not in hand:  # a hand that this reader does not see
        return held
    gone = hand.index(fact.card)
    return _with_hand(held, at, hand[:gone] + hand[gone + 1 :])


def _hold_drawn(held: Held, board: Board, fact: CardDrawn) -> Held:
    if not fact.card:
        return held
    at = index_of(board, fact.konzern)
    return _with_hand(held, at, (*held.hands[at], fact.card))


def _hold_sealed(held: Held, board: Board, fact: RodsSealed) -> Held:
    at = index_of(board, fact.konzern)
    sealed = held.sealed
    return Held(held.hands, (*sealed[:at], fact.rods, *sealed[at + 1 :]))


def _hold_revealed(held: Held, _board: Board, _fact: RodsRevealed) -> Held:
    return Held(held.hands, ((),) * len(held.sealed))


_HOLD: dict[type, Callable[[Held, Board, Any], Held]] = {
    HandDealt: _hold_dealt,
    RodDrilled: _hold_played,
    TurnForfeited: _hold_played,
    CardDrawn: _hold_drawn,
    RodsSealed: _hold_sealed,
    RodsRevealed: _hold_revealed,
}
