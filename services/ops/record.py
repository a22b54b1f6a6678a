"""`logbuch record`: play text records (domain/RECORDS.md), or write one from a table."""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from contracts import topics
from contracts.envelope import Stored
from contracts.subjects import is_table_id, stream_of
from domain.games import GAMES
from domain.records.run import Failure as NotTrue
from domain.records.run import check
from domain.records.write import record_of
from domain.table.events import GameStarted, SeedRevealed, TableFact, TableOpened
from services.kit.console.failure import Failure
from services.kit.settings import Settings
from services.kit.store.database import Database
from services.kit.store.model import StoredEvent
from services.kit.store.reader import Reader

SUFFIX = ".toml"


class Report(Struct, frozen=True):
    """How many records were played and came true, and where the others do not.

    `games` counts the records of each game, also of those that have none.
    """

    records: int
    passed: int
    failed: list[NotTrue]
    games: dict[str, int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's two forms."""
    forms = parser.add_subparsers(dest="form", required=True, metavar="check|from")
    text = "play records and say where they do not come true"
    form = forms.add_parser("check", help=text, description=text)
    form.add_argument("files", nargs="+", type=Path, metavar="FILE", help="file or directory")
    text = "write the record of a table whose game is over"
    form = forms.add_parser("from", help=text, description=text)
    form.add_argument("table", metavar="TABLE", help="id of the table")


async def run(args: argparse.Namespace, settings: Settings | None) -> int:
    """Check records, or print one; returns 1 when a record does not come true."""
    if args.form == "check":
        return _check(args.files, as_json=args.json)
    if settings is None:
        raise Failure("`record from` needs a running Logbuch")
    async with Database(settings.database_url, name="record") as database:
        text = await record_from(Reader(database), args.table)
    print(json.dumps({"record": text}, ensure_ascii=False) if args.json else text, end="")
    return 0


def check_files(files: Iterable[Path]) -> Report:
    """Play every record; directories are searched for `*.toml`."""
    found = [file for each in files for file in _records(each)]
    failed = [failure for file in found if (failure := _failure(file))]
    games = dict.fromkeys(GAMES, 0)
    for file in found:
        if (name := _game(file)) is not None:
            games[name] += 1
    return Report(len(found), len(found) - len(failed), failed, games)


async def record_from(reader: Reader, table: str) -> str:
    """Write the record of a table's game; raises Failure while the game runs or if there is none.

    The record of a running game would show the hidden cards.
    """
    if not is_table_id(table):
        raise Failure(f"{table!r} is no table id; `logbuch tables` lists them")
    facts = [_fact(event) for event in await reader.stream(stream_of(table))]
    if not facts:
        raise Failure(f"there is no table {table}; `logbuch tables` lists them")
    opened = next((fact for fact in facts if isinstance(fact, TableOpened)), None)
    started = next((fact for fact in facts if isinstance(fact, GameStarted)), None)
    if opened is None or started is None:
        raise Failure(f"no game has started at table {table}")
    if not any(isinstance(fact, SeedRevealed) for fact in facts):
        raise Failure(f"the game at table {table} is not over; its record would show hidden cards")
    game = GAMES[opened.game]
    options = msgspec.convert(opened.options, game.options_type)
    own = [fact for fact in facts if not isinstance(fact, TableFact)]
    places = tuple(seat.place for seat in started.seats)
    return f"# Table {table}\n{record_of(game, options, len(places), own, places)}"


def _fact(event: StoredEvent) -> object:
    stored = msgspec.json.decode(event.state, type=Stored)
    fact: object = topics.decode(event.topic, stored.data)
    return fact


def _records(place: Path) -> list[Path]:
    if place.is_dir():
        return sorted(place.rglob(f"*{SUFFIX}"))
    if not place.exists():
        raise Failure(f"there is no file {place}")
    return [place]


def _failure(file: Path) -> NotTrue | None:
    try:
        source = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return NotTrue(str(file), 0, "this file is not UTF-8 text")
    return check(source, str(file))


def _game(file: Path) -> str | None:
    """Give the game of a record; None if it says none that there is."""
    try:
        name = tomllib.loads(file.read_text(encoding="utf-8")).get("game")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None
    return name if isinstance(name, str) and name in GAMES else None


def _check(files: list[Path], *, as_json: bool) -> int:
    report = check_files(files)
    if not report.records:
        raise Failure(f"there are no records (*{SUFFIX}) in {', '.join(map(str, files))}")
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(report), indent=1).decode())
    else:
        width = max((len(_place(each)) for each in report.failed), default=0)
        for each in report.failed:
            print(f"{_place(each):<{width}}  {each.detail}")
        longest = max(map(len, report.games))
        for name, count in report.games.items():
            print(f"{name:<{longest}} {count:>5}")
        print(f"{report.records} records, {report.passed} passed, {len(report.failed)} failed")
    return 1 if report.failed else 0


def _place(failure: NotTrue) -> str:
    return f"{failure.file}:{failure.line}"
