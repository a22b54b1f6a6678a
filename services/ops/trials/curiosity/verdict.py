"""What it has come to: what he heard, what others heard because of him, and how the victims fared."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Final

from contracts import subjects
from contracts.subjects import inbox
from domain.kernel import Chosen
from services.kit.bus import Message
from services.kit.store.database import Database
from services.ops.simulation.acks import missing_acks
from services.ops.trials.curiosity import hidden
from services.ops.trials.curiosity.hidden import Stored, stored
from services.ops.trials.curiosity.judging import (
    Secret,
    astray,
    fits,
    may_hear,
    secrets_in,
    strays,
)
from services.ops.trials.curiosity.stage import Stage, service
from services.ops.trials.curiosity.victims import CHAT, HELD_AT, Victim
from services.ops.trials.curiosity.wire import Heard
from services.ops.trials.report import Sheet
from services.ops.verify import verify

CONTROL_S: Final = 10.0
HEARD: Final = "what he heard"
OTHERS: Final = "what others heard"
VICTIMS: Final = "the victims"
CONTROL: Final = "control"


async def judge(stage: Stage, sheet: Sheet, phases: Sequence[str]) -> None:
    """Check everything that was kept; `phases` are how the game ended for each of the victims."""
    async with Database(stage.settings.database_url, name="trial") as database:
        theirs = await stored(database, stage.scene.table)
        mine = await stored(database, stage.scene.mine)
        report = await verify(database, stage.scene.table)
    clean = not report.findings
    detail = ", ".join(each.kind for each in report.findings)
    sheet.check(holds=clean, what=f"{VICTIMS}: the log", where=stage.scene.table, detail=detail)
    _judge_subjects(stage, sheet)
    _judge_secrets(stage, sheet, theirs, mine)
    _judge_strays(stage, sheet)
    await _judge_game(stage, sheet, theirs, phases)
    await _control_listener(stage, sheet)


def _judge_subjects(stage: Stage, sheet: Sheet) -> None:
    heard, me = stage.curious.heard, stage.scene.me
    foreign = sorted({each.subject for each in heard if not may_hear(me, each.subject)})
    _none(sheet, f"{HEARD}: nothing but his own and what is public", foreign)
    for what, pattern in (
        ("his own view", subjects.view(me, stage.scene.mine)),
        ("the victims' public view", subjects.watch(stage.scene.table)),
        ("their public chat", subjects.chat_line(subjects.WATCHERS, stage.scene.table)),
        ("news of the lobby", subjects.LOBBY_CHANGE),
        ("his answers", f"{inbox(me)}.>"),
    ):
        came = any(fits(pattern, each.subject) for each in heard)
        detail = "he did not hear it"
        sheet.check(holds=came, what=f"{HEARD}: {what}", where=pattern, detail=detail)
    size = sum(len(each.data) for each in heard) / 1e6
    sheet.figures["heard"] = f"{len(heard):,} messages, {size:.1f} MB"


def _none(sheet: Sheet, what: str, found: Sequence[str]) -> None:
    """Check that nothing was found; each that was is a failure of its own."""
    for where in found:
        sheet.fail(what, where, "there it is")
    if not found:
        sheet.check(holds=True, what=what, where="", detail="")


def _judge_secrets(stage: Stage, sheet: Sheet, theirs: Stored, mine: Stored) -> None:
    hands = hidden.of_hands(theirs, stage.victims)
    private = [Secret(what, text.encode()) for what, text in stage.private]
    house = hidden.of_the_house(stage.settings.credentials)
    secrets = [*hands, *private, *house, *theirs.secrets(), *mine.secrets()]
    told = secrets_in(stage.curious.heard, secrets)
    _none(sheet, f"{HEARD}: no secret", [f"{each.what} in {at.subject}" for each, at in told])
    for kind in (*hidden.KINDS, *(what for what, _ in stage.private)):
        holds = any(each.what.startswith(kind) for each in secrets)
        detail = "there is none to look for"
        sheet.check(holds=holds, what=f"{CONTROL}: {kind}", where="secrets", detail=detail)
    sheet.figures["secrets"] = f"{len(secrets):,} looked for, of them {len(hands):,} hands"
    planted = [Heard("planted", b"{" + each.text + b"}") for each in secrets]
    seen = len(secrets_in([*stage.curious.heard, *planted], secrets))
    detail = f"{len(secrets) - seen} planted secrets are not found"
    what = f"{CONTROL}: planted secrets are found"
    sheet.check(holds=seen == len(secrets) > 0, what=what, where="", detail=detail)
    own = [
        Heard(each.subject, each.data)
        for each in stage.everything
        if each.subject == subjects.view(stage.scene.victim, stage.scene.table)
    ]
    holds = bool(secrets_in(own, hands))
    what, detail = f"{CONTROL}: a victim's own view holds hands", "no hand is found in it"
    sheet.check(holds=holds, what=what, where="view", detail=detail)


def _judge_strays(stage: Stage, sheet: Sheet) -> None:
    scene = stage.scene
    gone = [each.subject for each in strays(stage.everything, scene.me, scene.mark)]
    _none(sheet, f"{OTHERS}: nothing that he has brought about", gone)
    victim, table = scene.victim, scene.table
    for pattern in (
        subjects.view(victim, table),
        subjects.watch(table),
        subjects.command(victim, table, "move"),
        f"{inbox(victim)}.>",
        subjects.chat_line(victim, table),
        subjects.chat_lines(table),
        subjects.log("*", table),
        subjects.BOT_PROMPT,
        subjects.LOBBY_CHANGE,
    ):
        hears = any(fits(pattern, each.subject) for each in stage.everything)
        what, detail = f"{CONTROL}: the listener hears it", "nothing was heard there"
        sheet.check(holds=hears, what=what, where=pattern, detail=detail)
    sheet.figures["on the bus meanwhile"] = f"{len(stage.everything):,} messages"


async def _judge_game(stage: Stage, sheet: Sheet, log: Stored, phases: Sequence[str]) -> None:
    table = stage.scene.table
    for phase in phases:
        holds = phase == "finished"
        sheet.check(holds=holds, what=f"{VICTIMS}: game over", where=table, detail=phase)
    for seat, victim in enumerate(stage.victims):
        _judge_victim(sheet, log, seat, victim)
    acks = [ack for victim in stage.victims for ack in victim.client.acks]
    lost = await missing_acks(stage.settings.database_url, acks)
    detail = f"{len(lost)} acknowledged commands are not in the log"
    sheet.check(holds=not lost, what=f"{VICTIMS}: nothing lost", where=table, detail=detail)
    strangers = {each.by for each in log.kept} & {stage.scene.me, subjects.BOT, subjects.OPS}
    detail = f"done by {', '.join(strangers)}"
    sheet.check(holds=not strangers, what=f"{VICTIMS}: only they", where=table, detail=detail)


def _judge_victim(sheet: Sheet, log: Stored, seat: int, victim: Victim) -> None:
    table, who = log.table, f"{VICTIMS}: {victim.player}"
    acked = {n for ack in victim.client.acks for n in range(ack.first, ack.last + 1)}
    moves = [
        (number, fact.decided_by)
        for number, fact in enumerate(log.facts, 1)
        if isinstance(fact, Chosen) and fact.seat == seat
    ]
    foreign = [number for number, by in moves if by != "human" or number not in acked]
    detail = f"events {foreign[:5]} are not his"
    sheet.check(holds=not foreign, what=f"{who} made his moves", where=table, detail=detail)
    holds = len(moves) == victim.moves > HELD_AT
    detail = f"{victim.moves} moves made, {len(moves)} in the log"
    sheet.check(holds=holds, what=f"{who} has all moves", where=table, detail=detail)
    followed = victim.client.seat(table)
    holds = followed.complete and len(followed.facts) == len(log.facts)
    detail = f"{len(followed.facts)} of {len(log.facts)} facts"
    sheet.check(holds=holds, what=f"{who} saw all", where=table, detail=detail)
    holds, detail = not victim.refused, ", ".join(victim.refused)
    sheet.check(holds=holds, what=f"{who} was not refused", where=table, detail=detail)
    lines = [line for line in CHAT if any(line.encode() in each for each in victim.lines)]
    holds, detail = len(lines) == len(CHAT) == len(victim.lines), f"{len(victim.lines)} lines"
    sheet.check(holds=holds, what=f"{who} heard the chat", where=table, detail=detail)


async def _control_listener(stage: Stage, sheet: Sheet) -> None:
    """Let who may publish where he wanted his answers, and see that it is heard and found."""
    scene = stage.scene
    wanted = {
        f"{inbox(scene.victim)}.{scene.mark}": b"{}",
        f"{inbox('table')}.{scene.mark}.1": b"{}",
        subjects.view(scene.victim, scene.no_table): b'{"type":"resumed"}',
        subjects.watch(scene.no_table): b'{"type":"rejected"}',
    }
    heard: asyncio.Queue[Message] = asyncio.Queue()
    async with AsyncExitStack() as stack:
        table = await service(stage.settings, "table", stack)
        for subject in wanted:
            await stage.listener.subscribe(subject, heard.put_nowait)
        for subject, data in wanted.items():
            table.publish(subject, data)
        try:
            async with asyncio.timeout(CONTROL_S):
                came = [await heard.get() for _ in wanted]
        except TimeoutError:
            came = []
    for subject in wanted:
        message = next((each for each in came if each.subject == subject), None)
        holds = message is not None and astray(message, scene.me, scene.mark)
        what = f"{CONTROL}: what is published where he wanted an answer is heard and found"
        sheet.check(holds=holds, what=what, where=subject, detail="it was not")
