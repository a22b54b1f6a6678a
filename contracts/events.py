"""The public facts as analysts get them: CloudEvents 1.0.2, structured JSON.

One message of the stream LOGBUCH is one fact. What is not public is a blank: its data is null, and
its number and hash hold its place, so numbers have no holes. Delivery is at least once; order holds
within a table. A consumer stores `position` with what it computed and skips what is not above it.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

BLANK = "table.Blank.v1"


class PublicFact(Struct, frozen=True, gc=False, omit_defaults=True):
    """One fact on its way to the public.

    `id` is `<epoch>:<table>:<version>`, `type` the topic of the fact, `subject` the table,
    `sequence` the number of the fact in its table, `position` its place in the whole log (both
    decimal), `hash` its chain hash (hex), `time` RFC 3339 with milliseconds.
    """

    specversion: Literal["1.0"]
    id: str
    source: str
    type: str
    subject: str
    time: str
    sequence: str
    position: str
    hash: str
    data: Any
    datacontenttype: Literal["application/json"] = "application/json"


class ReadFact(Struct, frozen=True, gc=False):
    """The same, read tolerantly: `data` stays raw until its type is known."""

    id: str
    type: str
    subject: str
    sequence: str
    position: str
    hash: str
    data: Raw

    @property
    def number(self) -> int:
        """The number of the fact in its table."""
        return int(self.sequence)


_DECODER = msgspec.json.Decoder(ReadFact)


def decode(data: bytes) -> ReadFact:
    """Give a public fact; raises msgspec.DecodeError when it is none."""
    return _DECODER.decode(data)
