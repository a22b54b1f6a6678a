"""The page for client authors is true: what it shows is understood, and what there is is shown."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

import contracts
from contracts import subjects
from contracts.chat import ExclaimBody, MuteQuery, ReadQuery, SayBody, decode_chat
from contracts.commands import MoveBody, OpenBody, decode, decode_move
from contracts.leaderboard import LeaderboardQuery, decode_leaderboard
from contracts.lobby import LobbyQuery, OpenTables, decode_change, decode_lobby
from contracts.refusals import TEXTS
from contracts.replies import Accepted, Rejected, decode_reply
from contracts.subjects import command, successor_id, table_id
from contracts.views import AbsentSeat, Awaited
from domain.games import GAMES
from domain.table.absence import SUBSTITUTE_MS

PAGE = (Path(contracts.__file__).parent / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\w+) \| `(\w+)` \| .* \| `(\{.*\})` \|$", PAGE, re.MULTILINE)


def test_the_page_explains_every_descriptor() -> None:
    every = {
        (game.name, each.__name__) for game in GAMES.values() for each in game.descriptor_types
    }
    assert every <= {(game, name) for game, name, _ in ROWS}


def test_the_moves_of_the_page_are_moves() -> None:
    for game, _, move in ROWS:
        if game in GAMES:
            decode_move(GAMES[game], msgspec.Raw(move.encode()))


BLOCKS = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SENT = re.compile(r"^(\S+) +(\{.*?\})(?:\n +-> (\{.*?\}))?(?=\n\S|\Z)", re.MULTILINE | re.DOTALL)
EXCHANGES = [found.groups("") for block in BLOCKS for found in SENT.finditer(block.strip())]


def exchanges(subject: str) -> list[tuple[bytes, bytes]]:
    found = [(sent, got) for at, sent, got in EXCHANGES if at == subject]
    return [(sent.encode(), got.encode()) for sent, got in found]


def test_the_commands_of_the_page_are_commands() -> None:
    shown = [each for each in EXCHANGES if each[0].startswith("cmd.")]
    verbs = []
    for subject, sent, got in shown:
        _, player, _, table, verb = subject.split(".")
        assert subject == command(player, table, verb)
        body = decode(verb, sent.encode())
        reply = decode_reply(got.encode())
        match body:
            case OpenBody(game=game, options=options, rules=rules):
                assert table == table_id(player, body.command_id)
                msgspec.convert(options, GAMES[game].options_type)
                assert rules.thinking_s == 0
            case MoveBody(move=move):
                decode_move(GAMES["speeddive"], move)
        match reply:
            case Accepted():
                assert reply.table == (successor_id(table) if verb == "again" else table)
            case Rejected():
                assert reply.text == TEXTS[reply.code]
                assert reply.hint == (successor_id(table) if verb == "again" else "")
            case _:
                raise AssertionError(reply)
        verbs.append(verb)
    assert verbs == [
        *("open", "join", "start", "move", "weiter", "weiter"),
        *("again", "again", "join"),
    ]


def test_the_questions_of_the_page_are_questions() -> None:
    ((query, listing),) = exchanges("lobby.p_anna.list")
    assert msgspec.json.decode(query, type=LobbyQuery).game == "speeddive"
    opened = decode_lobby(listing)
    assert isinstance(opened, OpenTables)
    ((change, _),) = exchanges("lobby.change")
    assert decode_change(change).table == opened.tables[0].table
    ((query, board),) = exchanges("leaderboard.p_anna.speeddive")
    assert msgspec.json.decode(query, type=LeaderboardQuery).limit == 2
    decode_leaderboard(board)


def test_the_shape_of_whom_the_table_waits_for() -> None:
    (shown,) = re.findall(r'^"awaited": (\{.*\})$', PAGE, re.MULTILINE)
    awaited = msgspec.json.decode(shown, type=Awaited)
    assert msgspec.json.decode(msgspec.json.encode(awaited)) == msgspec.json.decode(shown)


def test_the_chat_of_the_page_is_chat() -> None:
    chat = {at.split(".")[3]: (at, sent, got) for at, sent, got in EXCHANGES if at[:5] == "chat."}
    questions = {"say": SayBody, "jubel": ExclaimBody, "read": ReadQuery, "mute": MuteQuery}
    assert chat.keys() == questions.keys()
    for verb, (at, sent, got) in chat.items():
        _, player, table, _ = at.split(".")
        assert at == subjects.chat(player, table, verb)
        msgspec.json.decode(sent, type=questions[verb])
        assert not isinstance(decode_chat(got.encode()), Rejected)


def test_the_shape_of_who_is_away() -> None:
    (shown,) = re.findall(r'^"absent": \[(\{.*\})\]$', PAGE, re.MULTILINE)
    away = msgspec.json.decode(shown, type=AbsentSeat)
    assert away.substitute_from - away.since == SUBSTITUTE_MS
    assert msgspec.json.decode(msgspec.json.encode(away)) == msgspec.json.decode(shown)
