"""How Speeddive is written in records: positions, moves and what may be expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, assert_never

from domain.kernel import AnyGame, Seat
from domain.records.notation import SEAT_LETTERS, Fields, WordError, seat_of
from domain.speeddive.game import Speeddive
from domain.speeddive.moves import ChooseTarget, Dive, Move, Surface
from domain.speeddive.position import card_of, position
from domain.speeddive.rules import DIVE, SURFACE
from domain.speeddive.scoring import cards_pending
from domain.speeddive.state import Options, RoundLine, State, pile_left
from domain.speeddive.views import view_of

_MOVES: dict[str, Move] = {"dive": DIVE, "tauchen": DIVE, "surface": SURFACE, "auftauchen": SURFACE}
_TARGET = ("target", "ziel")


class SpeeddiveNotation:
    """The records of Speeddive."""

    game: AnyGame = Speeddive()

    def card(self, word: str) -> str:
        """Give the name in code of a card."""
        return card_of(word)

    def move(self, words: tuple[str, ...]) -> Move:
        """Read `dive`, `surface` or `target SEAT`, in English or German."""
        if len(words) == 1 and words[0] in _MOVES:
            return _MOVES[words[0]]
        if len(words) == 2 and words[0] in _TARGET:  # noqa: PLR2004 - a word and a seat
            seat = seat_of(words[1], len(SEAT_LETTERS))
            if seat is not None:
                return ChooseTarget(seat)
        raise WordError(
            f"{' '.join(words)!r} is no move; write dive (tauchen), surface (auftauchen)"
            " or target SEAT (ziel SEAT)"
        )

    def written(self, move: Move) -> str:
        """Write a move."""
        match move:
            case Dive():
                return "dive"
            case Surface():
                return "surface"
            case ChooseTarget(target):
                return f"target {SEAT_LETTERS[target]}"
            case _:
                assert_never(move)

    def position(self, options: Options, seats: int, setup: Fields) -> State:
        """Build a position from a set-up."""
        return position(options, seats, setup)

    def look(self, state: State) -> Mapping[str, Any]:
        """Give what may be expected: the board, the pile and all that a view counts."""
        board = state.board
        view = view_of(board, None)
        look: dict[str, Any] = {
            "phase": board.phase,
            "round": board.round,
            "tie_break": board.tie_break,
            "dealer": _letter(board.dealer),
            "turn": _letter(view.turn),
            "pile": pile_left(state),
            "pile_count": board.pile_count,
            "discard": Counter(board.discard),
            "pending": Counter(cards_pending(board)),
            "left": view.left,
            "rounds": {str(n): _line(line) for n, line in enumerate(board.history, 1)},
        }
        for seat, diver in enumerate(board.divers):
            look[SEAT_LETTERS[seat]] = {
                "status": diver.status,
                "spur": diver.spur,
                "beside": Counter(diver.beside),
                "bottle": diver.reserveflasche,
                "dealt": diver.dealt,
                "total": diver.total,
                "score": view.scores[seat],
                "luftmesser": view.luftmesser[seat],
            }
        return look


def _letter(seat: Seat | None) -> str | None:
    return None if seat is None else SEAT_LETTERS[seat]


def _line(line: RoundLine) -> dict[str, Any]:
    return {
        "dealer": _letter(line.dealer),
        "scores": line.scores,
        "schatzkammer": _letter(line.schatzkammer),
        "out": tuple(SEAT_LETTERS[seat] for seat in line.out),
        "tie_break": line.tie_break,
    }
