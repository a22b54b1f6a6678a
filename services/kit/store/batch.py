"""One call of the SQL function log_append: its arguments from units, its answer back to units."""

import asyncio
from collections.abc import Iterable, Sequence
from copy import copy
from itertools import accumulate
from typing import Any, NamedTuple

from services.kit.store.model import (
    Conflict,
    IndexRow,
    Lease,
    NotOwner,
    StoredEvent,
    StoreError,
    Unit,
)

Positions = tuple[int, ...]
HASH_SIZE = 32

_COLUMNS = ", ".join(f"${nr}" for nr in range(1, 21))
CALL = (
    "SELECT positions, refused_unit, refused_stream, refused_head"  # noqa: S608 - numbers only
    f" FROM log_append({_COLUMNS})"
)

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

    Versions must follow `expected` without a gap, the index row must tell the same head, and
    either all streams of the unit have index rows or none, and then there is no lease either.
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
        if index is None and (unit.lease or any(each.index for each in unit.appends)):
            raise ValueError(f"{stream} needs an index row")
    if len(unit.appends) > 1 and len({each.stream for each in unit.appends}) < len(unit.appends):
        raise ValueError("a unit names a stream twice")
    return count


def arguments(batch: Batch) -> tuple[object, ...]:
    """Return the columns of log_append for the units of a batch, numbered from 0.

    Joined texts instead of arrays, because an array costs asyncpg 0.2 to 0.8 us per element, and
    there are fifteen elements per event. ValueError: a value does not fit into its column.
    """
    events: list[StoredEvent] = []
    index: list[IndexRow] = []
    guards: list[tuple[int, int, int]] = []  # expected head, unit, lease
    leases: dict[Lease, int] = {}
    new: list[tuple[str, str, int, str]] = []
    for nr, (unit, _, _) in enumerate(batch):
        lease = 0 if unit.lease is None else leases.setdefault(unit.lease, len(leases) + 1)
        for append in unit.appends:
            events += append.rows
            if append.index is not None:
                index.append(append.index)
                guards.append((append.expected, nr, lease))
                if append.expected == 0:
                    new.append(append.index[:4])
    stream, version, topic, states = _columns(events, 4)
    size = [len(state) for state in states]
    name, _, _, _, status, head, hashes, wake = _columns(index, 8)
    expected, of_unit, of_lease = _columns(guards, 3)
    hash_bytes = b"".join(hashes)
    if len(hash_bytes) != HASH_SIZE * len(index):
        raise ValueError("a head hash has not its 32 bytes")
    return (
        *(_names(stream), _numbers(version), _names(topic)),
        *(_numbers(accumulate(size[:-1], initial=1)), _numbers(size), b"".join(states)),
        *(_names(name), _numbers(expected), _numbers(of_unit), _numbers(of_lease)),
        *(_names(status), _numbers(head), _numbers(wake), hash_bytes),
        *_columns(new, 4),
        *_columns(tuple(leases), 2),
    )


def _columns(rows: Sequence[tuple[Any, ...]], count: int) -> Sequence[Sequence[Any]]:
    return list(zip(*rows, strict=True)) if rows else [()] * count


def _names(names: Sequence[str]) -> str:
    joined = "\n".join(names)
    if joined.count("\n") != max(0, len(names) - 1):
        raise ValueError("a name holds a newline")
    return joined


def _numbers(numbers: Iterable[int | None]) -> str:
    return "{" + ",".join(map(str, numbers)).replace("None", "NULL") + "}"


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
