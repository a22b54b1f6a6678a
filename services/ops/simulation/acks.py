"""Every acknowledgement that a player got, compared with the log: none may be missing."""

from __future__ import annotations

from collections.abc import Iterable

from contracts.envelope import chain_hash
from contracts.subjects import stream_of
from services.kit.client import Ack
from services.kit.store.database import Database
from services.kit.store.reader import Reader


async def missing_acks(database_url: str, acks: Iterable[Ack]) -> list[Ack]:
    """Return the acknowledgements whose last fact is not in the log with the hash they name.

    The hash covers the whole history of the table, so nothing before it can have changed either.
    Raises StoreUnavailable.
    """
    by_stream: dict[str, list[Ack]] = {}
    for ack in acks:
        by_stream.setdefault(stream_of(ack.table), []).append(ack)
    missing: list[Ack] = []
    async with Database(database_url, name="acks") as database:
        reader = Reader(database)
        async for stream, events in reader.streams(list(by_stream)):
            hashes = {event.originator_version: chain_hash(*event).hex() for event in events}
            missing += [ack for ack in by_stream.pop(stream) if hashes.get(ack.last) != ack.head]
    return missing + [ack for rest in by_stream.values() for ack in rest]
