"""Advice is decoded strictly, and into moves of the right game."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # as in test_schemas

from contracts import schemas
from contracts.advice import REASON_MAX, Advised, decode_advised
from contracts.prompts import PromptError
from domain.speeddive.moves import ChooseTarget

GOOD: dict[str, Any] = {"move": {"type": "ChooseTarget", "target": 1}, "reason": "Nimm ihn."}
WRONG: list[dict[str, Any]] = [
    {},
    {"move": GOOD["move"]},
    {"reason": GOOD["reason"]},
    GOOD | {"more": 1},
    GOOD | {"reason": ""},
    GOOD | {"reason": "x" * (REASON_MAX + 1)},
    GOOD | {"reason": None},
    GOOD | {"move": None},
    GOOD | {"move": {"type": "Fly"}},
]


def test_advice_survives_the_bus() -> None:
    advised = Advised(ChooseTarget(1), "x" * REASON_MAX)

    assert decode_advised("speeddive", msgspec.json.encode(advised)) == advised
    validator = Draft202012Validator(schemas.documents()["advised"])
    assert not list(validator.iter_errors(json.loads(msgspec.json.encode(advised))))


@pytest.mark.parametrize("wrong", WRONG)
def test_other_advice_is_refused_by_decoder_and_schema(wrong: dict[str, Any]) -> None:
    with pytest.raises(PromptError):
        decode_advised("speeddive", json.dumps(wrong).encode())
    assert list(Draft202012Validator(schemas.documents()["advised"]).iter_errors(wrong))


@pytest.mark.parametrize(
    "data", [b"", b"null", b"[" * 5_000, b"\xff", json.dumps(GOOD).encode() + b" " * 9_000]
)
def test_what_is_no_advice_is_refused_without_being_quoted(data: bytes) -> None:
    with pytest.raises(PromptError) as caught:
        decode_advised("speeddive", data)
    assert caught.value.__cause__ is None
    assert len(str(caught.value)) < 30


@pytest.mark.parametrize("game", ["speeddrill", "poker"])
def test_moves_of_another_game_are_refused(game: str) -> None:
    move = {"type": "Surface"}
    assert decode_advised("speeddive", json.dumps(GOOD | {"move": move}).encode())
    with pytest.raises(PromptError):
        decode_advised(game, json.dumps(GOOD | {"move": move}).encode())


def test_a_field_of_a_move_that_nobody_knows_is_refused() -> None:
    with pytest.raises(PromptError):
        decode_advised(
            "speeddive", json.dumps(GOOD | {"move": GOOD["move"] | {"more": 1}}).encode()
        )
