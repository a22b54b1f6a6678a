"""stark (RULES.md 5.10): large rods early, and its best moves against imagined replies.

A hole scores in every season that is left, so large rods, which take holes and hold them, pay
most if they come early; yet the 400s are kept back in season 1 as the rules say.

For a drill it takes the most promising ones, deals the others' cards anew from those it has not
seen, and lets everybody reply once, itself last, each with what gains his seat most. What counts
are the points of this season, and those that the holes bring until the end. All candidates face
the same cards; after a few deals the worse half goes, until one is left (successive halving).
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from contracts.views import Question
from domain.speeddrill.material import (
    DECK,
    FELDER,
    HAND,
    RODS_A_SEASON,
    SEASONS,
    SQUARE_COUNT,
    SQUARE_OF,
    Feld,
    without,
)
from domain.speeddrill.moves import ChooseRods, Move
from domain.speeddrill.scoring import ERDKERN, LIZENZ
from domain.speeddrill.state import Konzern, Mode, index_of, on_turn
from domain.speeddrill.views import View
from services.bot.strategies.speeddrill.greedy import drill_of, points, squares_of
from services.bot.strategies.speeddrill.position import (
    DEPTH_MAX,
    METRES,
    Drilling,
    Position,
    Stakes,
    lengths_of,
    position_of,
    weights_of,
)

_CANDIDATES = 20
_DEALS = 5
"""How many drills are tried, and against how many deals before the worse half goes.

20, 10, 5, 3 and 2 candidates against 5 deals each are at most 200 playouts for a decision.
"""
_NOW = 20
"""What a point counts this season."""
_LATER = (0, 15, 26, 35)
"""What a point counts in all seasons that are left: three quarters of the holes stay each time."""
_TOWARDS_LIZENZ = 1
"""Points that a hole brings in a later season beside its own, towards a licence."""
_FIRST_SEASON = (2, 1, 0, 3)
_LATER_SEASONS = (3, 2, 1, 0)
"""In which order the lengths are taken: the longest first, in season 1 the 400s last."""


def stark(view: View, question: Question, rng: Random) -> Move:
    """Give the rods of the plan, or the drill that does best against imagined replies."""
    board = view.board
    if question.kind == "rods":
        konzern = board.konzerne[index_of(board, question.default.konzern)]
        return _rods(konzern, board.season)
    lookahead = _Lookahead(view)
    lines = lookahead.lines()
    while len(lines) > 1 and lookahead.turns:
        for _ in range(_DEALS):
            lookahead.redeal(rng)
            for line in lines:
                line.total += lookahead.playout(line)
        lines.sort(key=lambda line: -line.total)
        del lines[(len(lines) + 1) // 2 :]
    return drill_of(view, lines[0].drilling)


def _rods(konzern: Konzern, season: int) -> ChooseRods:
    rods = [0] * len(konzern.supply)
    for length in _FIRST_SEASON if season == 1 else _LATER_SEASONS:
        rods[length] = min(konzern.supply[length], RODS_A_SEASON - sum(rods))
    return ChooseRods(konzern.name, tuple(rods))


class _Line:
    """A candidate: the board after it, the rods and the squares that it keeps, its playouts."""

    __slots__ = ("drilling", "gain", "position", "rods", "squares", "total")

    def __init__(
        self, drilling: Drilling, position: Position, rods: tuple[int, ...], squares: list[int]
    ) -> None:
        self.drilling = drilling
        self.gain = drilling[0]
        self.position = position
        self.rods = rods
        self.squares = squares
        self.total = 0


class _Lookahead:
    """What all candidates of a decision share; `turns` are the colours that reply, in order."""

    def __init__(self, view: View) -> None:
        board = view.board
        self.view = view
        self.at = on_turn(board)
        count = len(board.konzerne)
        left = count * RODS_A_SEASON - board.turn - 1
        self.turns = [(self.at + n) % count for n in range(1, count + 1)][:left]
        self.stakes = _stakes(board.options.mode, view.kursfeld, SEASONS - board.season)
        self.weights = [weights_of(board, konzern.seat) for konzern in board.konzerne]
        self.rods = [lengths_of(konzern.rods) for konzern in board.konzerne]
        self.square_of = [SQUARE_OF[konzern.side] for konzern in board.konzerne]
        self.unseen = list(DECK)
        for cards in (board.discard, *view.held.hands):
            for card in cards:
                self.unseen.remove(card)
        self.squares: list[list[int]] = [[] for _ in board.konzerne]
        self.new = 0

    def lines(self) -> list[_Line]:
        """Give the candidates, the most promising first."""
        at, mine = self.at, self.weights[self.at]
        start = position_of(self.view.board)
        rods = self.view.board.konzerne[at].rods
        squares = squares_of(self.view, at)
        drillings = start.drillings(at, squares, self.rods[at], self.stakes, mine)
        drillings.sort(reverse=True)
        lines = []
        for drilling in drillings[:_CANDIDATES]:
            _, minus_rod, hole = drilling
            position = start.copy()
            position.drill(at, hole, -minus_rod, self.stakes, mine)
            cards = list(self.view.held.hands[at])
            cards.remove(squares[hole % SQUARE_COUNT])
            kept = lengths_of(without(rods, -minus_rod * METRES))
            lines.append(
                _Line(drilling, position, kept, [self.square_of[at][card] for card in cards])
            )
        return lines

    def redeal(self, rng: Random) -> None:
        """Deal every hand that the seat does not see, and itself a new card."""
        rng.shuffle(self.unseen)
        dealt = 0
        for colour, seen in enumerate(self.view.held.hands):
            hand = seen or self.unseen[dealt : dealt + HAND]
            dealt += 0 if seen else HAND
            square_of = self.square_of[colour]
            self.squares[colour] = list(dict.fromkeys([square_of[card] for card in hand]))
        self.new = self.square_of[self.at][self.unseen[-1]]

    def playout(self, line: _Line) -> int:
        """Let everybody reply once, and give what the candidate and the replies gain the seat."""
        position = line.position.copy()
        stakes, mine = self.stakes, self.weights[self.at]
        total = line.gain
        for colour in self.turns:
            squares, rods = self.squares[colour], self.rods[colour]
            if colour == self.at:
                squares, rods = list(dict.fromkeys((*line.squares, self.new))), line.rods
            drillings = position.drillings(
                colour, squares, rods, stakes, self.weights[colour], all_rods=False
            )
            if drillings:
                _, minus_rod, hole = max(drillings)
                total += position.drill(colour, hole, -minus_rod, stakes, mine)
        return total


@lru_cache
def _stakes(mode: Mode, kursfeld: Feld | None, seasons_left: int) -> Stakes:
    worths = [
        tuple(
            [
                _NOW * points(mode, feld, depth, kursfeld)
                + _LATER[seasons_left] * (points(mode, feld, depth, None) + _TOWARDS_LIZENZ)
                for depth in range(DEPTH_MAX + 1)
            ]
        )
        for feld in FELDER
    ]
    return Stakes(tuple(worths), _NOW * LIZENZ, _NOW * ERDKERN)
