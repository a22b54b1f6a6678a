"""Bytes that were stored once are read for ever, and every fact is known under one topic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from contracts import topics
from contracts.commands import decode
from domain.games import GAMES
from domain.refusals import Refused
from domain.table.events import TABLE_FACTS, SeatFreed

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*.json"))


@pytest.mark.parametrize("topic", sorted(topics.TYPES))
def test_every_topic_has_a_golden_example(topic: str) -> None:
    assert (GOLDEN / f"{topic}.json").is_file(), f"write one canonical example of {topic}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_golden_bytes_are_read(file: Path) -> None:
    """`<topic>.json` is the present form; what came before a new field stays as `<topic>+1.json`."""
    written = file.stem.partition("+")[0]
    fact = topics.decode(written, file.read_bytes())

    topic, data = topics.encode(fact)
    if topic == written:  # an older version comes back as the present one
        if file.stem == written:
            assert data == file.read_bytes()
        assert covers(json.loads(data), json.loads(file.read_bytes()))
        assert topics.decode(written, msgspec.Raw(data)) == fact
        assert topics.check(topic, data) == fact


def covers(now: Any, old: Any) -> bool:
    """Tell whether nothing of an old form is lost or changed in the present one."""
    if isinstance(old, dict):
        return all(name in now and covers(now[name], value) for name, value in old.items())
    return bool(now == old)


@pytest.mark.parametrize("topic", sorted(topics.TYPES))
def test_golden_bytes_name_every_field(topic: str) -> None:
    """A field at its default is not written, so it would be renamed unnoticed."""
    config = topics.TYPES[topic].__struct_config__
    names = {config.tag_field, *topics.TYPES[topic].__struct_encode_fields__}

    assert set(json.loads((GOLDEN / f"{topic}.json").read_bytes())) == names


@pytest.mark.parametrize("topic", sorted(topics.TYPES))
def test_facts_are_read_tolerantly(topic: str) -> None:
    data = (GOLDEN / f"{topic}.json").read_bytes()
    newer = data[:-1] + b',"of_a_newer_writer":{"a":[1]}}'

    assert topics.decode(topic, newer) == topics.decode(topic, data)


def test_a_table_that_a_newer_release_opened_is_read() -> None:
    """Commands are strict; a stored rule that this release does not know yet is left aside."""
    golden = json.loads((GOLDEN / "table.TableOpened.v1.json").read_bytes())
    newer = golden | {"rules": golden["rules"] | {"weather": "storm"}}

    fact = topics.decode("table.TableOpened.v1", json.dumps(newer).encode())

    assert fact == topics.decode("table.TableOpened.v1", json.dumps(golden).encode())
    body = {"command_id": "abcdefgh", "game": golden["game"], "rules": newer["rules"]}
    with pytest.raises(Refused, match="`weather`"):
        decode("open", json.dumps(body).encode())


@pytest.mark.parametrize("topic", sorted(topics.TYPES))
def test_what_does_not_fit_is_not_written(topic: str) -> None:
    fields = msgspec.structs.fields(topics.TYPES[topic])
    for field in fields:
        wrong = topics.decode(topic, (GOLDEN / f"{topic}.json").read_bytes())
        msgspec.structs.force_setattr(wrong, field.name, object)
        with pytest.raises((msgspec.ValidationError, TypeError)):
            topics.check(*_encoded(wrong))
    if not fields:
        with pytest.raises(msgspec.DecodeError):
            topics.check(topic, b'{"type":"Other"}')


def _encoded(fact: Any) -> tuple[str, bytes]:
    return topics.TOPICS[type(fact)], msgspec.json.encode(fact, enc_hook=lambda _: [[[]]])


def test_a_topic_of_nobody_is_told_apart() -> None:
    for topic in ("table.Blank.v1", "speeddive.CardDrawn.v2", "", "table.WentOn"):
        with pytest.raises(topics.UnknownTopicError):
            topics.decode(topic, b"{}")


def test_old_topics_are_lifted_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two old versions of a fact: the chair had another name, and counted from one."""

    def first(data: bytes) -> tuple[str, bytes]:
        old = json.loads(data)
        return "table.GotUp.v2", json.dumps({"place": old["chair"], "who": old["who"]}).encode()

    def second(data: bytes) -> tuple[str, bytes]:
        old = json.loads(data)
        now = {"type": "SeatFreed", "place": old["place"] - 1, "player": old["who"]}
        return "table.SeatFreed.v1", json.dumps(now).encode()

    steps = {"table.GotUp.v1": first, "table.GotUp.v2": second}
    monkeypatch.setattr(topics, "UPCASTERS", steps)

    oldest = msgspec.Raw(b'{"chair":3,"who":"p_anna"}')
    assert topics.decode("table.GotUp.v1", oldest) == SeatFreed(2, "p_anna")
    assert topics.decode("table.GotUp.v2", b'{"place":3,"who":"p_a"}') == SeatFreed(2, "p_a")
    with pytest.raises(msgspec.ValidationError):
        topics.decode("table.GotUp.v2", b'{"place":3,"who":7}')


def test_upcasters_lead_to_facts_and_shadow_none() -> None:
    assert not topics.UPCASTERS.keys() & topics.TYPES.keys()
    for topic in topics.UPCASTERS:
        assert (GOLDEN / f"{topic}.json").is_file(), f"keep the bytes of {topic}"


def test_names_tell_facts_apart_at_every_table() -> None:
    """In a feed a fact has its bare name: those of a game and of the table must differ."""
    assert len(set(topics.TYPES.values())) == len(topics.TYPES)
    for game in GAMES.values():
        names = [fact.__name__ for fact in (*TABLE_FACTS, *game.fact_types, game.chosen_type)]
        assert len(set(names)) == len(names)


def test_every_fact_is_tagged_with_its_name() -> None:
    """A union of facts can be read from day one."""
    for fact in topics.TYPES.values():
        assert (fact.__struct_config__.tag_field, fact.__struct_config__.tag) == (
            "type",
            fact.__name__,
        )
