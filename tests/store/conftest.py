"""A real PostgreSQL with our schema, and quick ways to make units."""

from collections.abc import AsyncIterator
from itertools import count

import asyncpg
import pytest

from services.kit.store.chain import Entry, extend
from services.kit.store.database import Connection
from services.kit.store.model import Append, IndexRow, Lease, Unit

_numbers = count(1)


@pytest.fixture
async def link(log_url: str) -> AsyncIterator[Connection]:
    """A connection for looking and meddling."""
    connection = await asyncpg.connect(log_url)
    yield connection
    await connection.close()


def accept(_topic: str, _data: bytes) -> None:
    """Accept every fact: the check of tests that are not about facts."""


def entries(number: int = 1, topic: str = "test.Moved.v1") -> list[Entry]:
    return [
        Entry(topic, b'{"n":%d}' % next(_numbers), 1_700_000_000_000, "p_test_1", "c1", "d1")
        for _ in range(number)
    ]


def append(
    stream: str,
    number: int = 1,
    head: int = 0,
    head_hash: bytes = b"",
    *,
    partition: int = 0,
    wake_ms: int | None = None,
    status: str = "playing",
) -> Append:
    rows, hashes = extend(stream, head, head_hash, entries(number), accept)
    index = IndexRow(
        stream, "table", partition, "speeddive", status, head + number, hashes[-1], wake_ms
    )
    return Append(stream, head, rows, index)


def unit(
    stream: str,
    number: int = 1,
    head: int = 0,
    head_hash: bytes = b"",
    lease: Lease | None = None,
) -> Unit:
    return Unit((append(stream, number, head, head_hash),), lease)
