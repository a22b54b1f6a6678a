"""`logbuch tables`: what tables there are, the latest first."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct

from contracts.views import awaited_view
from domain.table.decider import awaited
from services.kit.clock import now_ms
from services.kit.console.arguments import number
from services.kit.settings import Settings
from services.kit.store.chain import Undecodable
from services.kit.store.database import Database
from services.kit.store.model import StoredEvent
from services.kit.store.reader import Reader
from services.kit.tables import table_of_rows
from services.ops.wording import aligned, bold, span

STATUSES = (*("gathering", "starting", "playing", "finished", "cancelled", "voided", "suspended"),)
_PREFIX = "table-"
_LATEST = """
SELECT i.stream, i.game, i.status, i.head FROM log_index AS i
LEFT JOIN stored_events AS e ON e.originator_id = i.stream AND e.originator_version = i.head
WHERE i.kind = 'table' AND ($1::text[] IS NULL OR i.status = ANY ($1))
ORDER BY e.notification_id DESC NULLS FIRST LIMIT $2
"""


class Row(Struct, frozen=True):
    """One table as its index row and its facts tell; times in ms since the epoch.

    `awaited` are the players everybody waits for and `kind` says for what. `damaged`: the facts
    cannot be read, and only what the index row says is known.
    """

    table: str
    game: str
    status: str
    version: int
    seats: tuple[str, ...] = ()
    awaited: tuple[str, ...] = ()
    kind: str = ""
    opened_at: int = 0
    at: int = 0
    damaged: bool = False


class Listing(NamedTuple):
    """The tables that were asked for, and whether there are `more` than the limit."""

    rows: list[Row]
    more: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("--status", choices=STATUSES, action="append", help="only these (all)")
    limit_help = "at most so many, 1 to 10,000 (50)"
    add("--limit", type=number(1, 10_000), default=50, metavar="N", help=limit_help)


async def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the tables."""
    async with Database(settings.database_url, name="tables") as database:
        listing = await list_tables(database, args.status, args.limit)
    if args.json:
        shown = {"tables": listing.rows, "more": listing.more}
        print(msgspec.json.format(msgspec.json.encode(shown), indent=1).decode())
    else:
        _print(listing)
    return 0


async def list_tables(database: Database, status: Sequence[str] | None, limit: int) -> Listing:
    """Return the tables with the latest facts first."""
    async with database.connection() as connection:
        found = await connection.fetch(_LATEST, status, limit + 1)
    index = found[:limit]
    streams = [row["stream"] for row in index]
    facts = {stream: rows async for stream, rows in Reader(database).streams(streams)}
    rows = [
        _row(row["stream"], row["game"], row["status"], row["head"], facts.get(row["stream"], []))
        for row in index
    ]
    return Listing(rows, len(found) > limit)


def _row(stream: str, game: str, status: str, version: int, events: list[StoredEvent]) -> Row:
    table_id = stream.removeprefix(_PREFIX)
    try:
        rules, table = table_of_rows(table_id, events)
    except (Undecodable, IndexError):
        return Row(table_id, game, status, version, damaged=True)
    waits = awaited_view(table, awaited(rules, table))
    people = table.seats or tuple(each for each in table.places if each is not None)
    return Row(
        table_id,
        table.game,
        table.phase,
        table.version,
        tuple(each.player for each in people),
        tuple(table.seats[seat].player for seat in waits.seats) if waits else (),
        waits.kind if waits else "",
        table.opened_at,
        table.at,
    )


def _print(listing: Listing) -> None:
    if not listing.rows:
        print("no tables")
        return
    now = now_ms()
    head = ("TABLE", "GAME", "STATUS", "FACTS", "AGE", "IDLE", "SEATS", "WAITS FOR")
    rows = [
        (
            each.table,
            each.game,
            "damaged" if each.damaged else each.status,
            str(each.version),
            "-" if each.damaged else span(now - each.opened_at),
            "-" if each.damaged else span(now - each.at),
            " ".join(each.seats) or "-",
            f"{each.kind} of {' '.join(each.awaited) or 'nobody'}" if each.kind else "-",
        )
        for each in listing.rows
    ]
    first, *others = aligned([head, *rows])
    print("\n".join([bold(first), *others]))
    if listing.more:
        print(f"these are the latest {len(rows)}, there are more: see --limit and --status")
