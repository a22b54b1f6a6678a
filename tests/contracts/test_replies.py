"""Every refusal has words for players, and answers survive the way over the bus."""

from __future__ import annotations

import re

import msgspec
import pytest

from contracts.refusals import TEXTS
from contracts.replies import (
    RETRY,
    Accepted,
    Advice,
    Rejected,
    StoredEvents,
    decode_reply,
    rejected,
)
from domain.refusals import Code, Refused

SPELT_OUT = re.compile(
    r"ae|oe(?!ff)|ue(?<![aeq]ue)|\b(?:gross|heisst|weiss|muss?t?e?n? nicht)\b", re.IGNORECASE
)
"""Umlauts in two letters, as nobody writes them on purpose ("neu" and "Frauen" are fine)."""


def test_every_code_has_a_german_text_and_no_other() -> None:
    assert set(TEXTS) == set(Code)


@pytest.mark.parametrize("code", list(Code))
def test_texts_are_short_german_sentences(code: Code) -> None:
    text = TEXTS[code]

    assert text[0].isupper()
    assert text.endswith(".")
    assert 15 < len(text) < 90
    assert not SPELT_OUT.search(text.replace("neue", "").replace("Neue", "")), text
    assert "Sie " not in text, "players are addressed with du"


def test_umlauts_are_real() -> None:
    assert set("äöüß") <= set("".join(TEXTS.values()))


def test_codes_are_words_for_programs() -> None:
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in Code)
    assert {code.name.lower() for code in Code} == set(Code)


@pytest.mark.parametrize("code", list(Code))
def test_a_refusal_survives_the_way(code: Code) -> None:
    reply = rejected(Refused(code, "What to do.", "07-0123"), outcome_known=code is not Code.BUSY)
    data = msgspec.json.encode(reply)

    assert decode_reply(data) == reply
    assert reply == Rejected(
        code, "What to do.", TEXTS[code], "07-0123", code in RETRY, code is not Code.BUSY
    )
    assert b'"type":"rejected"' in data


def test_a_refusal_is_an_exception_with_its_sentence() -> None:
    assert str(Refused(Code.BUSY, "Wait.")) == "Wait."


@pytest.mark.parametrize(
    "reply",
    [
        Accepted("07-0123", 4, 9, "ab" * 32),
        StoredEvents("table-07-0123", ((1, "t", "{}"),), 1),
        Advice(7, "Sued", {"type": "Dive"}, "7 von 52 Karten werfen dich raus."),
    ],
)
def test_other_answers_survive_the_way(reply: Accepted | StoredEvents | Advice) -> None:
    assert decode_reply(msgspec.json.encode(reply)) == reply


def test_what_is_no_answer() -> None:
    for data in (b"", b"{}", b'{"type":"other"}', b'{"type":"rejected","code":"new_code"}'):
        with pytest.raises(msgspec.DecodeError):
            decode_reply(data)
