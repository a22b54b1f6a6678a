"""Commands are decoded strictly: what does not fit is refused with a sentence that helps."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from contracts.commands import (
    BODIES,
    COMMAND_BYTES_MAX,
    REASON_MAX,
    Body,
    JoinBody,
    LogBody,
    MoveBody,
    OpenBody,
    OpenRules,
    RatBody,
    ResumeBody,
    decode,
    decode_move,
    digest,
    to_command,
)
from domain.games import GAMES
from domain.refusals import Code, Refused
from domain.speeddive.moves import ChooseTarget, Dive
from domain.table import commands as c
from domain.table.events import TableRules
from tests.contracts.examples import COMMANDS, ID

GAME = GAMES["speeddive"]
ALLOWED = [
    *(("client_seed", ""), ("rng_seed", ""), ("place", None), ("on", True), ("part", "")),
    ("why", "ä ö"),
]


def refused(verb: str, data: bytes) -> Refused:
    with pytest.raises(Refused) as caught:
        decode(verb, data)
    assert 20 < len(caught.value.sentence) < REASON_MAX + 60
    assert caught.value.sentence.endswith(".")
    assert caught.value.__cause__ is None
    return caught.value


def changed(verb: str, **fields: Any) -> bytes:
    return json.dumps(COMMANDS[verb] | fields).encode()


@pytest.mark.parametrize("verb", list(BODIES))
def test_every_verb_is_decoded(verb: str) -> None:
    assert type(decode(verb, json.dumps(COMMANDS[verb]).encode())) is BODIES[verb]


@pytest.mark.parametrize("verb", list(BODIES))
def test_unknown_fields_are_named(verb: str) -> None:
    refusal = refused(verb, changed(verb, chaet=1))

    assert refusal.code == Code.MALFORMED
    assert "`chaet`" in refusal.sentence


@pytest.mark.parametrize("verb", list(BODIES))
def test_missing_fields_are_named(verb: str) -> None:
    for field in BODIES[verb].__struct_encode_fields__[
        : -len(BODIES[verb].__struct_defaults__) or None
    ]:
        less = {name: value for name, value in COMMANDS[verb].items() if name != field}
        assert f"`{field}`" in refused(verb, json.dumps(less).encode()).sentence


@pytest.mark.parametrize("verb", list(BODIES))
@pytest.mark.parametrize("wrong", [[], {}, 1.5, -1, None, "", "ä ö", True, 2**70, "x" * 4_000])
def test_wrong_values_are_refused_at_their_place(verb: str, wrong: Any) -> None:
    for field in COMMANDS[verb]:
        if field in {"move", "options"} or (field, wrong) in ALLOWED:
            continue
        refusal = refused(verb, changed(verb, **{field: wrong}))
        assert refusal.code == Code.MALFORMED
        assert f"`$.{field}" in refusal.sentence or "missing" in refusal.sentence


@pytest.mark.parametrize(
    "command_id",
    [
        "",
        "short12",
        "x" * 65,
        "abcdefgh\n",
        "abcdefgh ",
        "abcd efgh",
        "äbcdefgh",
        "abcdefg*",
        "\0" * 8,
    ],
)
def test_command_ids_are_bounded(command_id: str) -> None:
    assert "$.command_id" in refused("leave", changed("leave", command_id=command_id)).sentence


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"\0",
        b"{",
        b'{"command_id":"abcdefgh"} x',
        b'{"command_id":"abc\xff\xfeefgh"}',
        b'{"command_id":"\xc0\xafabcdefgh"}',
        b'{"command_id":"\\ud800bcdefgh"}',
        b'{"command_id":"abcd\0efgh"}',
        b"\xef\xbb\xbf" + b'{"command_id":"abcdefgh"}',
        '{"command_id":"abcdefgh"}'.encode("utf-16"),
        b'{"command_id":NaN}',
        b"{'command_id':'abcdefgh'}",
    ],
)
def test_what_is_no_json_is_malformed(data: bytes) -> None:
    assert refused("leave", data).code == Code.MALFORMED


@pytest.mark.parametrize("number", [b"9" * 5_000, b"1e400", b"-1", b"1.0", b"1e2", b"9" * 30])
def test_numbers_are_bounded(number: bytes) -> None:
    data = b'{"command_id":"abcdefgh","since":' + number + b"}"

    assert refused("resume", data).code == Code.MALFORMED


def test_too_large_is_told_with_the_limit() -> None:
    refusal = refused("leave", b" " * (COMMAND_BYTES_MAX + 1))

    assert refusal.code == Code.TOO_LARGE
    assert str(COMMAND_BYTES_MAX) in refusal.sentence
    fits = json.dumps({"command_id": ID}).encode()
    assert decode("leave", fits + b" " * (COMMAND_BYTES_MAX - len(fits)))


@pytest.mark.parametrize("bracket", [b"[", b'{"":'])
def test_deep_nesting_is_refused(bracket: bytes) -> None:
    assert refused("move", bracket * 100_000).code == Code.TOO_LARGE
    assert refused("move", bracket * (8_000 // len(bracket))).code == Code.MALFORMED
    depth = 8_000 // (len(bracket) + 1)
    close = b"]" if bracket == b"[" else b"}"
    nested = bracket * depth + b"1" + close * depth
    start = b'{"command_id":"abcdefgh","prompt":1,"move":'
    assert "nested" in refused("move", start + nested + b"}").sentence
    with pytest.raises(Refused):
        decode_move(GAME, Raw(nested))


@pytest.mark.parametrize(
    "data",
    [
        b'{"command_id":"abcdefgh","place":1,"place":2}',
        b'{"command_id":"abcdefgh","\\u0070lace":1,"place":1}',
    ],
)
def test_a_name_that_stands_twice_is_refused(data: bytes) -> None:
    assert "twice" in refused("join", data).sentence


def test_a_name_that_stands_twice_within_the_move_is_refused() -> None:
    start = b'{"command_id":"abcdefgh","prompt":1,"move":'

    assert "twice" in refused("move", start + b'{"type":"Dive","type":"Dive"}}').sentence
    assert "UTF-8" in refused("move", start + b'"\xff"}').sentence


def test_an_unknown_verb_is_told_the_known_ones() -> None:
    assert "weiter" in refused("jump", b"{}").sentence


def test_what_was_sent_is_not_repeated() -> None:
    """A value may be a hidden card, and a sentence may get into a log."""
    for verb, fields in (
        ("open", {"rules": {"places": 2, "strengths": ["geheim"]}}),
        ("open", {"options": {"x": ["geheim"]}}),
        ("open", {"game": "geheim geheim"}),
        ("join", {"place": "geheim"}),
        ("join", {"client_seed": "geheim - at `$.x`"}),
    ):
        assert "geheim" not in refused(verb, changed(verb, **fields)).sentence
    for move in (
        b'{"type":"geheim - at `$.x`"}',
        b'"geheim"',
        b'{"type":"ChooseTarget","target":"geheim"}',
    ):
        with pytest.raises(Refused) as caught:
            decode_move(GAME, Raw(move))
        assert "geheim" not in caught.value.sentence


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"places": -1},
        {"places": 17},
        {"places": 2, "min_game_s": -1},
        {"places": 2, "min_game_s": 10**9},
        {"places": 2, "thinking_s": 45},
        {"places": 2, "tempo": "langsam"},
        {"places": 2, "stake": 5},
        {"places": 2, "stake": -10},
        {"places": 2, "stake": True},
        {"places": 2, "strengths": ["normal"] * 17},
        {"places": 2, "colour": "red"},
    ],
)
def test_table_rules_are_bounded(rules: dict[str, Any]) -> None:
    assert refused("open", changed("open", rules=rules)).code == Code.MALFORMED


@pytest.mark.parametrize(
    "options",
    [
        {"a b": 1},
        {"": 1},
        {"a\n": 1},
        {"x" * 41: 1},
        {"a": "x" * 41},
        {"a": 2**40},
        {"a": 1.5},
        {"a": None},
        {"a": {}},
        {f"o{n}": n for n in range(17)},
    ],
)
def test_options_are_bounded(options: dict[str, Any]) -> None:
    assert refused("open", changed("open", options=options)).code == Code.MALFORMED


@given(st.sampled_from(list(BODIES)), st.binary(max_size=200))
def test_any_bytes_are_a_command_or_refused(verb: str, data: bytes) -> None:
    try:
        body = decode(verb, data)
    except Refused:
        return
    assert isinstance(body, Body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_a_move_or_refused(value: Any) -> None:
    raw = Raw(json.dumps(value, allow_nan=not _finite(value)).encode())
    with pytest.raises(Refused) as caught:
        decode_move(GAME, raw)
    assert caught.value.code == Code.MALFORMED


def _finite(value: Any) -> bool:
    return "inf" not in repr(value) and "nan" not in repr(value)


def test_moves_are_decoded_strictly() -> None:
    assert decode_move(GAME, Raw(b'{"type":"ChooseTarget","target":1}')) == ChooseTarget(1)
    assert decode_move(GAME, Raw(b' {"type" : "Dive"} ')) == Dive()
    for wrong in (
        b'{"type":"Dive","seat":1}',
        b'{"type":"ChooseTarget","target":1,"x":{"target":1}}',
        b'{"type":"ChooseTarget","target":1.0}',
        b'{"type":"ChooseTarget","target":true}',
        b'{"type":"ChooseTarget"}',
        b'{"type":"dive"}',
        b"{}",
    ):
        with pytest.raises(Refused):
            decode_move(GAME, Raw(wrong))


def test_bodies_become_commands_of_the_table() -> None:
    given = OpenRules(3, thinking_s=30)
    assert to_command(GAME, OpenBody(ID, "speeddive", given, {"target": 100})) == c.Open(
        "speeddive", {"target": 100}, TableRules(3, thinking_s=30)
    )
    assert to_command(GAME, JoinBody(ID, 2, "s")) == c.Join(2, "s")
    assert to_command(GAME, MoveBody(ID, 7, Raw(b'{"type":"Dive"}'))) == c.Play(7, Dive())
    for verb, expected in (
        ("start", c.Start("opener-1")),
        ("leave", c.Leave()),
        ("weiter", c.GoOn(3)),
        ("turbo", c.Turbo(on=True)),
        ("substitute", c.Substitute(2)),
        ("unsuspend", c.Unsuspend("Ursache behoben")),
        ("void", c.Void("Alle sind fort")),
    ):
        assert to_command(GAME, decode(verb, json.dumps(COMMANDS[verb]).encode())) == expected
    decide = decode("decide", json.dumps(COMMANDS["decide"]).encode())
    assert to_command(GAME, decide) == c.Decide(1, 7, ChooseTarget(2), "dive", 3, "00ff")
    for body in (ResumeBody(ID), LogBody(ID), RatBody(ID, 7)):
        with pytest.raises(TypeError):
            to_command(GAME, body)


def test_a_digest_tells_contents_and_verbs_apart() -> None:
    digests = {digest("join", b"{}"), digest("leave", b"{}"), digest("join", b"{ }")}

    assert len(digests) == 3
    assert digest("join", b"{}") == digest("join", b"{}")
    assert all(len(each) == 16 for each in digests)
