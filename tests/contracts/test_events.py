"""A public fact is a CloudEvent 1.0.2 in structured JSON."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from urllib.parse import urlsplit

import msgspec
import pytest

from contracts import topics
from contracts.events import BLANK, PublicFact, decode
from domain.speeddive.events import CardDrawn

AT = 1_767_225_600_123
TABLE = "07-0123456789abcdef01234567"
FACT = PublicFact(
    specversion="1.0",
    id=f"1:{TABLE}:12",
    source="logbuch",
    type="speeddive.CardDrawn.v1",
    subject=TABLE,
    time="2026-01-01T00:00:00.123Z",
    sequence="12",
    position=str(2**53 + 1),
    hash="ab" * 32,
    data=CardDrawn(1, "x2"),
)
REQUIRED = ("specversion", "id", "source", "type")


def test_the_attributes_are_those_of_cloudevents() -> None:
    event = json.loads(msgspec.json.encode(FACT))

    assert event["specversion"] == "1.0"
    assert all(isinstance(event[name], str) and event[name] for name in REQUIRED)
    assert all(re.fullmatch(r"[a-z0-9]{1,20}", name) for name in event)
    assert urlsplit(event["source"]).path == "logbuch"
    assert datetime.fromisoformat(event["time"]) == datetime.fromtimestamp(AT / 1000, UTC)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", event["time"])
    assert event["data"] == {"type": "CardDrawn", "seat": 1, "card": "x2"}


def test_no_number_is_too_large_for_javascript() -> None:
    event = json.loads(msgspec.json.encode(FACT))

    assert event["position"] == "9007199254740993"
    numbers = [value for value in event.values() if isinstance(value, int)]
    assert all(abs(number) < 2**53 for number in numbers)


def test_it_is_read_tolerantly() -> None:
    data = msgspec.json.encode(FACT)
    read = decode(data[:-1] + b',"traceparent":"00-0"}')

    assert (read.id, read.number, read.subject) == (FACT.id, 12, TABLE)
    assert topics.decode(read.type, read.data) == FACT.data


def test_a_blank_holds_its_place() -> None:
    blank = msgspec.structs.replace(FACT, type=BLANK, data=None)
    read = decode(msgspec.json.encode(blank))

    assert (read.type, bytes(read.data), read.number) == (BLANK, b"null", 12)
    assert BLANK not in topics.TYPES


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"id":1}'])
def test_what_is_no_public_fact(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(data)
