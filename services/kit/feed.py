"""The public feed as the services see it: an ordered, numbered stream that the log can rebuild.

`nats_feed` implements it on JetStream; `tests/world` implements it in memory. The feed is a copy:
the truth is the log, and a consumer keeps its own checkpoint - the log position inside the payload,
never the sequence, which is only valid for one life of the stream.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol


class Entry(NamedTuple):
    """One thing to append; `msg_id` names it for ever: the epoch, the table and the version."""

    subject: str
    msg_id: str
    data: bytes


class FeedError(Exception):
    """The feed did not do what was asked."""


class FeedUnavailable(FeedError):
    """No answer in time: of a batch nothing, a beginning or all may be in the stream.

    Ask `last()` and continue after what is really there.
    """


class FeedConflict(FeedError):
    """The stream does not end where the caller thought; nothing was stored: ask `last()`."""


class FeedMissing(FeedError):
    """There is no stream, or it lost its end: `create` it under a new epoch."""


class FeedReset(FeedError):
    """The stream is another one than before, lost its end, or no longer holds the next entry.

    Find the place of the own checkpoint again with `find`.
    """


class FeedTruncated(FeedError):
    """The stream no longer holds what follows the checkpoint: take it from the log."""


class FeedWriter(Protocol):
    """The one writer of the feed; two at once hinder, but never corrupt each other."""

    async def epoch(self) -> int | None:
        """Return the epoch of the stream; None when there is no stream. Raises FeedUnavailable."""
        ...

    async def create(self, epoch: int) -> None:
        """Have an empty stream or one of this epoch: one of a lower epoch is deleted first.

        Raises FeedConflict when the stream is of a higher epoch, and FeedUnavailable.
        """
        ...

    async def append(self, batch: Sequence[Entry], expected_last_seq: int) -> int:
        """Return the sequence of the last entry: the whole batch is in the stream, in order.

        A batch of which a beginning is stored already is completed; one that is stored as a whole
        changes nothing and raises FeedConflict. Raises too FeedMissing, FeedUnavailable; ValueError
        when the batch is empty or larger than `BATCH_MAX` entries.
        """
        ...

    async def last(self) -> tuple[int, bytes] | None:
        """Return sequence and data of the last entry; None when there never was one.

        Raises FeedMissing, FeedUnavailable.
        """
        ...


class FeedReader(Protocol):
    """Reads the feed in order without holes; it keeps no position for the caller."""

    async def read(self, after_seq: int, limit: int, wait_s: float) -> list[tuple[int, bytes]]:
        """Return up to `limit` entries that follow `after_seq` with their sequences.

        Entries that were read before may come again after FeedReset: skip what is not above the own
        checkpoint. Empty when none came within `wait_s` seconds, which includes a feed that cannot be reached:
        call again. Raises FeedReset.
        """
        ...

    async def find(self, at_or_before: Callable[[bytes], bool]) -> int:
        """Return the sequence of the last entry that the test accepts; 0 when none is accepted.

        The test must hold for a beginning of the stream and for nothing after it: usually "its log
        position is not above my checkpoint". Raises FeedMissing, FeedTruncated, FeedUnavailable.
        """
        ...

    async def close(self) -> None:
        """Release what the reader holds at the server. Idempotent."""
        ...


BATCH_MAX = 512
"""Entries of one append: bounds what one lost acknowledgement leaves unknown."""
