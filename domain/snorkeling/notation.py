"""How Snorkeling is written in records: positions, moves and what may be expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, assert_never

from domain.kernel import AnyGame, Seat
from domain.records.notation import SEAT_LETTERS, Fields, WordError, seat_of
from domain.snorkeling.cards import VALUE
from domain.snorkeling.defaults import PASS
from domain.snorkeling.game import Snorkeling
from domain.snorkeling.moves import Attack, DrawCard, Move, Pass, PlayCards, TakeCard
from domain.snorkeling.position import card_of, position
from domain.snorkeling.rules import DRAW, TAKE
from domain.snorkeling.sequence import Sequence
from domain.snorkeling.state import Options, State, pile_left
from domain.snorkeling.views import view_of

_MOVES: dict[str, Move] = {
    "pass": PASS,
    "passen": PASS,
    "take": TAKE,
    "nehmen": TAKE,
    "draw": DRAW,
    "ziehen": DRAW,
}
_PLAY = ("play", "spielen")
_ATTACK = ("attack", "angriff")


class SnorkelingNotation:
    """The records of Snorkeling."""

    game: AnyGame = Snorkeling()

    def card(self, word: str) -> str:
        """Give the name in code of a card."""
        return card_of(word)

    def move(self, words: tuple[str, ...]) -> Move:
        """Read `pass`, `play CARD... [attack CARD SEAT]`, `take` or `draw`, or the German words."""
        if len(words) == 1 and words[0] in _MOVES:
            return _MOVES[words[0]]
        if words and words[0] in _PLAY:
            at = next((n for n, word in enumerate(words) if word in _ATTACK), None)
            centre = tuple(card_of(word) for word in words[1:at])
            if at is None:
                return PlayCards(centre)
            match words[at + 1 :]:
                case (card, letter):
                    target = seat_of(letter, len(SEAT_LETTERS))
                    if target is not None:
                        return PlayCards(centre, Attack(card_of(card), target))
        raise WordError(
            f"{' '.join(words)!r} is no move; write pass (passen), play CARD ... (spielen),"
            " play CARD ... attack CARD SEAT (angriff), take (nehmen) or draw (ziehen)"
        )

    def written(self, move: Move | Sequence) -> str:
        """Write a move; of all that a hand can play only the word."""
        match move:
            case Pass():
                return "pass"
            case PlayCards(centre, attack):
                words = ["play", *centre]
                if attack:
                    words += ["attack", attack.card, SEAT_LETTERS[attack.target]]
                return " ".join(words)
            case TakeCard():
                return "take"
            case DrawCard():
                return "draw"
            case Sequence():
                return "play"
            case _:
                assert_never(move)

    def position(self, options: Options, seats: int, setup: Fields) -> State:
        """Build a position from a set-up."""
        return position(options, seats, setup)

    def look(self, state: State) -> Mapping[str, Any]:
        """Give what may be expected: the board, the hands, the pile and what a spectator counts."""
        board = state.board
        view = view_of(board, None, ())
        look: dict[str, Any] = {
            "phase": board.phase,
            "round": board.round,
            "starter": _letter(board.starter),
            "turn": _letter(board.turn),
            "turns": board.turns,
            "centre": board.centre[::-1],
            "top": board.centre[-1] if board.centre else None,
            "centre_count": len(board.centre),
            "pile": pile_left(state),
            "pile_count": board.pile_count,
            "left": view.left,
            "rounds": {
                str(number): {
                    "starter": _letter(line.starter),
                    "scores": line.scores,
                    "strand": _letter(line.strand),
                }
                for number, line in enumerate(board.history, 1)
            },
        }
        for seat, each in enumerate(board.schnorchler):
            look[SEAT_LETTERS[seat]] = {
                "own": each.own[::-1],
                "value": VALUE[each.own[-1]],
                "hand": Counter(state.hands[seat]),
                "hand_count": each.hand_count,
                "total": each.total,
            }
        return look


def _letter(seat: Seat | None) -> str | None:
    return None if seat is None else SEAT_LETTERS[seat]
