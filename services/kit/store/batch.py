"""One call of the SQL function log_append: its arguments from units, its answer back to units."""

import asyncio
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple

from services.kit.store.model import Conflict, IndexRow, NotOwner, StoredEvent, StoreError, Unit

Positions = tuple[int, ...]

CALL = """
SELECT positions, refused_unit, refused_stream, refused_head
FROM log_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
"""

# Each stored row of a batch whose fate is not known, as far as it is there.
FATE = """
SELECT e.nr, s.notification_id, s.topic, s.state
FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS e (stream, version, nr)
JOIN stored_events AS s ON s.originator_id = e.stream AND s.originator_version = e.version
ORDER BY e.nr
"""


class Pending(NamedTuple):
    """A unit, how many rows it has, and who waits for its positions."""

    unit: Unit
    row_count: int
    outcome: asyncio.Future[Positions]


Batch = Sequence[Pending]


def row_count(unit: Unit) -> int:
    """How many rows a well-formed unit has; raises ValueError for any other unit.

    Versions must follow `expected` without a gap, and the index row must tell the same head.
    """
    count = 0
    for append in unit.appends:
        stream, rows, index = append.stream, append.rows, append.index
        if not rows:
            raise ValueError(f"nothing to append to {stream}")
        count += len(rows)
        version = append.expected
        for row in rows:
            version += 1
            if row[1] != version or row[0] != stream:
                raise ValueError(f"{row[0]} {row[1]} does not follow {stream} {version - 1}")
        if index is not None and (index.stream != stream or index.head != version):
            raise ValueError(f"the index row of {stream} does not stand at {version}")
    appends = unit.appends
    if len(appends) != 1 and len({append.stream for append in appends}) != len(appends):
        raise ValueError("a unit names a stream twice")
    return count


def arguments(batch: Batch) -> list[Sequence[object]]:
    """Return the columns of log_append for the units of a batch, numbered from 0."""
    events: list[StoredEvent] = []
    event_unit: list[int] = []
    index: list[IndexRow] = []
    index_expected: list[int] = []
    index_unit: list[int] = []
    leases: list[tuple[int, int, int]] = []
    for nr, (unit, count, _) in enumerate(batch):
        event_unit += [nr] * count
        for append in unit.appends:
            events += append.rows
            if append.index is not None:
                index.append(append.index)
                index_expected.append(append.expected)
                index_unit.append(nr)
        if unit.lease is not None:
            leases.append((*unit.lease, nr))
    return [
        *_columns(events, 4),
        event_unit,
        *_columns(index, 8),
        index_expected,
        index_unit,
        *_columns(leases, 3),
    ]


def _columns(rows: Sequence[tuple[object, ...]], count: int) -> list[Sequence[object]]:
    return list(zip(*rows, strict=True)) if rows else [()] * count


def tell(
    batch: Batch,
    positions: Sequence[int] | None,
    refused_unit: Sequence[int] | None,
    refused_stream: Sequence[str | None],
    refused_head: Sequence[int],
) -> None:
    """Give every waiting caller the outcome of its unit; callers who left are passed over."""
    refused: dict[int, StoreError] = {}
    if refused_unit is not None:
        refusals = zip(refused_unit, refused_stream, refused_head, strict=True)
        refused = {nr: _refusal(stream, head) for nr, stream, head in refusals}
    stored = positions or ()
    at = 0
    for nr, (_, count, outcome) in enumerate(batch):
        if (error := refused.get(nr)) is not None:
            if not outcome.done():
                outcome.set_exception(error)
            continue
        if not outcome.done():
            outcome.set_result(tuple(stored[at : at + count]))
        at += count


def places(batch: Batch) -> tuple[list[str], list[int]]:
    """Return stream and version of every row of the batch."""
    rows = [row for each in batch for append in each.unit.appends for row in append.rows]
    return [row.originator_id for row in rows], [row.originator_version for row in rows]


def tell_found(batch: Batch, found: Iterable[Any]) -> Batch:
    """Tell those whose rows are in the log byte for byte; return the other units.

    The salt in a state makes it impossible that somebody else has stored the same bytes.
    """
    there = {stored[0]: tuple(stored) for stored in found}
    undone = []
    nr = 0
    for each in batch:
        rows = [row for append in each.unit.appends for row in append.rows]
        stored = [there.get(nr + at, ()) for at in range(1, len(rows) + 1)]
        nr += len(rows)
        if any(here[2:] != row[2:] for here, row in zip(stored, rows, strict=True)):
            undone.append(each)
        elif not each.outcome.done():
            each.outcome.set_result(tuple(here[1] for here in stored))
    return undone


def _refusal(stream: str | None, head: int) -> StoreError:
    if stream is None:
        return NotOwner("the partition belongs to another owner now")
    return Conflict(stream, head)


def fail(batch: Iterable[Pending], error: Exception) -> None:
    """Give the error, to each his own copy, to every caller of the batch that still waits."""
    for pending in batch:
        if not pending.outcome.done():
            pending.outcome.set_exception(copy(error))
