"""Too much of what he may do, and words that only servers say to each other."""

from __future__ import annotations

import asyncio
from typing import Final

from contracts.rights import SUBSCRIPTIONS_MAX
from contracts.subjects import inbox
from services.ops.trials.curiosity.player import ANSWER_S, Curious
from services.ops.trials.curiosity.probes import body
from services.ops.trials.curiosity.scene import Scene
from services.ops.trials.curiosity.victims import Victim
from services.ops.trials.curiosity.wire import Cut, publication
from services.ops.trials.report import Sheet

GROUP: Final = "floods"
PROTOCOL: Final = "protocol"
COMMANDS: Final = 400
BURST, PER_S = 60, 20
"""What contracts/README.md says that is taken of one player's commands."""
QUESTIONS: Final = 5
_WORDS: Final = (
    ("a subscription between servers", b"RS+ LOGBUCH view.>\r\n"),
    ("a message between servers", b"RMSG LOGBUCH view.x 2\r\nok\r\n"),
    ("a message of a leaf node", b"LMSG view.x 2\r\nok\r\n"),
    ("a leaf node's subscription", b"LS+ view.>\r\n"),
    ("an account", b"A+ SYS\r\n"),
    ("a message of the server", b"MSG view.x 1 2\r\nok\r\n"),
    ("a size below zero", b"PUB x -1\r\n\r\n"),
    ("a size that is none", b"PUB x y\r\n\r\n"),
    ("a huge size", b"PUB x 99999999999999999999\r\n\r\n"),
    ("more headers than message", b"HPUB x 12 2\r\nok\r\n"),
    ("no words at all", b"\x00\xff\x00\xff\r\n"),
)


async def try_words(curious: Curious, scene: Scene, sheet: Sheet) -> int:
    """Say what only servers say, and log in again as somebody else; give how many were tried."""
    for what, raw in _WORDS:
        refused = await _refused(curious, raw)
        sheet.check(holds=bool(refused), what=f"{PROTOCOL}: {what}", where="socket", detail="taken")
    again = b'CONNECT {"user": "table", "pass": "", "verbose": false}\r\n'
    forged = publication(f"view.{scene.victim}.{scene.table}".encode(), b"{}")
    refused = await _refused(curious, again + forged)
    what = f"{PROTOCOL}: another login on the same connection"
    sheet.check(holds=bool(refused), what=what, where="socket", detail="taken")
    return len(_WORDS) + 1


async def _refused(curious: Curious, raw: bytes) -> str:
    try:
        errors = await curious.wire.say(raw)
    except Cut as over:
        await curious.come()
        return str(over)
    return errors[0] if errors else ""


async def try_floods(
    curious: Curious, scene: Scene, victims: tuple[Victim, Victim], sheet: Sheet
) -> int:
    """Send and subscribe far too much, while the victims ask something; give how many tries."""
    await _subscriptions(curious, sheet)
    await _commands(curious, scene, victims, sheet)
    return 2


async def _subscriptions(curious: Curious, sheet: Sheet) -> None:
    raw = b"".join(b"SUB watch.%d many%d\r\n" % (n, n) for n in range(SUBSCRIPTIONS_MAX + 1))
    said = await _refused(curious, raw)
    what = f"{GROUP}: more than {SUBSCRIPTIONS_MAX} subscriptions"
    sheet.check(holds="subscriptions" in said, what=what, where="watch.*", detail=said or "taken")
    await curious.come()


async def _commands(
    curious: Curious, scene: Scene, victims: tuple[Victim, Victim], sheet: Sheet
) -> None:
    loop = asyncio.get_running_loop()
    prefix = f"{inbox(scene.me)}.flood"
    subject, data = scene.mine_to("resume").encode(), body(scene.mark, since=0)
    raw = b"".join(
        publication(subject, data, f"{prefix}.{number}".encode()) for number in range(COMMANDS)
    )
    before = sum(victim.client.counts.repeats for victim in victims)
    begun = loop.time()

    def answers() -> list[bytes]:
        return [each.data for each in curious.heard if each.subject.startswith(prefix)]

    waits, _ = await asyncio.gather(_asked(victims, scene.table), curious.wire.say(raw))
    await curious.wire.until(lambda: len(answers()) >= COMMANDS, ANSWER_S)
    took_s = loop.time() - begun
    came = answers()
    fast = sum(b'"too_fast"' in each for each in came)
    taken = len(came) - fast
    what = f"{GROUP}: {COMMANDS} commands at once"
    allowed = BURST + PER_S * (took_s + 1)
    detail = f"{taken} of {len(came)} answers were no refusals, in {took_s:.1f} s"
    holds = len(came) == COMMANDS and taken <= allowed
    sheet.check(holds=holds, what=what, where=scene.mine, detail=detail)
    repeats = sum(victim.client.counts.repeats for victim in victims) - before
    detail = f"they had to ask {repeats} times again"
    sheet.check(holds=not repeats, what=f"{what}, others", where=scene.table, detail=detail)
    sheet.figures["flood"] = (
        f"{fast} of {COMMANDS} commands refused as too fast; "
        f"others waited {1000 * max(waits):.0f} ms at most"
    )


async def _asked(victims: tuple[Victim, Victim], table: str) -> list[float]:
    """Ask for each of the victims, one question after the other; give how long each took (s)."""
    loop = asyncio.get_running_loop()
    waits = []
    for _ in range(QUESTIONS):
        for victim in victims:
            begun = loop.time()
            await victim.client.seat(table).resume()
            waits.append(loop.time() - begun)
    return waits
