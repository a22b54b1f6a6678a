"""The stored facts of a table and of its pot, in the order of the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from contracts import topics
from contracts.subjects import account_stream, is_table_id, stream_of
from domain.account.events import pot_of
from domain.table.events import TableOpened
from services.kit.console.failure import Failure
from services.kit.store.chain import Undecodable, decode
from services.kit.store.database import Database
from services.kit.store.model import StoredEvent

_FACTS = """
SELECT notification_id, originator_id, originator_version, topic, state FROM stored_events
WHERE originator_id = ANY ($1) ORDER BY notification_id
"""


class Line(NamedTuple):
    """A fact with its position in the log and its number in its stream; `at` in ms."""

    position: int
    number: int
    at: int
    fact: Any


class Story(NamedTuple):
    """What the log tells of a table; `pot` are the facts of its account, none without a stake."""

    table: str
    opened: TableOpened
    lines: tuple[Line, ...]
    pot: tuple[Line, ...]


async def load(database: Database, table: str) -> Story:
    """Return what the log tells of a table; raises Failure when it tells nothing, or is damaged."""
    if not is_table_id(table):
        raise Failure(f"{table!r} is no table id; `logbuch tables` lists them")
    streams = (stream_of(table), account_stream(pot_of(table)))
    async with database.connection() as connection:
        rows = await connection.fetch(_FACTS, streams)
    try:
        lines, pot = (tuple(_lines(rows, stream)) for stream in streams)
    except Undecodable as error:
        raise Failure(f"{error}: `logbuch verify {table}` tells more") from None
    if not lines:
        raise Failure(f"there is no table {table}; `logbuch tables` lists them")
    opened = lines[0].fact
    if not isinstance(opened, TableOpened):
        raise Failure(f"the log does not begin with an opening: see `logbuch verify {table}`")
    return Story(table, opened, lines, pot)


def _lines(rows: list[Any], stream: str) -> Iterator[Line]:
    for position, *row in rows:
        event = StoredEvent(*row)
        if event.originator_id != stream:
            continue
        stored = decode(event)
        try:
            fact = topics.decode(event.topic, stored.data)
        except msgspec.MsgspecError as error:
            raise Undecodable(*event[:3], type(error).__name__) from None
        except topics.UnknownTopicError:
            fact = None  # of a newer release: the numbers that are explained here do not need it
        yield Line(position, event.originator_version, stored.at, fact)
