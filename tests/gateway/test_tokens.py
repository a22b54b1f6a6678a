"""Tokens: what was signed comes back, everything else is refused."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from deploy.embedded.secrets import _new_seed
from services.gateway.tickets import Tickets
from services.gateway.tokens import TOKEN_BYTES_MAX, BadToken, Key, read
from services.kit.clock import clock_from

KEY = Key(_new_seed())
OTHER = Key(_new_seed())
HALF_A_DAY_MS = 12 * 3_600_000


class Said(Struct):
    iss: str
    what: str


def packed(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=").decode()


def test_what_is_signed_comes_back() -> None:
    token = KEY.sign({"what": "hello"})

    assert read(token, Said) == Said(KEY.public, "hello") == read(token, Said, KEY.public)


def test_who_signed_counts() -> None:
    token = OTHER.sign({"what": "hello"})
    with pytest.raises(BadToken, match="somebody else"):
        read(token, Said, KEY.public)

    head, _, signature = token.split(".")
    for body in ({"iss": KEY.public, "what": "hello"}, {"iss": OTHER.public, "what": "bye"}):
        with pytest.raises(BadToken):
            read(f"{head}.{packed(body)}.{signature}", Said, body["iss"])


@pytest.mark.parametrize("alg", ["none", "HS256", "Ed25519"])
def test_other_ways_of_signing_do_not_count(alg: str) -> None:
    _, body, signature = KEY.sign({"what": "hello"}).split(".")

    with pytest.raises(BadToken, match="NATS key"):
        read(f"{packed({'alg': alg})}.{body}.{signature}", Said)


@given(st.data())
def test_one_other_bit_makes_a_token_worthless(data: st.DataObject) -> None:
    token = bytearray(KEY.sign({"what": "hello"}).encode())
    at = data.draw(st.integers(0, len(token) - 1))
    letter = data.draw(st.sampled_from(b"Aa0_-.=\x00\xff"))
    before, token[at] = token[at], letter
    last_of_a_part = bytes(token[at + 1 : at + 2]) in (b".", b"")
    if letter == before or last_of_a_part:  # whose last bits mean nothing in base64
        return

    with pytest.raises(BadToken):
        read(bytes(token), Said, KEY.public)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_anything_else_is_no_token(data: bytes) -> None:
    with pytest.raises(BadToken):
        read(data, Said)


def test_a_long_token_is_not_even_looked_at() -> None:
    token = KEY.sign({"what": "x" * TOKEN_BYTES_MAX})
    with pytest.raises(BadToken, match="not a token"):
        read(token, Said)


def test_a_seed_that_is_none_is_told() -> None:
    for seed in ("", "SAX", "hello", _new_seed()[:-1]):
        with pytest.raises(BadToken):
            Key(seed)


def test_a_ticket_ends() -> None:
    tickets = Tickets(_new_seed())
    with clock_from(lambda: 1_800_000_000_000):
        ticket, expires = tickets.write("p_anna", "person", "s", 7)
        found = tickets.judge(ticket)
    assert (found.player, found.kind, found.session, found.number) == ("p_anna", "person", "s", 7)
    assert expires == 1_800_000_000_000 + HALF_A_DAY_MS

    with clock_from(lambda: expires - 1):
        tickets.judge(ticket)
    with clock_from(lambda: expires), pytest.raises(BadToken, match="ended"):
        tickets.judge(ticket)


def test_another_token_of_the_same_key_is_no_ticket() -> None:
    seed = _new_seed()
    body = {"player": "p_anna", "kind": "person", "session": "", "number": 1, "exp": 2**40}
    for more in ({}, {"aud": "LOGBUCH"}):
        with pytest.raises(BadToken, match="not a ticket"):
            Tickets(seed).judge(Key(seed).sign({**body, **more}))
