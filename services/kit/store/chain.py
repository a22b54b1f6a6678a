"""Every stored event names the hash of the one before it: what is stored cannot be changed unseen.

The salt in each state keeps the hashes from telling which hidden card an event holds. Errors and
findings never quote what is stored.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Raw

from contracts.envelope import Stored, chain_hash
from services.kit.store.model import StoredEvent, StoreError

# Raises whatever it likes when the bytes are no well-formed fact of the topic.
Check = Callable[[str, bytes], object]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Stored).decode
_SALT = 16
_SALTS = 1024  # one call of the operating system for so many salts


class Undecodable(StoreError):
    """Bytes that are no well-formed fact of their topic; when appending: nothing was stored."""

    def __init__(self, stream: str, version: int, topic: str, why: str) -> None:
        super().__init__(stream, version, topic, why)
        self.version = version

    def __str__(self) -> str:
        stream, version, topic, why = self.args
        return f"{stream} {version} is no well-formed {topic} ({why})"


class Entry(NamedTuple):
    """A fact on its way into the log; `at` in milliseconds since 1970 UTC."""

    topic: str
    data: bytes
    at: int
    by: str
    command_id: str
    digest: str


class Finding(NamedTuple):
    """The first event of a stream that is not as it was appended.

    kind: `gap` (missing or misplaced), `chain` (changed), `undecodable` (no fact of its topic).
    """

    version: int
    kind: str
    detail: str


_salts: list[str] = []
os.register_at_fork(after_in_child=_salts.clear)  # or the child would use the parent's salts again


def _salt() -> str:
    """Return sixteen random bytes in hexadecimal, drawn many at once: that is ten times as fast."""
    if not _salts:
        drawn = os.urandom(_SALT * _SALTS).hex()
        _salts.extend(drawn[at : at + 2 * _SALT] for at in range(0, len(drawn), 2 * _SALT))
    return _salts.pop()


def extend(
    stream: str, head: int, head_hash: bytes, entries: Iterable[Entry], check: Check
) -> tuple[tuple[StoredEvent, ...], tuple[bytes, ...]]:
    """Return the rows that follow `head` in the stream, and the hash of each.

    `head_hash` is b"" for a new stream. `check` decodes each fact strictly once more, because
    msgspec does not validate what it encodes; raises Undecodable when it refuses.
    """
    rows: list[StoredEvent] = []
    hashes: list[bytes] = []
    version = head
    for topic, data, at, by, command_id, digest in entries:
        version += 1
        try:
            check(topic, data)
        except Exception as error:  # noqa: BLE001 - whatever the check raises means the same
            raise Undecodable(stream, version, topic, type(error).__name__) from None
        state = _encode(Stored(at, by, command_id, digest, head_hash.hex(), _salt(), Raw(data)))
        head_hash = chain_hash(stream, version, topic, state)
        hashes.append(head_hash)
        rows.append(StoredEvent(stream, version, topic, state))
    return tuple(rows), tuple(hashes)


def decode(event: StoredEvent) -> Stored:
    """Return the envelope of a stored event; raises Undecodable."""
    try:
        return _decode(event.state)
    except msgspec.MsgspecError as error:
        why = type(error).__name__
    raise Undecodable(event.originator_id, event.originator_version, event.topic, why)


def verify(
    events: Sequence[StoredEvent], head: int, head_hash: bytes, check: Check
) -> Finding | None:
    """Return the first event that is not as appended, or None when the whole stream is sound.

    `events` are all rows of the stream by version; `head` and `head_hash` come from its index row
    (0 and b"" when it has none).
    """
    for version, event in enumerate(events, 1):
        if event.originator_version != version:
            detail = f"the event is missing; the next one is {event.originator_version}"
            return Finding(version, "gap", detail)
    count = len(events)
    if count < head:
        return Finding(count + 1, "gap", f"the event is missing; the index says {head} events")
    if count > head:
        return Finding(head + 1, "chain", f"the event is not in the index, which ends at {head}")
    return _first_bad(events, head_hash, check)


def _first_bad(events: Sequence[StoredEvent], head_hash: bytes, check: Check) -> Finding | None:
    hashes, named, undecodable = [""], [], None
    for event in events:
        try:
            stored = decode(event)
            named.append(stored.prev)
            check(event.topic, bytes(stored.data))
        except Exception as error:  # noqa: BLE001 - whatever the check raises means the same
            named += ["?"] * (event.originator_version - len(named))
            undecodable = undecodable or Finding(
                event.originator_version, "undecodable", type(error).__name__
            )
        hashes.append(chain_hash(*event).hex())
    named.append(head_hash.hex())
    changed = _first_changed([own == said for own, said in zip(hashes, named, strict=True)])
    if undecodable and (changed is None or undecodable.version <= changed):
        return undecodable
    if changed is None:
        return None
    return Finding(changed, "chain", "the event was changed after it was appended")


def _first_changed(links: Sequence[bool]) -> int | None:
    """Return the version of the event to blame; link k joins event k and its successor.

    Link 0 stands before the first event, the last one joins the last event and the index. A
    changed event breaks the link after it, and the one before it too if its `prev` was changed.
    """
    if all(links):
        return None
    broken = links.index(False)
    last = len(links) - 1
    both_sides_of_next = broken < last and not links[broken + 1]
    return broken + 1 if broken == 0 or both_sides_of_next else broken
