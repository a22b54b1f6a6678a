"""The streams that tell where each person sits: hash chains, and what the tables' own logs say to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from contracts import topics
from contracts.subjects import is_table_id, partition_of, seat_stream, stream_of
from domain.table.events import Seated, SeatTaken
from services.kit.publish import topics_of
from services.kit.store import chain
from services.kit.store.database import Pooled
from services.kit.store.model import StoredEvent
from services.ops.verification.source import AT_ONCE, Snapshot, seats
from services.ops.verification.stream import Finding

_SEATED: Final = """
SELECT originator_id, originator_version, topic, state FROM stored_events
WHERE originator_id = ANY ($1) AND topic = ANY ($2)
"""
_TOPICS: Final = topics_of((SeatTaken,))
Sittings: TypeAlias = Mapping[str, frozenset[tuple[str, int]]]
"""By table: who sat down there, and when (ms since the epoch)."""


class Seats(NamedTuple):
    """How many streams and events were checked, and what was found."""

    people: int
    events: int
    findings: list[Finding]


class _Line(NamedTuple):
    number: int
    at: int
    table: str


class _Bad(Exception):
    """A check failed at an event; carries the finding."""


async def check_seats(connection: Pooled) -> Seats:
    """Check all people's streams as of the connection's moment."""
    people = events = 0
    findings: list[Finding] = []
    async for part in _parts(seats(connection)):
        read: dict[str, list[_Line]] = {}
        for snapshot in part:
            people, events = people + 1, events + len(snapshot.events)
            try:
                read[snapshot.table] = _lines(snapshot)
            except _Bad as bad:
                findings.append(bad.args[0])
        tables = {line.table for lines in read.values() for line in lines}
        sittings = await _sittings(connection, tables)
        for player, lines in read.items():
            findings += _first_wrong(player, lines, sittings)
    return Seats(people, events, findings)


async def _parts(snapshots: AsyncIterator[Snapshot]) -> AsyncIterator[list[Snapshot]]:
    part: list[Snapshot] = []
    async for snapshot in snapshots:
        part.append(snapshot)
        if len(part) == AT_ONCE:
            yield part
            part = []
    yield part


def _lines(snapshot: Snapshot) -> list[_Line]:
    """Read a stream whose chain and index row are sound; raises _Bad."""
    player, index, events = snapshot
    stream = seat_stream(player)

    def bad(version: int, kind: str, detail: str) -> _Bad:
        return _Bad(Finding(stream, version, kind, detail))

    if index is None:
        raise bad(1, "index", "the events have no index row")
    facts: list[Any] = []

    def check(topic: str, data: bytes) -> None:
        facts.append(topics.decode(topic, data))

    found = chain.verify(events, index.head, index.head_hash, check)
    if found is not None:
        raise bad(found.version, found.kind, found.detail)
    lines = []
    for event, fact in zip(events, facts, strict=True):
        number = event.originator_version
        if not isinstance(fact, Seated):
            raise bad(number, "seat", f"a {type(fact).__name__} does not tell where a person sits")
        if not is_table_id(fact.table):
            raise bad(number, "seat", "that is no id of a table")
        lines.append(_Line(number, chain.decode(event).at, fact.table))
    # A stream keeps the partition under which it began.
    where = partition_of(lines[0].table) if lines else None
    if index.kind != "seat" or index.partition != where:
        raise bad(index.head, "index", "the index row has another kind or partition")
    return lines


def _first_wrong(player: str, lines: Iterable[_Line], sittings: Sittings) -> list[Finding]:
    """Find the first fact that the table it names does not confirm: both were stored in one unit."""
    for number, at, table in lines:
        if table not in sittings:
            detail = f"there is no table {table}"
        elif (player, at) not in sittings[table]:
            detail = f"table {table} does not say that the player sat down there then"
        else:
            continue
        return [Finding(seat_stream(player), number, "seat", detail)]
    return []


async def _sittings(connection: Pooled, tables: Iterable[str]) -> Sittings:
    """Read who sat down at the tables; a fact that cannot be read tells of nobody."""
    streams = {stream_of(table): table for table in tables}
    found: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for row in await connection.fetch(_SEATED, list(streams), _TOPICS):
        event = StoredEvent(*row)
        try:
            stored = chain.decode(event)
            fact: SeatTaken = topics.decode(event.topic, stored.data)
        except (chain.Undecodable, msgspec.MsgspecError):
            continue  # a finding about the table
        found[streams[event.originator_id]].add((fact.occupant.player, stored.at))
    return {table: frozenset(who) for table, who in found.items()}
