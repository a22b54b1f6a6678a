"""The JSON Schemas are current, and a second implementation agrees with our decoders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # no stubs needed for one class

from contracts import leaderboard, lobby, schemas, topics
from contracts.commands import BODIES, decode, decode_move
from contracts.envelope import Stored
from contracts.events import BLANK, PublicFact
from contracts.replies import Accepted, Rejected, Resumed, StoredEvents
from contracts.views import BotPrompt, Feed, NumberedFact, questions_of, table_view
from domain.games import GAMES
from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table.decider import awaited
from domain.table.visibility import seen
from tests.contracts.examples import COMMANDS, ID
from tests.domain.table.playing import Spec, played

DOCUMENTS = schemas.documents()
GOLDEN = Path(__file__).parent / "golden"


def errors(name: str, value: Any) -> list[str]:
    validator = Draft202012Validator(DOCUMENTS[name])
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


def wire(message: Any) -> Any:
    return json.loads(msgspec.json.encode(message))


def test_the_folder_is_current() -> None:
    files = {path: path.read_text(encoding="utf-8") for path in schemas.FOLDER.rglob("*.json")}
    expected = {schemas.path(name): schemas.text(each) for name, each in DOCUMENTS.items()}

    assert files == expected, "run `python -m contracts.schemas`"


def test_writing_brings_the_folder_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schemas, "FOLDER", tmp_path)
    (tmp_path / "stale.json").write_text("{}")
    schemas.write()

    assert not (tmp_path / "stale.json").exists()
    assert len(list(tmp_path.rglob("*.json"))) == len(DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_json_schema_and_stand_alone(name: str) -> None:
    document = DOCUMENTS[name]

    Draft202012Validator.check_schema(document)
    assert document["$schema"] == schemas.DRAFT
    assert document["$id"] == f"urn:logbuch:{name.replace('/', ':')}"
    assert "discriminator" not in schemas.text(document)
    assert set(schemas._references(document)) == set(document["$defs"])


def test_ids_are_unique() -> None:
    assert len({document["$id"] for document in DOCUMENTS.values()}) == len(DOCUMENTS)


@pytest.mark.parametrize("topic", sorted(topics.TYPES))
def test_golden_facts_fit(topic: str) -> None:
    fact = json.loads((GOLDEN / f"{topic}.json").read_bytes())

    assert errors(f"fact/{topic}", fact) == []
    for name in fact:
        assert errors(f"fact/{topic}", fact | {name: [[[]]]})
    assert errors(f"fact/{topic}", fact | {"of_a_newer_writer": 1}) == []


@pytest.mark.parametrize("verb", list(BODIES))
def test_commands_fit(verb: str) -> None:
    assert errors(f"command/{verb}", COMMANDS[verb]) == []
    assert errors(f"command/{verb}", COMMANDS[verb] | {"unknown": 1})


WRONG: list[Any] = [
    None,
    -1,
    1.5,
    2**40,
    "",
    "x" * 70,
    "a b",
    "ab\n",
    True,
    [],
    {},
    [[]],
    {"type": "Fly"},
]


@pytest.mark.parametrize("verb", list(BODIES))
def test_schema_and_decoder_refuse_the_same(verb: str) -> None:
    for name in COMMANDS[verb]:
        for wrong in WRONG:
            body = COMMANDS[verb] | {name: wrong}
            assert bool(errors(f"command/{verb}", body)) == refused(verb, body), (name, wrong)


def refused(verb: str, body: dict[str, Any]) -> bool:
    try:
        decoded = decode(verb, json.dumps(body).encode())
        if verb in {"move", "decide"}:
            decode_move(GAMES["speeddive"], decoded.move)  # type: ignore[attr-defined]  # these two have it
    except Refused:
        return True
    return False


REPLIES = [
    Accepted("07-0123", 4, 9, "ab" * 32),
    Rejected(Code.BUSY, "Wait.", "Warte.", "", retry=True),
    StoredEvents("table-07-0123", ((1, "t", "{}"),), 1),
]


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: type(reply).__name__)
def test_replies_fit(reply: Any) -> None:
    assert errors("reply", wire(reply)) == []
    assert errors("reply", wire(reply) | {"type": "other"})


def messages(spec: Spec) -> Iterator[tuple[str, Any]]:
    """All messages that the table as it stands would send."""
    game, table = spec.game, spec.table
    waiting = awaited(game, table)
    for seat in (None, *range(len(table.seats))):
        facts = tuple(
            NumberedFact(number, table.at, "ab" * 32, seen(game, fact, seat))
            for number, fact in enumerate(spec.facts, 1)
        )
        feed = Feed(
            table.table_id,
            table.version,
            "ab" * 32,
            table.at,
            facts[-30:],
            table_view(game, table, waiting, seat),
        )
        yield "feed", feed
        yield "reply", Resumed(feed)
        if seat is not None:
            for question in questions_of(game, table, waiting, seat):
                view = game.view(table.play, seat)
                yield (
                    "bot_prompt",
                    BotPrompt(table.table_id, table.game, seat, question, view, "normal", 1, "00"),
                )
    last = spec.facts[-1]
    topic = topics.TOPICS[type(last)]
    public = PublicFact("1.0", "1", "l", topic, "t", "2026", "1", "1", "ab", last)
    yield "public_fact", public
    yield "public_fact", msgspec.structs.replace(public, type=BLANK, data=None)
    stored = Stored(1, "p_anna", ID, "ab", "", "00", msgspec.Raw(msgspec.json.encode(last)))
    yield "stored", stored


def test_what_a_whole_game_sends_fits() -> None:
    validators = {
        name: Draft202012Validator(DOCUMENTS[name])
        for name in ("feed", "reply", "bot_prompt", "public_fact", "stored")
    }
    kinds = set()
    for number, spec in enumerate(played(seed=3)):
        if number % 12 and spec.table.phase == "playing":
            continue
        for name, message in messages(spec):
            kinds.add(name)
            assert [error.message for error in validators[name].iter_errors(wire(message))] == []
    assert kinds == set(validators)


def test_views_of_other_shapes_do_not_fit() -> None:
    spec = Spec()
    spec.does("p_a", c.Start())
    for name, message in messages(spec):
        if name == "feed":
            good = wire(message)
            good["view"]["play"] = {"cards": []}
            assert errors("feed", good)
            break


def test_lobby_and_leaderboard_fit() -> None:
    table = Spec().table
    opened = lobby.OpenTable(
        table.table_id, 3, "speeddive", table.options, table.rules, "p_a", 1, table.places
    )
    line = leaderboard.LeaderboardLine(1, "p_a", 230, 1)
    for name, message in (
        ("lobby/query", lobby.LobbyQuery("speeddive", 3)),
        ("lobby/reply", lobby.OpenTables("7", (opened,), more=False)),
        ("lobby/change", lobby.LobbyChange(table.table_id, 4, "speeddive", None)),
        ("lobby/change", lobby.LobbyChange(table.table_id, 4, "speeddive", opened)),
        ("leaderboard/query", leaderboard.LeaderboardQuery()),
        ("leaderboard/reply", leaderboard.Leaderboard("speeddive", "7", (line,))),
        ("leaderboard/reply", Rejected(Code.BUSY, "Wait.")),
    ):
        assert errors(name, wire(message)) == []
