"""Why a move is good, in one German sentence with numbers that the board shows."""

from __future__ import annotations

from typing import Any

from contracts.views import Question
from domain.kernel import Seat
from domain.speeddrill.evolve import hole_at
from domain.speeddrill.material import LENGTHS, SEASONS, SQUARE_COUNT, SQUARE_OF, Side
from domain.speeddrill.moves import ChooseRods, Drill
from domain.speeddrill.state import index_of, on_turn
from domain.speeddrill.views import View
from services.bot.strategies.german import with_points
from services.bot.strategies.speeddrill.greedy import points_now
from services.bot.strategies.speeddrill.position import HOLDER, METRES, NOBODY, position_of

_LONGEST = 400


def reason(view: View, _question: Question, move: Any) -> str:
    """Give the sentence for a choice of rods or a drill, to the player of the view's seat."""
    match move:
        case ChooseRods():
            return _rods(view, move)
        case Drill():
            return f"Endete die Saison danach, {_standing(view, move)}: {_effect(view, move)}."
    return ""


def _rods(view: View, move: ChooseRods) -> str:
    board = view.board
    supply = board.konzerne[index_of(board, move.konzern)].supply
    metres, there = [
        sum([length * count for length, count in zip(LENGTHS, rods, strict=True)])
        for rods in (move.rods, supply)
    ]
    kept = supply[-1] - move.rods[-1]
    keeps = f"{kept} × {_LONGEST} m für Übernahmen" if kept else f"kein {_LONGEST}-m-Gestänge"
    scorings = SEASONS + 1 - board.season
    return (
        f"So bohrst du diese Saison {metres} von noch {there} m und behältst {keeps}: "
        f"ein Loch von jetzt kann noch {scorings}-mal zählen."
    )


def _standing(view: View, move: Drill) -> str:
    """Tell where the seat would stand in the game against the best other one."""
    board, seat = view.board, view.seat
    assert seat is not None
    totals = [
        total
        + sum(
            [
                score
                for konzern, score in zip(board.konzerne, view.jetzt.scores, strict=True)
                if konzern.seat == each
            ]
        )
        + _gain(view, move, each)
        for each, total in enumerate(view.totals)
    ]
    mine = totals[seat]
    rival = max(
        [each for each in range(len(totals)) if each != seat], key=lambda each: totals[each]
    )
    name = _name(next(konzern.name for konzern in board.konzerne if konzern.seat == rival))
    lead = mine - totals[rival]
    where = (
        f"gleichauf mit {name}"
        if not lead
        else f"{abs(lead)} {'vor' if lead > 0 else 'hinter'} {name}"
    )
    return f"stündest du bei {with_points(mine)}, {where}"


def _gain(view: View, move: Drill, seat: Seat) -> int:
    """Give what the drill changes for a seat if the season ended then."""
    board = view.board
    weights = (*[int(konzern.seat == seat) for konzern in board.konzerne], 0)
    stakes = points_now(board.options.mode, view.kursfeld)
    return position_of(board).drill(
        on_turn(board), _hole(view, move), move.rod // METRES, stakes, weights
    )


def _effect(view: View, move: Drill) -> str:
    """Tell what becomes of the hole, and what it brings."""
    board = view.board
    at, hole = on_turn(board), _hole(view, move)
    before, after = position_of(board), position_of(board)
    after.drill(
        at, hole, move.rod // METRES, points_now(board.options.mode, view.kursfeld), (0,) * 5
    )
    names = [_name(konzern.name) for konzern in board.konzerne]
    owner, depth = before.owner[hole], after.depth[hole] * METRES
    there = f"auf dem Feld {move.feld}"
    if owner == NOBODY:
        effects = [f"{there} bekommst du ein neues Loch von {depth} m"]
    elif owner == at:
        effects = [f"{there} vertiefst du dein Loch auf {depth} m"]
    else:
        effects = [f"{there} übernimmst du das Loch von {names[owner]} (dann {depth} m)"]
    feld = hole // SQUARE_COUNT
    had, has = HOLDER[before.codes[feld]], HOLDER[after.codes[feld]]
    if has == at != had:
        effects.append("hast dort die Förderlizenz")
    elif had not in {at, has, NOBODY}:
        effects.append(f"nimmst {names[had]} die Förderlizenz")
    if after.erdkern == at != before.erdkern:
        effects.append("holst die Erdkern-Prämie")
    rohstoff = view.rohstoffe.get(move.feld)
    if rohstoff and before.depth[hole] * METRES < rohstoff.layer <= depth:
        effects.append(f"erreichst {rohstoff.name} ab {rohstoff.layer} m")
    *first, last = effects
    return f"{', '.join(first)} und {last}" if first else last


def _hole(view: View, move: Drill) -> int:
    side = view.board.konzerne[on_turn(view.board)].side
    return hole_at(move.feld, SQUARE_OF[side][move.card])


def _name(side: Side) -> str:
    return "Süd" if side == "Sued" else side
