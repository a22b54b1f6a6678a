"""What goes into the log and comes out of it, and every way an append can end."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct


class StoredEvent(NamedTuple):
    """One row of the log, in the library's words. Versions of a stream are 1, 2, 3 ..."""

    originator_id: str
    originator_version: int
    topic: str
    state: bytes


class Notification(NamedTuple):
    """One row of the log with its position; positions follow commit order and may have gaps."""

    id: int
    originator_id: str
    originator_version: int
    topic: str
    state: bytes


class IndexRow(NamedTuple):
    """Where a stream stands after an append; written in the same transaction.

    Kind, partition and game are those of the stream's first append for ever.
    """

    stream: str
    kind: str  # 'table', 'account' or 'audit'
    partition: int
    game: str
    status: str
    head: int
    head_hash: bytes
    next_wake_ms: int | None


class Lease(NamedTuple):
    """The right to append to the streams of a partition, until somebody takes epoch + 1."""

    partition: int
    epoch: int


class Append(Struct, frozen=True):
    """Rows for one stream whose head must be `expected` (0: the stream is new).

    Without an index row only the unique key (stream, version) guards the stream: for foreign
    streams written through the library's interface.
    """

    stream: str
    expected: int
    rows: Sequence[StoredEvent]
    index: IndexRow | None


class Unit(Struct, frozen=True):
    """Appends to different streams that are stored all or none."""

    appends: Sequence[Append]
    lease: Lease | None = None


class StoreError(Exception):
    """The base of every expected way in which the store says no."""


class Conflict(StoreError):
    """Nothing was stored: the stream has moved on, its head is `head`."""

    def __init__(self, stream: str, head: int) -> None:
        super().__init__(stream, head)
        self.stream = stream
        self.head = head

    def __str__(self) -> str:
        return f"{self.stream} is at {self.head}"


class NotOwner(StoreError):
    """Nothing was stored: the partition has been taken by somebody else."""


class QueueFull(StoreError):
    """Nothing was stored: too many units wait already."""


class StoreUnavailable(StoreError):
    """Nothing was stored or read: the database is away, locked or too slow."""


class OutcomeUnknown(StoreError):
    """The connection broke in the append and the database stayed away: ask the log later."""
