"""Whatever is changed in the log afterwards is found, and the event is named."""

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.envelope import Stored, chain_hash
from services.kit.store.chain import Entry, Undecodable, decode, extend, verify
from services.kit.store.database import Connection
from services.kit.store.model import StoredEvent
from services.kit.store.reader import Reader
from services.kit.store.recorder import Recorder
from tests.store.conftest import accept, entries, unit


def known(topic: str, data: bytes) -> object:
    """Accept what these tests write, and nothing else."""
    if topic != "test.Moved.v1":
        raise LookupError(topic)
    return json.loads(data)["n"]


def test_hash_is_the_documented_algorithm() -> None:
    whole = b"\0\0\0\x07table-a\0\0\0\x0212\0\0\0\x09t.\xc3\x84h.v1x\0\0\0\x02{}"
    assert chain_hash("table-a", 12, "t.Äh.v1x", b"{}") == sha256(whole).digest()


@given(*(st.tuples(st.text(max_size=4), st.integers(1, 99), st.text(max_size=4), st.binary()),) * 2)
def test_hash_tells_apart_what_is_not_equal(
    one: tuple[str, int, str, bytes], two: tuple[str, int, str, bytes]
) -> None:
    assert (chain_hash(*one) == chain_hash(*two)) == (one == two)


def test_rows_hold_the_envelope_and_name_their_predecessor() -> None:
    entry = Entry("test.Moved.v1", b'{"n":1}', 5, "p_a", "c", "d")
    rows, hashes = extend("table-a", 0, b"", [entry, entry], known)
    head_hash = hashes[-1]

    first, second = (decode(row) for row in rows)
    assert first == Stored(5, "p_a", "c", "d", "", first.salt, first.data)
    assert bytes(first.data) == b'{"n":1}'
    assert second.prev == chain_hash(*rows[0]).hex()
    assert head_hash == chain_hash(*rows[1])
    more, _ = extend("table-a", 2, head_hash, [entry], known)
    assert more[0].originator_version == 3
    assert decode(more[0]).prev == head_hash.hex()


def test_salts_differ() -> None:
    rows, _ = extend("table-a", 0, b"", entries(3000), accept)
    salts = {decode(row).salt for row in rows}
    assert len(salts) == 3000
    assert {len(bytes.fromhex(salt)) for salt in salts} == {16}


def test_bytes_that_are_no_fact_never_get_into_a_row() -> None:
    for topic, data in (("test.Other.v1", b'{"n":1}'), ("test.Moved.v1", b'{"secret":"Blei"}')):
        entry = Entry(topic, data, 5, "p_a", "c", "d")
        with pytest.raises(Undecodable) as refusal:
            extend("table-a", 0, b"", [*entries(1), entry], known)
        assert refusal.value.version == 2
        assert "Blei" not in str(refusal.value)
        assert refusal.value.__cause__ is None


def test_foreign_state_is_told_without_its_content() -> None:
    with pytest.raises(Undecodable) as refusal:
        decode(StoredEvent("table-a", 4, "t", b'{"at":"Blei"}'))
    assert "Blei" not in str(refusal.value)


ANYWHERE = (1, 4, 7)
CHANGES = {
    "topic": "topic = 'test.Moved.v2'",
    "version": "originator_version = originator_version + 100",
    "data": "state = convert_to(replace(convert_from(state, 'UTF8'), '\"n\":', '\"n\": '), 'UTF8')",
    "by": "state = convert_to(replace(convert_from(state, 'UTF8'), 'p_test_1', 'p_test_2'), 'UTF8')",
    "prev": "state = convert_to(regexp_replace(convert_from(state, 'UTF8'),"
    ' \'"prev":"[^"]*\', \'"prev":"ab\'), \'UTF8\')',
    "first byte": "state = set_byte(state, 0, 33)",
    "last byte": "state = set_byte(state, length(state) - 1, 33)",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("version", ANYWHERE)
async def test_changed_event_is_named(
    change: str, version: int, recorder: Recorder, reader: Reader, link: Connection
) -> None:
    await recorder.append(unit("table-a", 7))
    row = await reader.index_row("table-a")
    assert row is not None
    assert verify(await reader.stream("table-a"), row.head, row.head_hash, known) is None

    await link.execute(
        f"UPDATE stored_events SET {CHANGES[change]} WHERE originator_version = $1", version
    )
    finding = verify(await reader.stream("table-a"), row.head, row.head_hash, known)
    assert finding is not None
    assert finding.version == version
    kinds = {"version": "gap", "topic": "undecodable", "first byte": "undecodable"}
    assert finding.kind == kinds.get(change, "undecodable" if "last" in change else "chain")


@pytest.mark.parametrize("version", ANYWHERE)
async def test_deleted_event_is_named(
    version: int, recorder: Recorder, reader: Reader, link: Connection
) -> None:
    await recorder.append(unit("table-a", 7))
    row = await reader.index_row("table-a")
    assert row is not None
    await link.execute("DELETE FROM stored_events WHERE originator_version = $1", version)

    finding = verify(await reader.stream("table-a"), row.head, row.head_hash, known)
    assert finding is not None
    assert (finding.version, finding.kind) == (version, "gap")


def test_event_beside_the_index_and_rewritten_last_event_are_found() -> None:
    rows, hashes = extend("table-a", 0, b"", entries(3), accept)
    head_hash = hashes[-1]
    finding = verify(rows, 2, chain_hash(*rows[1]), known)
    assert finding is not None
    assert (finding.version, finding.kind) == (3, "chain")

    others, _ = extend("table-a", 2, chain_hash(*rows[1]), entries(1), accept)
    finding = verify([*rows[:2], *others], 3, head_hash, known)
    assert finding is not None
    assert (finding.version, finding.kind) == (3, "chain")
    assert verify([], 0, b"", known) is None


async def test_log_is_readable_in_psql(
    recorder: Recorder, link: Connection, reader: Reader
) -> None:
    await recorder.append(unit("table-a", 2))
    await link.execute("UPDATE stored_events SET state = '\\xff00' WHERE originator_version = 2")
    good, broken = await link.fetch("SELECT * FROM log_readable ORDER BY position")

    first = decode((await reader.stream("table-a"))[0])
    assert (good["stream"], good["version"], good["by"]) == ("table-a", 1, "p_test_1")
    assert good["at"].timestamp() * 1000 == first.at
    assert json.loads(good["data"]) == json.loads(bytes(first.data))
    assert broken["data"] is None
