"""Nothing but the ids that we mean gets into a subject."""

from __future__ import annotations

import string
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import subjects
from contracts.commands import BODIES

ODD = "*>.\t\n\r \0\x7f/$äß٣²½Ⅷ１ａ\u200b\ud800"
"""Wildcards, separators, other scripts' digits (`str.isdigit` knows them), a lone surrogate."""
NEAR = st.text(alphabet=string.ascii_letters + string.digits + "_-" + ODD, max_size=45)
TABLE = "07-0123456789abcdef01234567"


@given(NEAR | st.from_regex(r"([gp]_)?[a-z0-9_]{0,42}\n?", fullmatch=True))
def test_a_player_is_a_prefix_and_a_few_letters(token: str) -> None:
    letters = set(token) <= set("abcdefghijklmnopqrstuvwxyz0123456789_")
    client = letters and 2 <= len(token) <= 40

    assert subjects.is_client(token) == client
    assert subjects.is_player(token) == (client and token[:2] in {"p_", "g_"} and len(token) > 2)


@pytest.mark.parametrize("name", ["house", "bot", "computer_1", "service_table", "lobby", "__"])
def test_nobody_plays_under_a_name_of_the_house(name: str) -> None:
    assert not subjects.is_player(name)
    assert subjects.is_client(name)


@given(
    st.text(alphabet="0123456789abcdef-3" + ODD, min_size=25, max_size=29)
    | st.from_regex(r"[0-9٣]{2}-[0-9a-fA-F]{24}\n?", fullmatch=True)
)
def test_a_table_is_its_partition_and_24_hexadecimal_digits(token: str) -> None:
    pair, dash, rest = token[:2], token[2:3], token[3:]
    expected = (
        len(rest) == 24
        and dash == "-"
        and set(rest) <= set("0123456789abcdef")
        and pair in {f"{number:02d}" for number in range(32)}
    )

    assert subjects.is_table_id(token) == expected


@pytest.mark.parametrize(
    "token",
    [
        "32-" + "0" * 24,
        "39-" + "0" * 24,
        "0-" + "0" * 25,
        "00-" + "0" * 23,
        "00-" + "0" * 24 + "\n",
        "00-" + "A" * 24,
        "٠٠-" + "0" * 24,
        "00-" + "٣" * 24,
        "*",
        ">",
        "",
    ],
)
def test_what_is_no_table(token: str) -> None:
    assert not subjects.is_table_id(token)


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_table_id_can_always_be_derived(player: str, command_id: str) -> None:
    assert subjects.is_table_id(
        subjects.table_id(
            player.encode(errors="replace").decode(), command_id.encode(errors="replace").decode()
        )
    )


@pytest.mark.parametrize(
    ("player", "command_id", "table"),
    [
        ("p_anna", "00000000-0000-4000-8000-000000000001", "13-0482f9ea06d97fac4bd46da0"),
        ("g_2f9c1a", "abcdefgh", "28-1115c13c4198c6fda0676aa7"),
    ],
)
def test_table_ids_are_the_same_for_ever(player: str, command_id: str, table: str) -> None:
    whole = sha256(f"{player}\n{command_id}".encode()).hexdigest()

    assert subjects.table_id(player, command_id) == table
    assert table == f"{int(whole[:2], 16) % 32:02d}-{whole[2:26]}"


def test_table_ids_use_every_partition() -> None:
    tables = [subjects.table_id("p_anna", f"command-{n}") for n in range(2_000)]

    assert {subjects.partition_of(table) for table in tables} == set(range(subjects.PARTITIONS))
    assert len(set(tables)) == len(tables)


@given(NEAR)
def test_an_answer_goes_only_into_the_own_inbox(rest: str) -> None:
    reply = f"_INBOX.p_anna.{rest}"
    tokens = rest.split(".")
    letters = set(string.ascii_letters + string.digits + "_-")

    assert subjects.is_reply_of("p_anna", reply) == (
        all(tokens) and len(tokens) <= 4 and set("".join(tokens)) <= letters
    )


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "_INBOX.p_anna",
        "_INBOX.p_anna.",
        "_INBOX.p_annabell.x",
        "_INBOX.p_ann.x",
        "_INBOX.x",
        "_inbox_p_anna.x",
        " _INBOX.p_anna.x",
        "_INBOX.p_anna.x\r\nPUB view.p_bert.t 0\r\n",
        "_INBOX.p_anna.*",
        "_INBOX.p_anna.>",
        "_INBOX.p_anna..x",
        "_INBOX.p_anna.x.",
        "_INBOX.p_anna.x\n",
        "_INBOX.p_anna.x\0",
        "_INBOX.p_anna." + "x" * 65,
        f"view.p_bert.{TABLE}",
        f"cmd.p_anna.07.{TABLE}.leave",
    ],
)
def test_other_reply_subjects_are_not_used(reply: str) -> None:
    assert not subjects.is_reply_of("p_anna", reply)


def test_replies_of_usual_clients_are_in_the_inbox() -> None:
    inbox = subjects.inbox("p_anna")
    for reply in (f"{inbox}.7", f"{inbox}.LDnGTpzT2nCUBtcYDJ7CKE.1", f"{inbox}.a-b_C.d.e"):
        assert subjects.is_reply_of("p_anna", reply)


def test_subjects_are_built_as_the_table_of_the_module_says() -> None:
    assert subjects.command("p_anna", TABLE, "move") == f"cmd.p_anna.07.{TABLE}.move"
    assert len(subjects.command("p_anna", TABLE, "move").split(".")) == subjects.COMMAND_TOKENS
    assert subjects.commands_of(7) == "cmd.*.07.*.*"
    assert subjects.view("p_anna", TABLE) == f"view.p_anna.{TABLE}"
    assert subjects.watch(TABLE) == f"watch.{TABLE}"
    assert subjects.log("speeddive", TABLE) == f"log.speeddive.{TABLE}"
    assert subjects.stream_of(TABLE) == f"table-{TABLE}"
    assert subjects.partition_of(TABLE) == 7


def test_every_verb_has_a_body() -> None:
    assert tuple(BODIES) == subjects.VERBS


@pytest.mark.parametrize(
    ("player", "registered", "test"),
    [("g_1", False, False), ("p_anna", True, False), ("p_test_1", True, True)],
)
def test_kinds_of_players(player: str, *, registered: bool, test: bool) -> None:
    assert (subjects.is_registered(player), subjects.is_test(player)) == (registered, test)
