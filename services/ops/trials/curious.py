"""`logbuch trial curious`: a player with a good ticket tries everything that is not his.

Meanwhile two victims play a game with hidden hands and talk. Every attempt must be refused aloud:
by the server, by a service or by the end of the connection. What he hears in spite of all is kept
and searched for the victims' cards and the house's secrets; a listener with all rights hears what
services publish, so nothing can be brought about elsewhere.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from contracts import subjects
from contracts.subjects import inbox
from domain.refusals import Refused
from services.kit.bus import BusError
from services.kit.client import Unanswered
from services.kit.console.failure import Failure
from services.kit.console.progress import Progress
from services.kit.settings import Settings
from services.ops.trials.curiosity import asking, door, flooding, listening, speaking, web
from services.ops.trials.curiosity.probes import Probe, body
from services.ops.trials.curiosity.stage import Stage, staged
from services.ops.trials.curiosity.verdict import judge
from services.ops.trials.curiosity.victims import CHAT, GAME, begin
from services.ops.trials.curiosity.wire import Cut, Heard
from services.ops.trials.report import Report, Sheet

END_S: Final = 120.0
"""So long the victims may take to finish their game when he is through; it takes seconds."""
OWN: Final = "his own"
MOVES_MAX: Final = 10
WAIT_S: Final = 20.0
TURN_S: Final = 3.0
"""A computer makes its pause before each move."""


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare the trial's arguments: there are none."""


async def run(_args: argparse.Namespace, settings: Settings) -> Report:
    """Run the trial; raises BusError, Failure and StoreUnavailable when the system is not up."""
    try:
        return await _tried(settings)
    except Cut as over:
        raise Failure(f"the bus does not let him in any more: {over}") from None


async def _tried(settings: Settings) -> Report:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    sheet = Sheet("curious")
    async with staged(settings) as stage:
        released = asyncio.Event()
        table = stage.scene.table
        tried: Counter[str] = Counter()
        await _unheard(stage, sheet, tried)
        await begin(stage.victims, table)
        games = [asyncio.create_task(each.play(table, released)) for each in stage.victims]
        try:
            await _own(stage, sheet)
            await _everything(stage, sheet, tried)
            running = not any(game.done() for game in games)
            detail = "it ended before; nothing can be said about what came after"
            sheet.check(holds=running, what="the game ran to the last", where=table, detail=detail)
        finally:
            released.set()
            ended, running_on = await asyncio.wait(games, timeout=END_S)
            for game in running_on:
                game.cancel()
        phases = [_phase(game) for game in ended] + ["still playing"] * len(running_on)
        await judge(stage, sheet, phases)
        await stage.curious.ask(stage.scene.mine_to("leave"), body(f"{stage.scene.mark}-leave"))
    figures = {f"{group} probes": f"{count:,}" for group, count in tried.items()}
    figures["all probes"] = f"{tried.total():,}"
    figures |= sheet.figures | {"time": f"{loop.time() - begun:.1f} s"}
    sheet.figures = figures
    return sheet.report()


def _phase(game: asyncio.Task[Any]) -> str:
    """Give how a victim's game ended for him, in the table's words or those of what went wrong."""
    error = game.exception()
    if isinstance(error, Refused | Unanswered | BusError | TimeoutError):
        return f"{type(error).__name__} {error}".rstrip()
    return str(game.result().phase)


async def _unheard(stage: Stage, sheet: Sheet, tried: Counter[str]) -> None:
    """Try where nobody listens; from then on the listener listens everywhere."""
    lobby = subjects.LOBBY_CHANGE
    curious = stage.curious
    told = await curious.wire.until(
        lambda: any(each.subject == lobby for each in curious.heard), 10
    )
    detail = "it does not come"
    sheet.check(holds=told, what=f"{OWN}: news of the lobby", where=lobby, detail=detail)
    for probe in asking.unheard(stage.scene):
        await _probe(stage, sheet, probe)
        tried[probe.group] += 1
    await stage.listener.subscribe(">", stage.everything.append)


async def _own(stage: Stage, sheet: Sheet) -> None:
    """Let him do what he may: else that he cannot do the rest would say nothing."""
    scene, curious = stage.scene, stage.curious

    async def check(what: str, subject: str, wanted: str, data: bytes = b"{}") -> Any:
        answer = await curious.ask(subject, data)
        got = answer.get("type") if isinstance(answer, dict) else str(answer)
        sheet.check(holds=got == wanted, what=f"{OWN}: {what}", where=subject, detail=str(answer))
        return answer if got == wanted else {}

    rules = {"places": 2, "solo": True, "thinking_s": 0, "tempo": "schnell"}
    opening = body(stage.opening, game="speeddive", rules=rules)
    await check("opening a table", scene.mine_to("open"), "accepted", opening)
    start = body(f"{scene.mark}-start", client_seed="neugier")
    await check("starting alone", scene.mine_to("start"), "accepted", start)
    view = subjects.view(scene.me, scene.mine)
    seen = await curious.wire.until(
        lambda: any(each.subject == view for each in curious.heard), WAIT_S
    )
    sheet.check(holds=seen, what=f"{OWN}: his view", where=view, detail="it does not come")
    await _own_moves(stage, sheet)
    await check("asking about Taler", subjects.account(scene.me), "rejected")
    await check("open tables", subjects.lobby_list(scene.me), "open_tables")
    await check("the best", subjects.leaderboard(scene.me, GAME), "leaderboard")
    told = await check(
        "looking on", scene.theirs_to("resume"), "resumed", body(scene.mark, since=0)
    )
    shown = told.get("feed", {}).get("view", {})
    public = shown.get("seat") is None and not shown.get("questions")
    detail = "a spectator is shown a seat"
    sheet.check(holds=public, what=f"{OWN}: a spectator's view", where=scene.table, detail=detail)
    query = f'{{"players": ["{scene.victim}", "{scene.other}"]}}'.encode()
    names = (await check("names", subjects.names(scene.me), "names", query)).get("names", {})
    known = {victim.player: victim.session.name for victim in stage.victims}
    sheet.check(holds=names == known, what=f"{OWN}: only names", where="names", detail=str(names))
    for victim, text in zip(stage.victims, CHAT, strict=True):
        await victim.say(scene.table, text)
    chat = subjects.chat(scene.me, scene.table, "read")
    lines = (await check("reading the chat", chat, "chat_lines")).get("lines", [])
    said = [line["text"] for line in lines]
    sheet.check(holds=said == list(CHAT), what=f"{OWN}: all lines", where=chat, detail=str(said))


async def _own_moves(stage: Stage, sheet: Sheet) -> None:
    """Let him play at his own table until he and a computer have moved."""
    scene, curious = stage.scene, stage.curious
    subject = subjects.view(scene.me, scene.mine)

    def asked() -> list[Any]:
        views = [
            json.loads(each.data).get("view") for each in curious.heard if each.subject == subject
        ]
        return list(next(view for view in reversed(views) if view).get("questions", ()))

    def computer_moved() -> bool:
        own = (each.data for each in curious.heard if each.subject == subject)
        return any(b'"decided_by":"computer"' in data for data in own)

    moved = False
    for number in range(MOVES_MAX):
        await curious.wire.until(lambda: bool(asked()) or computer_moved(), WAIT_S)
        for question in asked()[:1]:
            fields = {"prompt": question["prompt"], "move": question["default"]}
            move = body(f"{scene.mark}-move-{number}", **fields)
            answer = await curious.ask(scene.mine_to("move"), move)
            moved = moved or (isinstance(answer, dict) and answer.get("type") == "accepted")
        if await curious.wire.until(computer_moved, TURN_S) and moved:
            break
    detail = "his moves are not taken, or computers make none"
    holds = moved and computer_moved()
    sheet.check(holds=holds, what=f"{OWN}: a game", where=scene.mine, detail=detail)


async def _everything(stage: Stage, sheet: Sheet, tried: Counter[str]) -> None:
    scene, curious = stage.scene, stage.curious
    probes = [
        *listening.probes(scene),
        *speaking.publishing(scene),
        *speaking.replying(scene),
        *asking.not_his(scene),
        *asking.strange(scene),
        *asking.payloads(scene),
        *asking.with_headers(scene),
    ]
    credentials = stage.settings.credentials
    cookies = (stage.browser.cookie, scene.victim)
    entries = list(door.attempts(scene, stage.session.ticket, cookies, credentials))
    requests = list(web.requests(scene, stage.session, stage.victims[0].session.name))
    with Progress("probes", len(probes) + len(entries) + len(requests)) as progress:
        for done, probe in enumerate(probes):
            progress.show(done, probe.group)
            await _probe(stage, sheet, probe)
            tried[probe.group] += 1
        tried[flooding.PROTOCOL] += await flooding.try_words(curious, scene, sheet)
        tried[flooding.GROUP] += await flooding.try_floods(curious, scene, stage.victims, sheet)
        for done, entry in enumerate(entries, len(probes)):
            progress.show(done, door.GROUP)
            said = (await curious.enter(entry.options, entry.path)).lower()
            holds = any(words in said for words in entry.refused)
            what = f"{door.GROUP}: {entry.what}"
            detail = said or "he was let in"
            sheet.check(holds=holds, what=what, where=entry.path or "CONNECT", detail=detail)
            tried[door.GROUP] += 1
        for done, request in enumerate(requests, len(probes) + len(entries)):
            progress.show(done, web.GROUP)
            await _request(stage, sheet, request)
            tried[web.GROUP] += 1
    await _public_pages(stage, sheet)
    let_in = await curious.enter({"auth_token": stage.session.ticket})
    what = f"{OWN}: his ticket still lets him in"
    sheet.check(holds=not let_in, what=what, where="CONNECT", detail=let_in)
    await curious.come()


async def _probe(stage: Stage, sheet: Sheet, probe: Probe) -> None:
    outcome = await stage.curious.attempt(probe)
    holds = any(expected.fits(outcome) for expected in probe.expected)
    detail = f"{outcome.kind}: {outcome.said}"
    what = f"{probe.group}: {probe.what}"
    where = f"{probe.subject[:120]} -> {probe.reply}" if probe.reply else probe.subject[:120]
    sheet.check(holds=holds, what=what, where=where, detail=detail)


async def _request(stage: Stage, sheet: Sheet, request: web.Request) -> None:
    status, content = await stage.raw.send(request)
    where = f"{request.method} {request.path}"
    stage.curious.heard.append(Heard(f"{inbox(stage.scene.me)}.http", content))
    holds = status in request.refused and web.COOKIE.encode() not in content
    detail = f"answered with {status}"
    sheet.check(holds=holds, what=f"{web.GROUP}: {request.what}", where=where, detail=detail)


async def _public_pages(stage: Stage, sheet: Sheet) -> None:
    """Keep what the gateway shows to everybody; it must name nobody."""
    people: Iterable[str] = (*stage.scene.victims, stage.scene.me, stage.scene.table)
    for path in ("/metrics", "/livez", "/readyz"):
        request = web.Request("what everybody may see", "GET", path, (), {}, b"")
        status, content = await stage.raw.send(request)
        stage.curious.heard.append(Heard(f"{inbox(stage.scene.me)}.http", content))
        named = [each for each in people if each.encode() in content]
        holds = status == 200 and not named  # noqa: PLR2004 - OK
        detail = f"answered with {status}, naming {', '.join(named) or 'nobody'}"
        sheet.check(holds=holds, what="HTTP: shows nobody", where=path, detail=detail)
