"""`logbuch watch`: the public Logbuch of a table, one line a move, until the table ends."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from contracts.subjects import is_table_id, stream_of
from domain.kernel import AnyGame, Chosen
from domain.table.state import ENDED, Table, fold
from domain.table.visibility import seen
from services.kit.console.failure import Failure
from services.kit.settings import Settings
from services.kit.store.chain import decode
from services.kit.store.database import Database
from services.kit.store.model import StoredEvent, StoreUnavailable
from services.kit.store.news import News
from services.kit.store.reader import Reader
from services.kit.tables import facts_of, game_of_rows
from services.ops.wording import clock, fact_text


class Line(Struct, frozen=True):
    """One move and what followed, or one event at the table; `facts` as everybody may see them."""

    number: int
    last: int
    at: int
    who: str
    facts: tuple[Any, ...]
    text: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("table", metavar="TABLE", help="id of the table")


async def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print what has happened and what happens; returns when the table has ended."""
    async for line in watch(settings.database_url, args.table):
        if args.json:
            print(msgspec.json.encode(line).decode(), flush=True)
        else:
            text = f"{line.number:>5}  {clock(line.at)}  {line.who:<16}  {line.text}"
            print(text.rstrip(), flush=True)
    return 0


async def watch(database_url: str, table: str) -> AsyncIterator[Line]:
    """Yield the lines of a table from its opening to its end, straight from the log.

    Raises Failure when there is no such table. An outage of the database is waited for.
    """
    if not is_table_id(table):
        raise Failure(f"{table!r} is no table id; `logbuch tables` lists them")
    book = Book(table)
    async with Database(database_url, name="watch") as database, News(database_url) as news:
        reader = Reader(database)
        rows = await reader.stream(stream_of(table))
        if not rows:
            raise Failure(f"there is no table {table}; `logbuch tables` lists them")
        while True:
            for line in book.lines(rows):
                yield line
            if book.table.phase in ENDED:
                return
            rows = await _next(reader, news, book.table)


async def _next(reader: Reader, news: News, table: Table) -> list[StoredEvent]:
    told = False
    while True:
        await news.wait()
        try:
            if rows := await reader.stream(stream_of(table.table_id), table.version):
                return rows
        except StoreUnavailable as error:
            if not told:
                print(f"logbuch: {error}; waiting for it", file=sys.stderr)
            told = True
            await asyncio.sleep(1.0)


class Book:
    """The Logbuch of one table: turns stored rows into lines."""

    def __init__(self, table: str) -> None:
        self.table = Table(table)
        self._game: AnyGame | None = None

    def lines(self, rows: list[StoredEvent]) -> Iterator[Line]:
        """Yield the lines of rows that follow those before; raises Undecodable."""
        if not rows:
            return
        if self._game is None:
            self._game = game_of_rows(rows)
        unit: list[Any] = []
        for row, (at, fact) in zip(rows, facts_of(rows), strict=True):
            stored = decode(row)
            key = (stored.by, stored.command_id, at)
            if unit and (unit[0] != key or isinstance(fact, Chosen)):
                yield self._line(unit[0], unit[1:])
                unit = []
            unit = unit or [key]
            unit.append(fact)
        yield self._line(unit[0], unit[1:])

    def _line(self, key: tuple[str, str, int], facts: list[Any]) -> Line:
        assert self._game is not None
        by, _, at = key
        number = self.table.version + 1
        self.table = fold(self._game, self.table, [(at, fact) for fact in facts])
        shown = tuple(seen(self._game, fact, None) for fact in facts)
        seats = self.table.seats
        told = [fact_text(fact, seats) for fact in shown]
        who = told[0][0] or by
        texts = [what if not whose or whose == who else f"{whose} {what}" for whose, what in told]
        return Line(number, self.table.version, at, who, shown, " · ".join(texts))
