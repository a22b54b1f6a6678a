"""What he wants to hear and may not: other people's, the house's, and every shape of wildcard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from services.ops.trials.curiosity.probes import DENIED, Expected, Probe
from services.ops.trials.curiosity.scene import Scene

GROUP: Final = "subscribe"
_REFUSED: Final = (*DENIED, Expected("denied", "invalid subject"))

# In these, {me} is he, {one} and {two} are his victims, {table} is theirs, in partition {part}.
_SUBJECTS: Final = {
    "everything": "> * *.* *.*.* *.*.*.* *.*.*.*.* *.> *.*.> *.*.*.>",
    "everything about a victim": (
        "*.{one}.> *.{one}.* view.{one}.> view.{one}.* *.{one}.*.* *.*.{one} watch.{one}.x"
    ),
    "everything about their table": "*.*.{table} view.*.{table} *.{table} cmd.*.*.{table}.*",
    "a victim's view": "view.{one}.{table} view.{two}.{table}",
    "a victim's inbox": (
        "_INBOX.{one}.> _INBOX.{two}.> _INBOX.{one}.*.* _INBOX.{one}.x _INBOX.{one}"
    ),
    "a victim's commands": "cmd.{one}.> cmd.{two}.> cmd.{one}.{part}.{table}.move",
    "a victim's chat": "chatline.{one}.{table} chatline.{two}.* chat.{one}.>",
    "a victim's questions": "account.{one} names.{one}.get lobby.{one}.list",
    "views": "view.> view.* view.*.* view.*.> view.{me}x.* view.{ME}.*",
    "commands": (
        "cmd.> cmd.*.*.*.* cmd.{me}.> cmd.*.*.*.move cmd.bot.> cmd.ops.> cmd.*.{part}.{table}.*"
    ),
    "an inbox of the house": (
        "_INBOX.*.> _INBOX.table.> _INBOX.bot.> _INBOX.ops.> _INBOX.ledger.> _INBOX.lobby.> "
        "_INBOX.gateway.> _INBOX.analyst.> _INBOX.doorkeeper.>"
    ),
    "inboxes": "_INBOX.> _INBOX.* _INBOX.{me} _INBOX.{me}x.> _INBOX.{me}*.> _R_.> inbox.>",
    "what computers are asked": "bot.> bot.* bot.prompt bot.rat",
    "Taler": "ledger.> ledger.hold account.> account.* account.{me}",
    "chat": "chat.> chat.* chat.{table} chat.*.*.* chatline.> chatline.*.* chatline.*.{table}",
    "the feed of the log": "log.> log.*.* log.snorkeling.{table} log.*.{table}",
    "questions to services": "lobby.> lobby.*.list leaderboard.> names.> names.{me}.get",
    "operators": "gateway.> gateway.ticket _BENCH.>",
    "JetStream": "$JS.> $JS.API.> $JS.ACK.> $JS.EVENT.> $JS.LOGBUCH.API.> $JSC.>",
    "services": "$SRV.> $SRV.PING $SRV.INFO.table $SRV.*.*.*",
    "the system account": "$SYS.> $SYS.REQ.USER.AUTH $SYS.ACCOUNT.LOGBUCH.> $SYS.REQ.> $G.>",
    "what else NATS has": "$KV.> $O.> $MQTT.> $GR.> _GR_.> $LDS.> $NRG.>",
    "what looks like his own": "watch watch.*.* lobby.change.> WATCH.* View.* \u200bview.>",
    "no subject at all": "view.{one}. .view.{one} view..{table} view.>.x view.{one}.>.>",
}
_QUEUES: Final = ("table", "table-00-1", "bot", "gateway", "chat")
_QUEUED: Final = "view.{one}.* _INBOX.{one}.> cmd.> bot.prompt names.*.get > account.*"


def probes(scene: Scene) -> Iterator[Probe]:
    """Give all attempts to listen."""
    for what, templates in _SUBJECTS.items():
        for subject in _filled(templates, scene):
            yield Probe(GROUP, what, subject, _REFUSED, to="hear")
    for subject in _filled(_QUEUED, scene):
        for queue in _QUEUES:
            what = f"as one of the queue {queue}"
            yield Probe(GROUP, what, subject, _REFUSED, to="hear", queue=queue)


def _filled(templates: str, scene: Scene) -> list[str]:
    names = {"me": scene.me, "ME": scene.me.upper(), "one": scene.victim, "two": scene.other}
    return templates.format(**names, table=scene.table, part=scene.table[:2]).split()
