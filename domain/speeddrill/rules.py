"""Who is asked, what he may answer and what nobody chooses (RULES.md 5.4 and 5.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from domain.kernel import Ask, AskAll, Chance, Over, Pause, Waiting, ranked
from domain.speeddrill.events import (
    CardDrawn,
    FactOfSpeeddrill,
    HandDealt,
    RodDrilled,
    RodsRevealed,
    RodsSealed,
    SeasonScored,
    SeasonStarted,
    TurnForfeited,
)
from domain.speeddrill.legality import can_drill, choices, drills
from domain.speeddrill.material import (
    DECK,
    FELDER,
    HAND,
    LENGTHS,
    SEASONS,
    SQUARE_OF,
    canonical,
)
from domain.speeddrill.moves import ChooseRods, Drill, Move
from domain.speeddrill.scoring import leaderboard_base, strengths_of, totals_of, wertung_of
from domain.speeddrill.state import Board, State, on_turn


def waiting(state: State) -> Waiting[Move]:
    """Say who is awaited when nothing is forced."""
    board = state.board
    match board.phase:
        case "turns":
            return _ask_drill(state)
        case "rods":
            return _ask_rods(board)
        case "bilanz":
            return Pause("saisonbilanz")
        case "over":
            totals = totals_of(board)
            return Over(ranked(strengths_of(board)), totals, leaderboard_base(board))
        case _:
            return _chance(board)


def _chance(board: Board) -> Chance:
    match board.phase:
        case "start":  # among all colours, also with two players (DRILL-R04, A20)
            return Chance("start", tuple([konzern.name for konzern in board.konzerne]))
        case "kursfeld":  # each field at most once (DRILL-R14, A09)
            return Chance("kursfeld", tuple([f for f in FELDER if f not in board.kursfelder]))
        case "pile":
            return Chance("pile", DECK)
        case _:  # a card must come and the pile is empty (DRILL-R10)
            return Chance("pile", canonical(board.discard))


def _ask_rods(board: Board) -> AskAll[Move]:
    asks: list[Ask[Move]] = []
    for at, konzern in enumerate(board.konzerne):
        if not konzern.ready:
            options, default = choices(board, at)
            asks.append(Ask(konzern.seat, "rods", options, default, "rods", konzern.name))
    return AskAll(tuple(asks))


def _ask_drill(state: State) -> Ask[Move]:
    board = state.board
    at = on_turn(board)
    konzern = board.konzerne[at]
    options, default = drills(board, at, state.held.hands[at])
    return Ask(konzern.seat, "drill", options, default, "turn", konzern.name)


def decide(state: State, ask: Ask[Move], move: Move) -> FactOfSpeeddrill:
    """Give the fact that follows from a legal answer."""
    match move:
        case ChooseRods(konzern, rods):
            return RodsSealed(ask.seat, konzern, rods)
        case Drill(card, rod, feld):
            konzerne = state.board.konzerne
            konzern_on_turn = konzerne[on_turn(state.board)]
            square = SQUARE_OF[konzern_on_turn.side][card]
            return RodDrilled(konzern_on_turn.name, card, rod, feld, square)
        case _:
            assert_never(move)


def forced(state: State) -> FactOfSpeeddrill | None:
    """Give the next consequence that nobody chooses; None also when the house must shuffle."""
    consequence = _FORCED.get(state.board.phase)
    return consequence(state) if consequence else None


def _deal(state: State) -> HandDealt:
    # Order: in turn order, four cards at once.
    at = (len(DECK) - state.board.pile_count) // HAND
    konzern = state.board.konzerne[at]
    first = len(state.pile) - state.board.pile_count
    return HandDealt(konzern.seat, konzern.name, state.pile[first : first + HAND])


def _season(state: State) -> SeasonStarted:
    board = state.board
    # The first colour was drawn, then the next in turn order starts (DRILL-R05).
    start = (board.start + (board.season > 0)) % len(board.konzerne)
    return SeasonStarted(board.season + 1, board.konzerne[start].name)


def _reveal(state: State) -> RodsRevealed | None:
    konzerne = state.board.konzerne
    if state.board.season == SEASONS:  # the rest, without a question (DRILL-R06)
        return RodsRevealed(tuple([konzern.supply for konzern in konzerne]))
    if all(konzern.ready for konzern in konzerne):
        return RodsRevealed(state.held.sealed)
    return None


def _forfeit(state: State) -> TurnForfeited | None:
    board = state.board
    at = on_turn(board)
    hand = state.held.hands[at]
    if can_drill(board, at, hand):
        return None
    konzern = board.konzerne[at]
    # The first card of the hand (A06), the shortest of the rods of this season (A15).
    shortest = next(length for length, n in zip(LENGTHS, konzern.rods, strict=True) if n)
    return TurnForfeited(konzern.name, hand[0], shortest)


def _draw(state: State) -> CardDrawn | None:
    board = state.board
    if not board.pile_count:
        return None
    konzern = board.konzerne[on_turn(board)]
    return CardDrawn(konzern.seat, konzern.name, state.pile[-board.pile_count])


def _score(state: State) -> SeasonScored:
    return SeasonScored(wertung_of(state.board).scores)


_FORCED: dict[str, Callable[[State], FactOfSpeeddrill | None]] = {
    "deal": _deal,
    "season": _season,
    "rods": _reveal,
    "turns": _forfeit,
    "draw": _draw,
    "score": _score,
}
