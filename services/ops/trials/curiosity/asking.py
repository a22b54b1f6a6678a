"""What he asks that is not his, what he sends that is no command, and headers of all sorts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from contracts import subjects
from contracts.subjects import inbox
from services.ops.trials.curiosity.probes import (
    DENIED,
    NOBODY,
    Probe,
    answered,
    body,
    cut,
    refused,
)
from services.ops.trials.curiosity.scene import Scene
from services.ops.trials.curiosity.wire import headers

NOT_HIS: Final = "not his"
STRANGE: Final = "strange commands"
PAYLOAD: Final = "payloads"
HEADER: Final = "headers"
_NO: Final = refused("malformed", "too_large", "too_long", "bad_text", "bad_options", "not_seated")


def not_his(scene: Scene) -> Iterator[Probe]:
    """Give his own commands to tables at which he does not sit, all of them with a good body."""
    seated = refused("not_seated")
    mark = scene.mark
    for what, verb, expected, fields in (
        ("the stored events of a running game", "log", refused("sealed"), {"since": 0}),
        ("advice", "rat", refused("not_seated", "no_rat"), {"prompt": 5}),
        ("a move", "move", seated, {"prompt": 5, "move": {"type": "Pass"}}),
        ("going on", "weiter", seated, {"prompt": 5}),
        ("leaving", "leave", seated, {}),
        ("the start", "start", refused("not_gathering", "not_opener"), {}),
        ("a seat", "join", refused("not_gathering", "table_full"), {}),
        ("a victim's seat", "join", refused("not_gathering", "table_full"), {"place": 0}),
        ("speed", "turbo", refused("not_seated", "not_solo"), {"on": True}),
        ("the next table", "again", refused("not_over", "not_seated"), {}),
        (
            "a computer for a victim",
            "substitute",
            refused("not_seated", "not_offline"),
            {"seat": 0},
        ),
        ("opening it again", "open", refused("bad_table_id", "not_gathering"), _opening()),
    ):
        yield Probe(
            NOT_HIS, what, scene.theirs_to(verb), expected, data=body(f"{mark}-{verb}", **fields)
        )
    for what, table, code in (
        ("the table after the victims' one", scene.next_table, "unknown_table"),
        ("a table that there is not", scene.no_table, "unknown_table"),
    ):
        subject = f"cmd.{scene.me}.{table[:2]}.{table}"
        yield Probe(NOT_HIS, what, f"{subject}.resume", refused(code), data=body(mark, since=0))
        yield Probe(NOT_HIS, what, f"{subject}.log", refused(code), data=body(mark, since=0))
        opening = body(f"{mark}-open", **_opening())
        yield Probe(NOT_HIS, what, f"{subject}.open", refused("bad_table_id"), data=opening)
    yield Probe(
        NOT_HIS,
        "the stored events of his own running game",
        scene.mine_to("log"),
        refused("sealed"),
        data=body(mark, since=0),
    )
    for verb in ("say", "jubel", "aerger"):
        words = {"text": "Guten Tag"} if verb == "say" else {}
        yield Probe(
            NOT_HIS,
            "speaking at their table",
            subjects.chat(scene.me, scene.table, verb),
            refused("not_seated"),
            data=body(f"{mark}-{verb}", **words),
        )
    yield Probe(NOT_HIS, "Taler of a guest", subjects.account(scene.me), refused("guest_no_stake"))


def _opening() -> dict[str, object]:
    return {"game": "snorkeling", "rules": {"places": 2}}


def strange(scene: Scene) -> Iterator[Probe]:
    """Give commands in his own name whose subjects are none."""
    me, table, number = scene.me, scene.table, scene.table[:2]
    other = f"{(int(number) + 1) % subjects.PARTITIONS:02d}"
    bad = refused("bad_table_id")
    for what, subject, expected in (
        ("another partition", f"cmd.{me}.{other}.{table}.resume", bad),
        ("a wildcard for a table", f"cmd.{me}.{number}.*.resume", bad),
        ("everything for a table", f"cmd.{me}.{number}.>.resume", bad),
        ("an upper-case table", f"cmd.{me}.{number}.{number}-{'C' * 24}.resume", bad),
        ("a stream for a table", f"cmd.{me}.{number}.table-{table}.resume", bad),
        ("an account for a table", f"cmd.{me}.{number}.account-{scene.victim}.resume", bad),
        ("a path for a table", f"cmd.{me}.{number}./etc/passwd.resume", (*bad, *DENIED)),
        ("SQL for a table", f"cmd.{me}.{number}.'or'1'='1.resume", bad),
        ("a table with a control character", f"cmd.{me}.{number}.{table}\u0001.resume", bad),
        ("a table with a zero", f"cmd.{me}.{number}.{table}\u0000.resume", bad),
        ("a table with an invisible space", f"cmd.{me}.{number}.{table}\u200b.resume", bad),
        ("a long table", f"cmd.{me}.{number}.{'x' * 3_000}.resume", bad),
        ("a very long subject", f"cmd.{me}.{number}.{'x' * 70_000}.resume", cut("control line")),
        ("chat at a table that is none", subjects.chat(me, "x", "read"), bad),
        ("chat at all tables", subjects.chat(me, "*", "read"), bad),
        ("the best of no game", subjects.leaderboard(me, "poker"), refused("bad_options")),
        ("the best of a wildcard", subjects.leaderboard(me, "*"), refused("bad_options")),
        ("the best of a victim", subjects.leaderboard(me, scene.victim), refused("bad_options")),
    ):
        yield Probe(STRANGE, what, subject, expected, data=_plain(subject, scene.mark))


def unheard(scene: Scene) -> Iterator[Probe]:
    """Give commands in his own name on subjects to which nobody listens."""
    me, table = scene.me, scene.table
    for what, subject in (
        ("a partition too many", f"cmd.{me}.32.32{table[2:]}.resume"),
        ("no number of a partition", f"cmd.{me}.x.{table}.resume"),
        ("a partition without its zero", f"cmd.{me}.7.{table}.resume"),
        ("a negative partition", f"cmd.{me}.-1.{table}.resume"),
        ("a wildcard for a partition", f"cmd.{me}.*.{table}.resume"),
    ):
        yield Probe(STRANGE, what, subject, NOBODY, data=_plain(subject, scene.mark))


def _plain(subject: str, mark: str) -> bytes:
    return body(mark, since=0) if subject.startswith("cmd.") else b"{}"


def payloads(scene: Scene) -> Iterator[Probe]:
    """Give contents that are none, to every service that takes some from him."""
    to = {
        "the table": scene.mine_to("resume"),
        "the table, as a move": scene.mine_to("move"),
        "the lobby": subjects.lobby_list(scene.me),
        "the ledger": subjects.leaderboard(scene.me, "speeddive"),
        "the gateway": subjects.names(scene.me),
        "the chat": subjects.chat(scene.me, scene.table, "say"),
    }
    for where, subject in to.items():
        for what, data in _contents(scene.mark):
            yield Probe(PAYLOAD, f"{what}, to {where}", subject, _NO, data=data)
    more = b"x" * 1_048_577
    too_much = cut("maximum payload")
    yield Probe(PAYLOAD, "more than 1 MB", scene.mine_to("resume"), too_much, data=more)


def _contents(mark: str) -> Iterator[tuple[str, bytes]]:
    name = f'"command_id": "{mark}-payload"'.encode()
    yield "17 kB", b'{%s, "since": 0, "x": "%s"}' % (name, b"x" * 17_000)
    yield "1 MB", b" " * 1_000_000
    yield "deep nesting", b"[" * 3_000
    yield "no JSON", b"\x00\x01\x02"
    yield "invalid UTF-8", b'{%s, "since": 0, "text": "\xff\xfe", "game": "\xc3"}' % name
    yield "not a number", b'{%s, "since": NaN, "prompt": NaN, "limit": NaN, "text": NaN}' % name
    yield "a name twice", b'{%s, %s, "limit": "1", "limit": 1, "since": "1"}' % (name, name)
    yield "a huge integer", b'{%s, "since": %s, "limit": %s}' % (name, b"9" * 400, b"9" * 400)
    yield "a negative number", b'{%s, "since": -1, "prompt": -1, "limit": -1}' % name
    yield "a field that there is not", b'{%s, "since": 0, "as": "p_anna"}' % name
    yield "a list", b"[1, 2, 3]"


def with_headers(scene: Scene) -> Iterator[Probe]:
    """Give questions with headers that mean something to the server, or nothing to anybody."""
    subject, data = scene.mine_to("resume"), body(scene.mark, since=0)
    fine = answered("resumed")
    victim = f"{inbox(scene.victim)}.{scene.mark}"
    for what, block, expected in (
        ("a message id", headers(f"Nats-Msg-Id: {scene.mark}"), fine),
        ("an expected stream", headers("Nats-Expected-Stream: LOGBUCH"), fine),
        ("a roll-up", headers("Nats-Rollup: all"), fine),
        ("a status of the server", headers(status="503"), fine),
        ("an error of a service", headers("Nats-Service-Error-Code: 500"), fine),
        ("20 kB", headers(f"X: {'x' * 20_000}"), fine),
        ("five thousand", headers(*(f"X{number}: y" for number in range(5_000))), fine),
        ("a block that is none", b"nonsense\r\n\r\n", (*fine, *cut(""), *DENIED)),
        ("a name without an end", b"NATS/1.0\r\nX\r\n\r\n", (*fine, *cut(""))),
        ("bytes that are no text", b"NATS/1.0\r\nX: \xff\xfe\r\n\r\n", (*fine, *cut(""))),
        ("a trace to a victim", headers(f"Nats-Trace-Dest: {victim}"), DENIED),
        (
            "a trace alone, as a command",
            headers(f"Nats-Trace-Dest: {scene.as_victim('leave')}", "Nats-Trace-Only: true"),
            DENIED,
        ),
        (
            "a trace by the common name",
            headers(
                "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                f"Nats-Trace-Dest: {victim}",
            ),
            DENIED,
        ),
    ):
        yield Probe(HEADER, what, subject, expected, data=data, headers=block)
