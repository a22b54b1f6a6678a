"""A unit of one fact, for tests of the store's twin."""

from services.kit.store.model import Append, IndexRow, Lease, StoredEvent, Unit


def unit(stream: str, expected: int, state: bytes = b"{}", epoch: int | None = None) -> Unit:
    version = expected + 1
    index = IndexRow(stream, "table", 3, "speeddive", "playing", version, b"h", version * 100)
    row = StoredEvent(stream, version, "T.v1", state)
    lease = None if epoch is None else Lease(3, epoch)
    return Unit((Append(stream, expected, (row,), index),), lease)
