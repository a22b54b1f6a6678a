"""Fields, the score of a season and the ranking (RULES.md 5.5 to 5.7), all from the open board."""

from __future__ import annotations

from msgspec import Struct

from domain.kernel import Seat
from domain.speeddrill.material import FELDER, SQUARE_COUNT, Feld, Side
from domain.speeddrill.rohstoffe import hole_score
from domain.speeddrill.state import Board, Holes, Wertung, kursfeld

ERDKERN = 3
LIZENZ = 2


class FeldBilanz(Struct, frozen=True, gc=False):
    """What a field amounts to; `towers` and `metres` have one entry for each colour in turn order.

    `towers`: holes that it owns here; `metres`: what it has drilled here, in foreign holes too.
    `to_erdkern`: the deepest hole of the board minus the deepest one here (DRILL-A10).
    """

    name: Feld
    towers: tuple[int, ...]
    lizenz: Side | None
    deepest: int
    to_erdkern: int
    metres: tuple[int, ...]


def felder_of(board: Board) -> tuple[FeldBilanz, ...]:
    """Give the six fields in the order of FELDER."""
    count = len(board.konzerne)
    erdkern = max([hole.depth for hole in board.holes])
    felder = []
    for at, feld in enumerate(FELDER):
        towers, metres = [0] * count, [0] * count
        deepest = 0
        for hole in board.holes[at * SQUARE_COUNT : (at + 1) * SQUARE_COUNT]:
            if hole.owner is None:
                continue
            towers[hole.owner] += 1
            deepest = max(deepest, hole.depth)
            for rod in hole.rods:
                metres[rod.konzern] += rod.metres
        lizenz = _alone(board, towers)
        felder.append(
            FeldBilanz(feld, tuple(towers), lizenz, deepest, erdkern - deepest, tuple(metres))
        )
    return tuple(felder)


def _alone(board: Board, towers: list[int]) -> Side | None:
    """Give the colour with most towers; None if there are none or the most are shared (A16)."""
    most = max(towers)
    return board.konzerne[towers.index(most)].name if most and towers.count(most) == 1 else None


def wertung_of(board: Board) -> Wertung:
    """Score the season as if it ended now."""
    felder = felder_of(board)
    return wertung(board, felder)


def wertung(board: Board, felder: tuple[FeldBilanz, ...]) -> Wertung:
    """Score the season as if it ended now, from fields that are reckoned already."""
    konzerne = board.konzerne
    erdkern = _erdkern(board)
    lizenzen = tuple([feld.lizenz for feld in felder])
    if board.options.mode == "ROHSTOFFE":
        holes = _rohstoffe(board)
    else:
        holes = [0] * len(konzerne)
        for feld in felder:
            for n, towers in enumerate(feld.towers):
                holes[n] += towers
    scores = [
        points + ERDKERN * (konzern.name == erdkern) + LIZENZ * lizenzen.count(konzern.name)
        for konzern, points in zip(konzerne, holes, strict=True)
    ]
    return Wertung(erdkern, lizenzen, tuple(holes), tuple(scores))


def _erdkern(board: Board) -> Side | None:
    """Give the owner of the deepest hole; nobody if two are as deep, even of one colour."""
    depths = [hole.depth for hole in board.holes]
    deepest = max(depths)
    if depths.count(deepest) > 1:
        return None
    owner = board.holes[depths.index(deepest)].owner
    return None if owner is None else board.konzerne[owner].name


def _rohstoffe(board: Board) -> list[int]:
    scores = [0] * len(board.konzerne)
    doubled = kursfeld(board)
    for at, hole in enumerate(board.holes):
        if hole.owner is not None:
            scores[hole.owner] += hole_score(FELDER[at // SQUARE_COUNT], hole.depth, doubled)
    return scores


def totals_of(board: Board) -> tuple[int, ...]:
    """Give the points of each seat: with two players the sum of both colours."""
    totals = [0] * (1 + max([konzern.seat for konzern in board.konzerne]))
    for konzern in board.konzerne:
        totals[konzern.seat] += konzern.score
    return tuple(totals)


def strengths_of(board: Board) -> tuple[tuple[int, int, int], ...]:
    """Give what ranks each seat: points, deepest own hole, number of own holes (R11, A17)."""
    totals = totals_of(board)
    return tuple(
        [
            (total, *_holes(board.holes, _played_by(board, seat)))
            for seat, total in enumerate(totals)
        ]
    )


def _played_by(board: Board, seat: Seat) -> frozenset[int]:
    return frozenset(n for n, konzern in enumerate(board.konzerne) if konzern.seat == seat)


def _holes(holes: Holes, owners: frozenset[int]) -> tuple[int, int]:
    depths = [hole.depth for hole in holes if hole.owner in owners]
    return max(depths, default=0), len(depths)


def leaderboard_base(board: Board) -> tuple[int, ...]:
    """Give what the place bonus is added to: in ROHSTOFFE 0.6 of the points, half up (R12, A13)."""
    totals = totals_of(board)
    if board.options.mode == "ROHSTOFFE":
        return tuple([(6 * total + 5) // 10 for total in totals])
    return totals
