"""What a game adds so that it can be written down: its words, its positions, its names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from domain.kernel import AnyGame, Cards, Seat

T = TypeVar("T")

SEAT_LETTERS = "ABCDEF"
REST = "..."
"""In a list of cards: and then whatever is left, in the order of the deck."""


class RecordError(Exception):
    """A record is wrong or does not come true; `line` is 1-based, 0 if it is the whole file."""

    def __init__(self, line: int, detail: str) -> None:
        """Keep the line and what would be right."""
        super().__init__(detail)
        self.line = line
        self.detail = detail


class FieldError(Exception):
    """A field of a set-up is wrong; `path` leads to it from the top of the record."""

    def __init__(self, path: tuple[str, ...], detail: str) -> None:
        """Keep where and what would be right."""
        super().__init__(detail)
        self.path = path
        self.detail = detail


class WordError(Exception):
    """A move is written in words that the game does not know."""


class Notation(Protocol):
    """How one game is written in records."""

    game: AnyGame

    def position(self, options: Any, seats: int, setup: Fields) -> Any:
        """Build the state that a set-up describes; raises FieldError."""
        ...

    def move(self, words: tuple[str, ...]) -> Any:
        """Read a move; raises WordError with the words that would be right."""
        ...

    def written(self, move: Any) -> str:
        """Write a move; `move` reads it again."""
        ...

    def card(self, word: str) -> str:
        """Give the name in code of a card that may be written as players know it."""
        ...

    def look(self, state: Any) -> Mapping[str, Any]:
        """Give everything that a record may expect something of, as nested mappings.

        Leaves are texts, numbers, booleans, None, tuples of these, and a Counter where the order
        does not matter; seats are letters.
        """
        ...


class Fields:
    """One table of a record, read strictly: `done` refuses what nobody asked for.

    `places` says where the seats sit at the table (`domain.kernel.Game.start`).
    """

    def __init__(
        self, table: Mapping[str, Any], path: tuple[str, ...], places: tuple[int, ...] = ()
    ) -> None:
        """Read `table`, which stands at `path` in the record."""
        self.places = places
        self._table = table
        self._path = path
        self._known: set[str] = set()

    def error(self, key: str, detail: str) -> FieldError:
        """Give the error to raise about one field."""
        return FieldError((*self._path, key), detail)

    def has(self, key: str) -> bool:
        """Tell whether the field is given."""
        return key in self._table

    def text(self, key: str, default: str) -> str:
        """Read a text."""
        return self._read(key, default, str, "a text in quotes")

    def number(self, key: str, default: int) -> int:
        """Read a whole number from 0."""
        value = self._read(key, default, int, "a whole number")
        if value < 0:
            raise self.error(key, f"{key} must not be below 0")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Read true or false."""
        return self._read(key, default, bool, "true or false")

    def words(self, key: str, default: str = "") -> tuple[str, ...]:
        """Read words that are separated by commas."""
        return separated(self.text(key, default))

    def lines(self, key: str) -> tuple[str, ...]:
        """Read an array of texts."""
        value: list[Any] = self._read(key, [], list, "an array of texts")
        if not all(isinstance(each, str) for each in value):
            raise self.error(key, f"{key} must be an array of texts")
        return tuple(value)

    def one_of(self, key: str, default: str, choices: tuple[str, ...]) -> str:
        """Read one of some words."""
        value = self.text(key, default)
        if value not in choices:
            raise self.error(key, f"{key} must be one of {', '.join(choices)}, not {value!r}")
        return value

    def seat(self, key: str, default: Seat, seats: int) -> Seat:
        """Read a seat, written as its letter."""
        letter = self.text(key, SEAT_LETTERS[default])
        seat = seat_of(letter, seats)
        if seat is None:
            raise self.error(key, f"{key} must be a seat, {_letters(seats)}, not {letter!r}")
        return seat

    def table(self, key: str) -> Fields:
        """Read a table within; an empty one if it is not given."""
        value: dict[str, Any] = self._read(key, {}, dict, f"a table [{'.'.join(self._path)}.{key}]")
        return Fields(value, (*self._path, key))

    def done(self) -> None:
        """Refuse fields that were not read."""
        for key in self._table:
            if key not in self._known:
                known = ", ".join(sorted(self._known))
                raise self.error(key, f"there is no field {key!r} here; there are: {known}")

    def _read(self, key: str, default: T, kind: type[T], wanted: str) -> T:
        self._known.add(key)
        value = self._table.get(key, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(key, f"{key} must be {wanted}")
        return value


def separated(text: str) -> tuple[str, ...]:
    """Split a list at its commas; `-` or nothing is the empty list."""
    words = tuple(word.strip() for word in text.split(","))
    return () if words in {("",), ("-",)} else words


def seat_of(letter: str, seats: int) -> Seat | None:
    """Give the seat of a letter; None if there is no such seat."""
    seat = SEAT_LETTERS.find(letter) if len(letter) == 1 else -1
    return seat if 0 <= seat < seats else None


def _letters(seats: int) -> str:
    return " to ".join((SEAT_LETTERS[0], SEAT_LETTERS[seats - 1]))


def completed(first: Cards, every: Cards) -> Cards:
    """Put the named cards first and, after a closing REST, all others in the order of `every`.

    Raises ValueError with what is wrong: a card that is not there, or cards that are missing.
    """
    rest = list(every)
    named = first[:-1] if first[-1:] == (REST,) else first
    for card in named:
        if card not in rest:
            have = every.count(card)
            raise ValueError(
                f"there is no such card as {card!r} here"
                if not have
                else f"there are only {have} of {card!r}"
            )
        rest.remove(card)
    if first[-1:] == (REST,):
        return (*named, *rest)
    if rest:
        raise ValueError(f"{len(rest)} cards are missing; end the list with {REST} for the rest")
    return named
