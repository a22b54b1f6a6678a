"""How Speeddive is written in records: positions, moves and what may be expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, assert_never

from domain.kernel import AnyGame, Seat
from domain.records.notation import SEAT_LETTERS, Fields, WordError, seat_of
from domain.speeddive.game import Speeddive
from domain.speeddive.moves import (
    ChargeDiver,
    ChooseCard,
    ChooseTarget,
    Dive,
    Move,
    Surface,
    SwapAnyTwo,
    SwapCards,
    TakeBonus,
)
from domain.speeddive.position import card_of, position
from domain.speeddive.rules import DIVE, SURFACE, TAKE_BONUS
from domain.speeddive.scoring import cards_pending
from domain.speeddive.state import Options, RoundLine, State, pile_left
from domain.speeddive.views import view_of

_MOVES: dict[str, Move] = {
    "dive": DIVE,
    "tauchen": DIVE,
    "surface": SURFACE,
    "auftauchen": SURFACE,
    "bonus": TAKE_BONUS,
}


class SpeeddiveNotation:
    """The records of Speeddive."""

    game: AnyGame = Speeddive()

    def card(self, word: str) -> str:
        """Give the name in code of a card."""
        return card_of(word)

    def move(self, words: tuple[str, ...]) -> Move:
        """Read a move in English or German, such as `dive`, `target B`, `card B -6`."""
        match words:
            case (word,) if word in _MOVES:
                return _MOVES[word]
            case ("target" | "ziel", seat):
                return ChooseTarget(_seat(seat))
            case ("card" | "karte", seat, card):
                return ChooseCard(_seat(seat), card_of(card))
            case ("swap" | "tausch", first, first_card, second, second_card):
                return SwapCards(
                    _seat(first), card_of(first_card), _seat(second), card_of(second_card)
                )
            case ("charge" | "abzug", seat):
                return ChargeDiver(_seat(seat))
            case _:
                raise WordError(
                    f"{' '.join(words)!r} is no move; write dive (tauchen), surface (auftauchen),"
                    " target SEAT (ziel SEAT), card SEAT CARD (karte), swap SEAT CARD SEAT CARD"
                    " (tausch), bonus or charge SEAT (abzug)"
                )

    def written(self, move: Move | SwapAnyTwo) -> str:
        """Write a move, or the swaps that are offered: the cards of every diver in play."""
        match move:
            case Dive():
                return "dive"
            case Surface():
                return "surface"
            case TakeBonus():
                return "bonus"
            case ChooseTarget(target):
                return f"target {SEAT_LETTERS[target]}"
            case ChargeDiver(target):
                return f"charge {SEAT_LETTERS[target]}"
            case ChooseCard(target, card):
                return f"card {SEAT_LETTERS[target]} {card}"
            case SwapCards(first, first_card, second, second_card):
                one, two = SEAT_LETTERS[first], SEAT_LETTERS[second]
                return f"swap {one} {first_card} {two} {second_card}"
            case SwapAnyTwo(cards):
                lying = [
                    f"{SEAT_LETTERS[n]} {' '.join(each)}" for n, each in enumerate(cards) if each
                ]
                return f"swap two of {' / '.join(lying)}"
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


def _seat(letter: str) -> Seat:
    seat = seat_of(letter, len(SEAT_LETTERS))
    if seat is None:
        raise WordError(f"{letter!r} is no seat; seats are {', '.join(SEAT_LETTERS)}")
    return seat


def _letter(seat: Seat | None) -> str | None:
    return None if seat is None else SEAT_LETTERS[seat]


def _line(line: RoundLine) -> dict[str, Any]:
    return {
        "dealer": _letter(line.dealer),
        "scores": line.scores,
        "schatzkammer": _letter(line.schatzkammer),
        "charged": _letter(line.charged),
        "out": tuple(SEAT_LETTERS[seat] for seat in line.out),
        "tie_break": line.tie_break,
    }
