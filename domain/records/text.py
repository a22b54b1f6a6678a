"""Reading the text of a record, strictly: every error names its line and what would be right."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import msgspec
from msgspec import Struct

from domain.games import GAMES
from domain.kernel import AnyGame, Seat
from domain.records.notation import RecordError, seat_of, separated
from domain.refusals import Code

KEYS = ("game", "options", "seats", "places", "shuffles", "setup", "play")
RESUME = "weiter"
REFUSALS = (Code.NOT_OFFERED, Code.NOT_YOUR_TURN, Code.FINISHED)
"""All that a move in a record can be refused with; the others are the table's."""
_TOML_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_PLAY = re.compile(r"\s*play\s*=\s*(\"\"\"|''')(.*)")
_HEADER = re.compile(r"\s*\[([^\]]+)\]")


class MoveLine(Struct, frozen=True):
    """A seat's move; `refused` is the code that it must be refused with."""

    line: int
    seat: Seat
    part: str
    words: tuple[str, ...]
    refused: str = ""


class ResumeLine(Struct, frozen=True):
    """Everybody goes on after a pause."""

    line: int


class ExpectLine(Struct, frozen=True):
    """Something that must be so at this point; `contains` asks for a part of a list only."""

    line: int
    path: str
    values: tuple[str, ...]
    contains: bool = False


PlayLine = MoveLine | ResumeLine | ExpectLine


class Record(Struct, frozen=True):
    """A record that is well formed; whether it comes true is for `run` to say."""

    game: AnyGame
    options: Any
    seats: int
    places: tuple[int, ...]
    shuffles: tuple[tuple[str, ...], ...]
    setup: dict[str, Any] | None
    lines: tuple[PlayLine, ...]
    source: str


def parse(source: str) -> Record:
    """Read a record; raises RecordError."""
    try:
        table = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        found = _TOML_LINE.search(str(error))
        line = int(found[1]) if found else len(source.splitlines())
        raise RecordError(line, f"this is not TOML: {_TOML_LINE.sub('', str(error))}") from None
    for key in table:
        if key not in KEYS:
            detail = f"there is no field {key!r} in a record; there are: {', '.join(KEYS)}"
            raise RecordError(locate(source, (key,)), detail)
    game = _game(source, table)
    seats = table.get("seats")
    if type(seats) is not int or not game.seats_min <= seats <= game.seats_max:
        detail = f"seats must be a number from {game.seats_min} to {game.seats_max}"
        raise RecordError(locate(source, ("seats",)), detail)
    return Record(
        game,
        _options(source, game, table.get("options", {})),
        seats,
        _places(source, game, seats, table),
        _shuffles(source, table.get("shuffles", [])),
        _setup(source, table.get("setup")),
        _lines(source, table.get("play", ""), seats),
        source,
    )


def locate(source: str, path: tuple[str, ...]) -> int:
    """Give the line where a field stands, or the nearest table that it belongs to; 0 if none."""
    nearest = 0
    header: tuple[str, ...] = ()
    in_text = ""
    for number, text in enumerate(source.splitlines(), 1):
        if in_text:
            in_text = "" if in_text in text else in_text
            continue
        if found := _HEADER.match(text):
            header = tuple(part.strip() for part in found[1].split("."))
            if header == path:
                return number
            if header and header == path[: len(header)]:
                nearest = number
        elif (found := re.match(r"\s*([\w.-]+)\s*=", text)) and (
            here := (*header, *found[1].split("."))
        ) == path[: len(here)]:
            nearest = number
        if found := _PLAY.match(text):
            in_text = "" if found[1] in found[2] else found[1]
    return nearest


def _game(source: str, table: dict[str, Any]) -> AnyGame:
    game = GAMES.get(table.get("game", ""))
    if game is None:
        detail = f"game must be one of {', '.join(GAMES)}"
        raise RecordError(locate(source, ("game",)), detail)
    return game


def _options(source: str, game: AnyGame, options: Any) -> Any:
    try:
        return msgspec.convert(options, game.options_type)
    except msgspec.ValidationError as error:
        raise RecordError(locate(source, ("options",)), f"options: {error}") from None


def _places(source: str, game: AnyGame, seats: int, table: dict[str, Any]) -> tuple[int, ...]:
    places = table.get("places", list(range(seats)))
    possible = range(game.seats_max)
    if (
        not isinstance(places, list)
        or len(places) != seats
        or any(type(place) is not int or place not in possible for place in places)
        or sorted(set(places)) != places
    ):
        detail = f"places must be {seats} ascending numbers from 0 to {game.seats_max - 1}"
        raise RecordError(locate(source, ("places",)), detail)
    return tuple(places)


def _shuffles(source: str, shuffles: Any) -> tuple[tuple[str, ...], ...]:
    if not isinstance(shuffles, list) or not all(isinstance(each, str) for each in shuffles):
        detail = 'shuffles must be an array of texts such as ["B, ...", "8, 3, ..."]'
        raise RecordError(locate(source, ("shuffles",)), detail)
    return tuple(separated(each) for each in shuffles)


def _setup(source: str, setup: Any) -> dict[str, Any] | None:
    if setup is not None and not isinstance(setup, dict):
        raise RecordError(locate(source, ("setup",)), "setup must be fields: setup.NAME = VALUE")
    for key in KEYS:
        if setup and key in setup:
            detail = f"{key} stands below [setup] and so belongs to it; put {key} above"
            raise RecordError(locate(source, ("setup", key)), detail)
    return setup


def _lines(source: str, play: Any, seats: int) -> tuple[PlayLine, ...]:
    if not isinstance(play, str):
        raise RecordError(locate(source, ("play",)), 'play must be a text in """')
    first = _first_line(source)
    lines = []
    for number, text in enumerate(play.splitlines(), first):
        if bare := text.partition("#")[0].strip():
            lines.append(_line(number, bare, seats))
    return tuple(lines)


def _first_line(source: str) -> int:
    """Give the line of the file on which the text of `play` begins."""
    for number, text in enumerate(source.splitlines(), 1):
        if found := _PLAY.match(text):
            # A line break right after the quotes does not belong to the text.
            return number if found[2] else number + 1
        if re.match(r"\s*play\s*=", text):
            return number
    return 0


def _line(number: int, text: str, seats: int) -> PlayLine:
    first, _, rest = text.partition(" ")
    if text == RESUME:
        return ResumeLine(number)
    if first == "expect":
        return _expect(number, rest)
    letter, _, part = first.partition("/")
    seat = seat_of(letter, seats)
    if seat is None:
        detail = (
            f"a line is a move ('A dive'), '{RESUME}', or 'expect PATH = VALUES';"
            f" {first!r} is none of these and no seat"
        )
        raise RecordError(number, detail)
    words, said, code = rest.partition(" refused ")
    if not words.strip():
        raise RecordError(number, "the move is missing after the seat")
    refused = code.strip()
    if said and refused not in REFUSALS:
        detail = f"no move is refused with {refused!r}; there are: {', '.join(REFUSALS)}"
        raise RecordError(number, detail)
    return MoveLine(number, seat, part, tuple(words.split()), refused)


def _expect(number: int, text: str) -> ExpectLine:
    for operator in ("=", "contains"):
        path, found, values = text.partition(f" {operator}")
        if found and path.strip():
            return ExpectLine(number, path.strip(), separated(values), operator == "contains")
    raise RecordError(number, "write 'expect PATH = VALUES' or 'expect PATH contains VALUES'")
