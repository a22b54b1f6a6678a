"""Rat: the strong computer says what it would do in a person's place (TABLE-A07).

Nothing of it is stored, and the table does not change. An answer that comes after the question was
closed is passed on all the same: it names its question, and harms nobody.
"""

from __future__ import annotations

from typing import Final

import msgspec
import structlog

from contracts import fairness, subjects
from contracts.advice import decode_advised
from contracts.commands import RatBody
from contracts.prompts import PromptError
from contracts.replies import Advice
from domain.options import admits
from domain.refusals import Code, Refused
from domain.table.case import Case, House, unknown
from domain.table.playing import advisable
from services.kit.bus import Bus, BusError
from services.kit.clock import now_ms
from services.table.computers import bot_prompt
from services.table.deciding import actor_of
from services.table.loaded import Loaded
from services.table.request import Request

RAT_S: Final = 2.0
"""A player waits so long for advice."""

log = structlog.get_logger()
_ENCODER = msgspec.json.Encoder()


async def advice(bus: Bus, loaded: Loaded, request: Request, body: RatBody) -> Advice:
    """Give the strong computer's move for an own question of the player; raises Refused."""
    game, table = loaded.game, loaded.table
    if game is None:
        raise unknown()
    case = Case(game, table, loaded.waiting, actor_of(request), House(fairness.shuffle))
    ask = advisable(case, body.prompt, body.part)
    deadline = now_ms() + int(RAT_S * 1000)
    prompt = bot_prompt(game, table, body.prompt, ask, strength="stark", deadline=deadline)
    try:
        data = await bus.request(subjects.BOT_RAT, _ENCODER.encode(prompt), RAT_S)
        found = decode_advised(game.name, data)
    except (BusError, PromptError) as error:
        raise _no_advice(table.table_id, type(error).__name__) from None
    if not admits(ask.options, found.move):
        raise _no_advice(table.table_id, "not offered")
    return Advice(body.prompt, body.part, found.move, found.reason)


def _no_advice(table: str, reason: str) -> Refused:
    log.warning("rat_failed", table=table, reason=reason)
    return Refused(Code.UNAVAILABLE, "No computer gave advice; ask again.")
