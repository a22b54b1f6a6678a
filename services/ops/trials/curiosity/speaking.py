"""What he wants to say and may not, and where he wants others to speak for him."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from contracts import subjects
from contracts.rights import CHAT_VERBS
from contracts.subjects import VERBS, inbox
from services.ops.trials.curiosity.probes import DENIED, Expected, Probe, body, cut, refused
from services.ops.trials.curiosity.scene import Scene

PUBLISH: Final = "publish"
REPLY: Final = "reply subject"
_REFUSED: Final = (*DENIED, Expected("denied", "invalid"))
_RESERVED: Final = (*refused("wrong_reply"), *DENIED, *cut("permissions violation"))
"""The server itself refuses some reply subjects, before a service has seen them."""


def publishing(scene: Scene) -> Iterator[Probe]:
    """Give all attempts to say what is not his to say."""
    for what, subject in _subjects(scene):
        yield Probe(PUBLISH, what, subject, _REFUSED, data=body(scene.mark))


def replying(scene: Scene) -> Iterator[Probe]:
    """Give his own questions whose answers shall go elsewhere: into inboxes, feeds, the log."""
    table = scene.mine[:2]
    aside = f"cmd.{scene.me}.{table}.{scene.mine}.resume"
    for what, reply in _replies(scene):
        data = body(scene.mark, since=0)
        yield Probe(REPLY, f"resume, {what}", aside, _RESERVED, data=data, reply=reply)
    questions = (
        ("open tables", subjects.lobby_list(scene.me)),
        ("leaderboard", subjects.leaderboard(scene.me, "speeddive")),
        ("names", subjects.names(scene.me)),
        ("Taler", subjects.account(scene.me)),
        ("chat", subjects.chat(scene.me, scene.table, "read")),
    )
    for what, subject in questions:
        for where, reply in (*_inboxes(scene), *_feeds(scene)):
            data = b'{"players": []}' if what == "names" else b"{}"
            yield Probe(REPLY, f"{what}, {where}", subject, _RESERVED, data=data, reply=reply)


def _inboxes(scene: Scene) -> Iterator[tuple[str, str]]:
    yield "into a victim's inbox", f"{inbox(scene.victim)}.{scene.mark}"
    yield "into the table service's inbox", f"{inbox('table')}.{scene.mark}.1"


def _feeds(scene: Scene) -> Iterator[tuple[str, str]]:
    yield "as a victim's view", subjects.view(scene.victim, scene.table)
    yield "as a victim's command", scene.as_victim("leave")


def _replies(scene: Scene) -> Iterator[tuple[str, str]]:
    mark, table = scene.mark, scene.table
    yield from _inboxes(scene)
    yield from _feeds(scene)
    yield "into operators' inbox", f"{inbox('ops')}.{mark}"
    yield "into his inbox, without a place", inbox(scene.me)
    yield "into his inbox, with a wildcard", f"{inbox(scene.me)}.>"
    yield "into his inbox, very deep", f"{inbox(scene.me)}.{'x.' * 20}x"
    yield "into an inbox that begins like his", f"{inbox(scene.me)}x.{mark}"
    yield "as the victims' spectators", subjects.watch(table)
    yield "as a computer's command", f"cmd.bot.{table[:2]}.{table}.decide"
    yield "as an operator's command", f"cmd.ops.{table[:2]}.{table}.void"
    yield "as a prompt", subjects.BOT_PROMPT
    yield "as a hold of stakes", subjects.HOLD
    yield "as a request for a ticket", subjects.TICKET
    yield "as a line of chat", subjects.chat_line(scene.victim, table)
    yield "as a line of chat for all", subjects.chat_line(subjects.WATCHERS, table)
    yield "as a stored line of chat", subjects.chat_lines(table)
    yield "as news of the lobby", subjects.LOBBY_CHANGE
    yield "into the feed of the log", subjects.log("snorkeling", table)
    yield "to JetStream", f"$JS.API.STREAM.INFO.{mark}"
    yield "to JetStream, to delete the log", "$JS.API.STREAM.DELETE.LOGBUCH"
    yield "as an acknowledgement", f"$JS.ACK.LOGBUCH.{mark}.1.1.1.1.0"
    yield "to all services", "$SRV.PING"
    yield "to the servers", "$SYS.REQ.SERVER.PING"
    yield "as a reply of the servers", f"_R_.{mark}"
    yield "nowhere in particular", f"anything.{mark}"


def _subjects(scene: Scene) -> Iterator[tuple[str, str]]:
    yield from _commands(scene)
    me, one, table = scene.me, scene.victim, scene.table
    for owner in (one, scene.other, me, "table", "ops", "gateway", "ledger"):
        yield "a forged answer", f"{inbox(owner)}.{scene.mark}"
    for subject in (
        subjects.view(one, table),
        subjects.view(me, scene.mine),
        subjects.watch(table),
    ):
        yield "a forged view", subject
    for verb in CHAT_VERBS:
        yield "chat in a victim's name", subjects.chat(one, table, verb)
    for reader in (one, me, subjects.WATCHERS):
        yield "a forged line of chat", subjects.chat_line(reader, table)
    yield "a stored line of chat", subjects.chat_lines(table)
    yield "chat with a verb that there is not", subjects.chat(me, table, "delete")
    for subject in (subjects.BOT_PROMPT, subjects.BOT_RAT, subjects.HOLD, subjects.TICKET):
        yield "a request between services", subject
    yield "a forged change of the lobby", subjects.LOBBY_CHANGE
    for subject in (
        subjects.account(one),
        subjects.lobby_list(one),
        subjects.leaderboard(one, "speeddive"),
        subjects.names(one),
        subjects.names("ops"),
        "lobby.list",
        "names.get",
        "leaderboard.speeddive",
    ):
        yield "a question in another's name", subject
    yield "a forged fact", subjects.log("snorkeling", table)
    yield "a forged fact of chance", subjects.log("snorkeling", scene.no_table)
    yield from _of_the_server()


def _commands(scene: Scene) -> Iterator[tuple[str, str]]:
    me, table, number = scene.me, scene.table, scene.table[:2]
    for verb in VERBS:
        yield "a victim's command", scene.as_victim(verb)
    for verb, owner in subjects.RESERVED.items():
        yield "a command of the house", f"cmd.{owner}.{number}.{table}.{verb}"
        yield "a verb of the house in his own name", scene.theirs_to(verb)
        yield "a verb of the house at his own table", scene.mine_to(verb)
    for subject in (
        scene.theirs_to("MOVE"),
        scene.theirs_to("move.x"),
        scene.theirs_to("fly"),
        scene.theirs_to("*"),
        scene.theirs_to(">"),
        f"cmd.{me}.{number}.{table}",
        f"cmd.{me}.{number}.x.{table}.move",
        f"CMD.{me}.{number}.{table}.move",
        f"cmd.{me.upper()}.{number}.{table}.move",
        f"cmd.{me}x.{number}.{table}.move",
        f"cmd.*.{number}.{table}.move",
        f"cmd.>.{number}.{table}.move",
        f"cmd..{number}.{table}.move",
        f".cmd.{me}.{number}.{table}.move",
        f"cmd.{scene.victim}\u200b.{number}.{table}.move",
        f"cmd.{scene.victim}.{number}.{table}.move\u0000",
        f"cmd.{me}\u0001.{number}.{table}.move",
    ):
        yield "a command that is none", subject


def _of_the_server() -> Iterator[tuple[str, str]]:
    for what in (
        *("INFO", "STREAM.LIST", "STREAM.NAMES", "STREAM.INFO.LOGBUCH", "STREAM.INFO.CHAT"),
        *("STREAM.CREATE.MINE", "STREAM.UPDATE.LOGBUCH", "STREAM.DELETE.LOGBUCH"),
        *("STREAM.PURGE.LOGBUCH", "STREAM.PURGE.CHAT", "STREAM.SNAPSHOT.LOGBUCH"),
        *("STREAM.RESTORE.LOGBUCH", "STREAM.MSG.GET.LOGBUCH", "STREAM.MSG.GET.CHAT"),
        *("STREAM.MSG.DELETE.LOGBUCH", "DIRECT.GET.LOGBUCH", "DIRECT.GET.CHAT"),
        *("CONSUMER.CREATE.LOGBUCH.x", "CONSUMER.CREATE.CHAT.x", "CONSUMER.LIST.LOGBUCH"),
        *("CONSUMER.DURABLE.CREATE.LOGBUCH.x", "CONSUMER.DELETE.LOGBUCH.research"),
        *("CONSUMER.MSG.NEXT.LOGBUCH.x", "META.LEADER.STEPDOWN", "SERVER.REMOVE"),
    ):
        yield "JetStream", f"$JS.API.{what}"
    for subject in (
        *("$JS.LOGBUCH.API.STREAM.INFO.LOGBUCH", "$JS.ACK.LOGBUCH.x.1.1.1.1.0"),
        *("$JS.FC.LOGBUCH.x", "$KV.x.y", "$O.x.C.y"),
    ):
        yield "JetStream by other ways", subject
    for subject in ("$SRV.PING", "$SRV.INFO", "$SRV.STATS.table", "$SRV.INFO.gateway.x"):
        yield "services", subject
    for subject in (
        *("$SYS.REQ.USER.AUTH", "$SYS.REQ.USER.INFO", "$SYS.REQ.SERVER.PING"),
        *("$SYS.REQ.SERVER.PING.CONNZ", "$SYS.REQ.SERVER.x.KICK", "$SYS.REQ.SERVER.x.RELOAD"),
        *("$SYS.REQ.ACCOUNT.LOGBUCH.CONNZ", "$SYS.REQ.CLAIMS.UPDATE"),
        *("$SYS.ACCOUNT.LOGBUCH.CONNECT", "$SYS._INBOX.x"),
    ):
        yield "the system account", subject
    for subject in ("_R_.x", "$GR.x", "_BENCH.x", "anything.else", "x"):
        yield "anything else", subject
