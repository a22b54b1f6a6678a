"""Playing a record and holding it to its word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from domain.games import NOTATIONS
from domain.kernel import Ask, Cards, Over, Pause, Resumed, Settled, act, asked, begin, settle
from domain.options import admits
from domain.ranking import place_bonus
from domain.records.notation import (
    SEAT_LETTERS,
    FieldError,
    Fields,
    Notation,
    RecordError,
    WordError,
    completed,
)
from domain.records.text import ExpectLine, MoveLine, Record, ResumeLine, locate, parse
from domain.refusals import Code


class Failure(Struct, frozen=True):
    """Why a record failed."""

    file: str
    line: int
    detail: str


def check(source: str, file: str) -> Failure | None:
    """Read and play a record; None if everything in it comes true."""
    try:
        run(parse(source))
    except RecordError as error:
        return Failure(file, error.line, error.detail)
    return None


def run(record: Record) -> Settled[Any, Any]:
    """Play a record to its end; raises RecordError where it does not come true."""
    player = _Player(record)
    for line in record.lines:
        match line:
            case MoveLine():
                player.move(line)
            case ResumeLine():
                player.resume(line)
            case ExpectLine():
                player.expect(line)
    if player.shuffles:
        line_of = locate(record.source, ("shuffles",))
        raise RecordError(line_of, f"{len(player.shuffles)} shuffles were never needed")
    return player.settled


class _Player:
    """One record while it is played."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.game = record.game
        self.notation: Notation = NOTATIONS[record.game.name]
        self.shuffles = list(record.shuffles)
        self.settled = self._begin()

    def _begin(self) -> Settled[Any, Any]:
        record = self.record
        if record.setup is None:
            return begin(self.game, record.options, record.places, self.shuffle)
        fields = Fields(record.setup, ("setup",), record.places)
        try:
            state = self.notation.position(record.options, record.seats, fields)
            fields.done()
        except FieldError as error:
            path = ".".join(error.path)
            raise RecordError(
                locate(record.source, error.path), f"{path}: {error.detail}"
            ) from None
        return settle(self.game, state, (), self.shuffle)

    def shuffle(self, cards: Cards) -> Cards:
        """Give the next shuffle of the record; the order of the deck when it names no more."""
        if not self.shuffles:
            return cards
        words = self.shuffles.pop(0)
        try:
            return completed(tuple(self._shuffled(word, cards) for word in words), cards)
        except ValueError as error:
            line = locate(self.record.source, ("shuffles",))
            raise RecordError(line, f"shuffle {', '.join(words[:4])}: {error}") from None

    def _shuffled(self, word: str, cards: Cards) -> str:
        """Give the card of a word; seats are shuffled by their numbers and written as letters."""
        card = self.notation.card(word)
        if card not in cards and len(word) == 1 and word in SEAT_LETTERS:
            return str(SEAT_LETTERS.index(word))
        return card

    def move(self, line: MoveLine) -> None:
        """Play a move, or see it refused with the code that the record names."""
        try:
            move = self.notation.move(line.words)
        except WordError as error:
            raise RecordError(line.line, str(error)) from None
        asks = asked(self.settled.waiting) + tuple(self.game.offers(self.settled.state))
        # A move of a question with parts names its part itself, so the line need not.
        own = [ask for ask in asks if ask.seat == line.seat and line.part in {"", ask.part}]
        found = next((ask for ask in own if admits(ask.options, move)), None)
        refusal = "" if found else self._refusal(own)
        if refusal != line.refused:
            raise RecordError(line.line, self._surprise(line.refused, refusal))
        if found:
            self.settled = act(self.game, self.settled.state, found, move, self.shuffle)

    def _refusal(self, own: list[Ask[Any]]) -> str:
        if isinstance(self.settled.waiting, Over):
            return Code.FINISHED
        return Code.NOT_OFFERED if own else Code.NOT_YOUR_TURN

    def _surprise(self, wanted: str, refusal: str) -> str:
        if not refusal:
            return f"the move is legal, but the record wants it refused with {wanted}"
        expected = f" (the record wants {wanted})" if wanted else ""
        return f"the move is refused with {refusal}{expected}; {self._situation()}"

    def _situation(self) -> str:
        match self.settled.waiting:
            case Over():
                return "the game is over"
            case Pause():
                return "the game pauses: write 'weiter'"
            case _:
                parts = [
                    f"{SEAT_LETTERS[ask.seat]}{'/' if ask.part else ''}{ask.part} is asked:"
                    f" {', '.join(self._offered(ask)) or 'see its options'}"
                    for ask in asked(self.settled.waiting)
                ]
                return "; ".join(parts)

    def _offered(self, ask: Ask[Any]) -> list[str]:
        moves = [self.notation.written(move) for move in ask.options.moves]
        return moves + [self.notation.written(each) for each in ask.options.descriptors]

    def resume(self, line: ResumeLine) -> None:
        """End a pause."""
        waiting = self.settled.waiting
        if not isinstance(waiting, Pause):
            raise RecordError(line.line, f"there is no pause to end; {self._situation()}")
        resumed = (Resumed(waiting.kind),)
        self.settled = settle(self.game, self.settled.state, resumed, self.shuffle)

    def expect(self, line: ExpectLine) -> None:
        """Compare what is there with what the record expects."""
        found = _follow({**self.notation.look(self.settled.state), **self._table()}, line)
        wanted = [self.notation.card(word) for word in line.values]
        there = _texts(found)
        if line.contains:
            right = not Counter(wanted) - Counter(there)
        elif isinstance(found, Counter):
            right = Counter(wanted) == Counter(there)
        else:
            right = wanted == there
        if not right:
            verb = "contains" if line.contains else "is"
            raise RecordError(
                line.line, f"{line.path} {verb} {_listed(there)}, expected {_listed(wanted)}"
            )

    def _table(self) -> dict[str, Any]:
        """Give what may be expected of every game: who is asked what, and how it ended."""
        waiting = self.settled.waiting
        asks = asked(waiting)
        kinds = tuple(dict.fromkeys(ask.kind for ask in asks))
        table: dict[str, Any] = {"asked": tuple(SEAT_LETTERS[ask.seat] for ask in asks)}
        table["offered"] = Counter(each for ask in asks for each in self._offered(ask))
        table["default"] = tuple(self.notation.written(ask.default) for ask in asks)
        table["question"] = kinds or ("pause" if isinstance(waiting, Pause) else "over")
        if isinstance(waiting, Over):
            table["ranks"], table["scores"] = waiting.ranks, waiting.scores
            table["leaderboard"] = tuple(
                base + place_bonus(rank, self.record.seats)
                for rank, base in zip(waiting.ranks, waiting.leaderboard_base, strict=True)
            )
        return table


def _follow(there: Any, line: ExpectLine) -> Any:
    for name in line.path.split("."):
        if not isinstance(there, Mapping) or isinstance(there, Counter):
            raise RecordError(line.line, f"{line.path}: nothing lies below, leave out .{name}")
        if name not in there:
            names = ", ".join(there)
            raise RecordError(line.line, f"{line.path}: there is no {name!r} now, only {names}")
        there = there[name]
    if isinstance(there, Mapping) and not isinstance(there, Counter):
        raise RecordError(line.line, f"{line.path} has parts; name one: {', '.join(there)}")
    return there


def _texts(value: Any) -> list[str]:
    """Write a leaf as the words that a record would write."""
    match value:
        case bool():
            return ["yes" if value else "no"]
        case None:
            return []
        case Counter():
            return [str(each) for each in value.elements()]
        case tuple():
            return [str(each) for each in value]
        case _:
            return [str(value)]


def _listed(words: list[str]) -> str:
    return ", ".join(words) or "-"
