"""leicht and normal (RULES.md 5.10): they look at the board as it stands, and no move ahead.

leicht takes any rods, and every other time it drills just anywhere; otherwise it drills like
normal. normal spreads its rods evenly over the seasons and takes the move
after which it stands best if the season ended then; of equal ones that with the shortest rod, so
the long ones are there when a take-over needs them.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from contracts.views import Question
from domain.options import sample
from domain.speeddrill.legality import even
from domain.speeddrill.material import (
    FELDER,
    RODS_A_SEASON,
    SQUARE_COUNT,
    SQUARE_OF,
    Feld,
)
from domain.speeddrill.moves import ChooseRods, Drill, Move
from domain.speeddrill.rohstoffe import hole_score
from domain.speeddrill.scoring import ERDKERN, LIZENZ
from domain.speeddrill.state import Mode, index_of, on_turn
from domain.speeddrill.views import View
from services.bot.strategies.speeddrill.position import (
    DEPTH_MAX,
    METRES,
    METRES_MAX,
    Drilling,
    Stakes,
    lengths_of,
    position_of,
    weights_of,
)

_ONE_IN = 2
"""leicht looks at the board one time in so many."""


def leicht(view: View, question: Question, rng: Random) -> Move:
    """Give any rods, or a drill that is often any."""
    if question.kind == "rods" or rng.randrange(_ONE_IN):
        move: Move = sample(question.options, rng.randrange)
        return move
    return _best(view, rng)


def normal(view: View, question: Question, rng: Random) -> Move:
    """Give an even share of the rods, or the drill with the best standing."""
    if question.kind == "rods":
        konzern = view.board.konzerne[index_of(view.board, question.default.konzern)]
        return ChooseRods(konzern.name, even(konzern.supply, sum(konzern.supply) // RODS_A_SEASON))
    return _best(view, rng)


def _best(view: View, rng: Random) -> Drill:
    drillings = standings(view)
    best = max(drillings)[:2]
    equal = [drilling for drilling in drillings if drilling[:2] == best]
    return drill_of(view, equal[rng.randrange(len(equal))])


def standings(view: View) -> list[Drilling]:
    """Give every drill of the colour on turn, with what it changes if the season ended then."""
    board, seat = view.board, view.seat
    assert seat is not None
    at = on_turn(board)
    return position_of(board).drillings(
        at,
        squares_of(view, at),
        lengths_of(board.konzerne[at].rods),
        points_now(board.options.mode, view.kursfeld),
        weights_of(board, seat),
    )


def squares_of(view: View, at: int) -> dict[int, str]:
    """Give the squares that the hand of an own colour leads to, each with its card."""
    square_of = SQUARE_OF[view.board.konzerne[at].side]
    return {square_of[card]: card for card in view.held.hands[at]}


def drill_of(view: View, drilling: Drilling) -> Drill:
    """Give the move that makes a drill of the colour on turn."""
    _, minus_rod, hole = drilling
    card = squares_of(view, on_turn(view.board))[hole % SQUARE_COUNT]
    return Drill(card, -minus_rod * METRES, FELDER[hole // SQUARE_COUNT])


@lru_cache
def points_now(mode: Mode, kursfeld: Feld | None) -> Stakes:
    """Give the points of a season (RULES.md 5.5, 5.7)."""
    worths = tuple(
        [
            tuple(
                [
                    (points(mode, feld, depth, kursfeld),) * (METRES_MAX + 1)
                    for depth in range(DEPTH_MAX + 1)
                ]
            )
            for feld in FELDER
        ]
    )
    return Stakes(worths, LIZENZ, ERDKERN)


def points(mode: Mode, feld: Feld, depth: int, kursfeld: Feld | None) -> int:
    """Give what a hole of this depth (in 100 m) brings in a season."""
    return hole_score(feld, depth * METRES, kursfeld) if mode == "ROHSTOFFE" else 1
