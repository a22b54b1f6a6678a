"""How Speeddrill is written in records: positions, moves and what may be expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, assert_never, cast

from domain.kernel import AnyGame
from domain.records.notation import SEAT_LETTERS, Fields, WordError
from domain.speeddrill.game import Speeddrill
from domain.speeddrill.material import FELDER, LENGTHS, SIDES, SQUARE_COUNT, SQUARES, Side
from domain.speeddrill.moves import ChooseRods, Drill, Move, PickRods
from domain.speeddrill.position import card_of, position, rods_of
from domain.speeddrill.scoring import FeldBilanz
from domain.speeddrill.state import Board, Bohrloch, Options, Season, State, pile_left
from domain.speeddrill.views import View, view_of

_RODS = ("rods", "gestaenge", "gestänge")
_DRILL = ("drill", "bohren")


class SpeeddrillNotation:
    """The records of Speeddrill."""

    game: AnyGame = Speeddrill()

    def card(self, word: str) -> str:
        """Give the name in code of a card or a colour."""
        return card_of(word)

    def move(self, words: tuple[str, ...]) -> Move:
        """Read `rods COLOUR RODS` or `drill CARD ROD FIELD`, in English or German."""
        try:
            match words:
                case (verb, name, *rods) if verb in _RODS and card_of(name) in SIDES:
                    return ChooseRods(cast(Side, card_of(name)), rods_of(tuple(rods)))
                case (verb, card, rod, feld) if verb in _DRILL and feld in FELDER:
                    if card_of(card) in SQUARES and rod.isdecimal():
                        return Drill(card_of(card), int(rod), feld)
                case _:
                    pass
        except ValueError as error:
            raise WordError(str(error)) from None
        raise WordError(
            f"{' '.join(words)!r} is no move; write rods COLOUR 3x100 2x200 1x400 (gestaenge ...)"
            " or drill CARD ROD FIELD (bohren ...), such as drill UL 300 Texas"
        )

    def written(self, move: Move | PickRods) -> str:
        """Write a move, or what may be picked."""
        match move:
            case ChooseRods(konzern, rods):
                return f"rods {konzern} {' '.join(_written(rods))}"
            case Drill(card, rod, feld):
                return f"drill {card} {rod} {feld}"
            case PickRods(konzern, supply, count):
                return f"rods {konzern}: {count} of {' '.join(_written(supply))}"
            case _:
                assert_never(move)

    def position(self, options: Options, seats: int, setup: Fields) -> State:
        """Build a position from a set-up."""
        return position(options, seats, setup)

    def look(self, state: State) -> Mapping[str, Any]:
        """Give what may be expected: the board, all cards, and all that a view reckons."""
        board = state.board
        view = view_of(board, state.held, None)
        look: dict[str, Any] = {
            "phase": board.phase,
            "season": board.season,
            "cycle": tuple(konzern.name for konzern in board.konzerne),
            "start": board.konzerne[board.start].name,
            "turn": view.turn,
            "turns": board.turn,
            "kursfeld": view.kursfeld,
            "pile": pile_left(state),
            "pile_count": board.pile_count,
            "discard": Counter(board.discard),
            "erdkern": view.jetzt.erdkern,
            "totals": view.totals,
            "now": view.jetzt.scores,
            "seasons": {str(n): _season(line) for n, line in enumerate(board.history, 1)},
        }
        for at, konzern in enumerate(board.konzerne):
            look[konzern.name] = {
                "seat": SEAT_LETTERS[konzern.seat],
                "side": konzern.side,
                "hand": state.held.hands[at],
                "rods": _written(konzern.rods),
                "supply": _written(konzern.supply),
                "ready": konzern.ready,
                "score": konzern.score,
                "now": view.jetzt.scores[at],
                "holes": sum(feld.towers[at] for feld in view.felder),
            }
        for n, feld in enumerate(view.felder):
            holes = board.holes[n * SQUARE_COUNT : (n + 1) * SQUARE_COUNT]
            look[feld.name] = _feld(board, feld, holes, view)
        return look


def _written(rods: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(f"{n}x{length}" for n, length in zip(rods, LENGTHS, strict=True) if n)


def _feld(
    board: Board, feld: FeldBilanz, holes: tuple[Bohrloch, ...], view: View
) -> dict[str, Any]:
    names = [konzern.name for konzern in board.konzerne]
    look: dict[str, Any] = {
        "lizenz": feld.lizenz,
        "deepest": feld.deepest,
        "to_erdkern": feld.to_erdkern,
        "towers": feld.towers,
        "metres": feld.metres,
    }
    rohstoff = view.rohstoffe.get(feld.name)
    if rohstoff:
        look["layer"], look["value"] = rohstoff.layer, rohstoff.value
    for square, hole in zip(SQUARES, holes, strict=True):
        look[square] = {
            "owner": None if hole.owner is None else names[hole.owner],
            "depth": hole.depth,
            "rods": tuple(f"{names[rod.konzern]} {rod.metres}" for rod in hole.rods),
            "metres": hole.metres[: len(names)],
            "needs": hole.needs[: len(names)],
        }
    return look


def _season(line: Season) -> dict[str, Any]:
    return {
        "start": line.start,
        "kursfeld": line.kursfeld,
        "erdkern": line.wertung.erdkern,
        "lizenzen": tuple(name or "nobody" for name in line.wertung.lizenzen),
        "holes": line.wertung.holes,
        "scores": line.wertung.scores,
    }
