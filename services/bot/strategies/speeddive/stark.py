"""Speeddive "stark" (RULES.md 2.10): counts every card and plays for the game, not for points.

Every choice is weighed by the chance to win that `wins` gives for the totals after this round:
bold behind, careful ahead. What the others will have when the round is over is reckoned with the
cards that can come, as if they dived like normal; the own dives are looked ahead.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from contracts.views import Question
from domain.kernel import Seat
from domain.speeddive.cards import ENTERHAKEN, FORCED_DRAWS, LETZTER_ATEMZUG, STROEMUNG
from domain.speeddive.effects import without
from domain.speeddive.moves import (
    ChargeDiver,
    ChooseCard,
    ChooseTarget,
    Dive,
    Move,
    Surface,
    SwapCards,
    TakeBonus,
)
from domain.speeddive.scoring import round_score
from domain.speeddive.state import Board, Diver, GiveCards
from domain.speeddive.views import View
from services.bot.strategies.speeddive import deeper, klassisch
from services.bot.strategies.speeddive.course import (
    Course,
    Dives,
    Ends,
    Sea,
    course_of,
    ends,
    sea_of,
)
from services.bot.strategies.speeddive.standing import Worth

VERSION = 2
_DEPTH = 3
"""Own draws that are looked ahead."""
_CLEAR = 4
"""Who may gain so many times what he may lose just dives."""
_FEW = 8
"""With fewer cards in the pile only the next one is looked at."""
_CANDIDATES = 6
"""Open cards and swaps that are weighed for the game: the best on points."""


class Scene(NamedTuple):
    """What the asked diver weighs with.

    `next_sea` can give the next card, `sea` those after it. `seed` makes samples the same for all
    his choices; `known` keeps what a round brings to divers who stand alike.
    """

    board: Board
    seat: Seat
    sea: Sea
    next_sea: Sea
    sight: deeper.Sight
    seed: int
    known: dict[tuple[Course, int, bool], Ends]


def choose(view: View, question: Question, rng: Random) -> Move:
    """Give the move of a diver who is asked anything."""
    scene = scene_of(view, rng)
    if question.kind == "dive":
        return _dive_or_surface(scene) if len(question.options.moves) > 1 else Dive()
    moves = candidates(scene, question)
    rng.shuffle(moves)  # so that among equals nobody is picked on because of his seat
    best: Move = max(moves, key=lambda move: chance_after(scene, move))
    return best


def candidates(scene: Scene, question: Question) -> list[Any]:
    """Give the moves that are weighed: all, or where they are many the best on points."""
    if question.kind == "swap":
        return list(deeper.best_swaps(scene.sight, question, _CANDIDATES))
    moves: list[Any] = list(question.options.moves)
    if question.kind == "card":
        moves.sort(key=lambda move: -deeper.take_worth(scene.sight, move))
        del moves[_CANDIDATES:]
    return moves


def counts_of(view: View) -> tuple[Mapping[str, int], int]:
    """Count the cards that can come next: of each, and all."""
    return klassisch.sea_of(view)


def scene_of(view: View, rng: Random) -> Scene:
    """Look at the table."""
    assert view.seat is not None
    counts, total = counts_of(view)
    board = view.board
    next_sea = sea = sea_of(counts, total, board.options)
    if total < _FEW:  # the discard pile will be shuffled soon
        sea = sea_of(*klassisch.open_sea(view), board.options)
    sight = deeper.Sight(board, view.seat, counts, total)
    return Scene(board, view.seat, sea, next_sea, sight, rng.getrandbits(32), {})


def _dive_or_surface(scene: Scene) -> Move:
    board = scene.board
    diver = board.divers[scene.seat]
    mine = course_of(diver, scene.next_sea, board.options)
    have = mine.points[mine.sum]
    if diver.total + have < board.options.target and mine.fresh > _CLEAR * mine.risky * have:
        return Dive()
    now, deeper_down = dive_chances(scene)
    return Dive() if deeper_down >= now else Surface()


def dive_chances(scene: Scene) -> tuple[float, float]:
    """Give the chances to win of who surfaces, and of who dives on."""
    board, seat = scene.board, scene.seat
    mine = course_of(board.divers[seat], scene.next_sea, board.options)
    worth = _worth(scene, {})
    depth = _DEPTH if scene.sea is scene.next_sea else 1
    return worth[mine.points[mine.sum]], Dives(mine, scene.next_sea, worth).draw(depth)


def chance_after(scene: Scene, move: Any) -> float:
    """Give the chance to win after a choice that is no dive."""
    board, seat, options = scene.board, scene.seat, scene.board.options
    divers = board.divers
    changed: dict[Seat, Ends] = {}
    match move:
        case ChooseTarget(target):
            changed[target] = _hit(scene, target)
        case ChooseCard(target, card):
            changed[target] = _ends(scene, target, without(divers[target], card))
            frame = board.frames[-1]
            if isinstance(frame, GiveCards) and frame.cards[0] == ENTERHAKEN:
                changed[seat] = _ends(scene, seat, deeper.with_card(divers[seat], card))
        case SwapCards(one, x, two, y):
            changed[one] = _ends(scene, one, deeper.with_card(without(divers[one], x), y))
            changed[two] = _ends(scene, two, deeper.with_card(without(divers[two], y), x))
        case TakeBonus():
            changed[seat] = {round_score(divers[seat], options) + 15: 1.0}
        case ChargeDiver(target):
            changed[target] = {round_score(divers[target], options) - 15: 1.0}
        case _:
            raise TypeError(move)
    worth = _worth(scene, changed)
    mine = changed.get(seat) or _ends(scene, seat, divers[seat])
    chance = 0.0
    for points, share in mine.items():
        chance += share * worth[points]
    return chance


def _hit(scene: Scene, seat: Seat) -> Ends:
    """Give what the round brings a diver when the card that waits for a target hits him."""
    frame, diver = scene.board.frames[-1], scene.board.divers[seat]
    if not isinstance(frame, GiveCards):
        return _ends(scene, seat, replace(diver, reserveflasche=True))
    card = frame.cards[len(frame.targets)]
    if card in FORCED_DRAWS:
        return _known(scene, seat, diver, FORCED_DRAWS[card])
    if card == LETZTER_ATEMZUG:
        return _known(scene, seat, diver, 1, stops=True)
    if card == STROEMUNG:
        return _known(scene, seat, diver, stops=True)
    return _ends(scene, seat, deeper.with_card(diver, card))


def _ends(scene: Scene, seat: Seat, diver: Diver) -> Ends:
    """Give what the round brings a diver; once the Schatzkammer is open, what he has."""
    options = scene.board.options
    over = any(each.status == "TREASURE" for each in scene.board.divers)
    if over or diver.status in {"OUT", "TREASURE"}:
        return {round_score(diver, options): 1.0}
    return _known(scene, seat, diver)


def _known(scene: Scene, seat: Seat, diver: Diver, forced: int = 0, *, stops: bool = False) -> Ends:
    enough = klassisch.enough(scene.board, seat)
    course = course_of(diver, scene.sea, scene.board.options, enough)
    key = (course, forced, stops)
    known = scene.known.get(key)
    if known is None:
        known = scene.known[key] = ends(course, scene.sea, forced, stops=stops)
    return known


def _worth(scene: Scene, changed: dict[Seat, Ends]) -> Worth:
    board, seat = scene.board, scene.seat
    table: list[Ends] = [
        {} if other == seat else changed.get(other) or _ends(scene, other, diver)
        for other, diver in enumerate(board.divers)
    ]
    return Worth(board, seat, table, Random(scene.seed))  # noqa: S311 - no secret
