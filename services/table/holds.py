"""Asks the ledger for the stakes of a start, again and again until it answers (TABLE-R04).

The same attempt always gets the same answer. So whoever owns the table may ask as often as he
likes, and after a crash between hold and start the game begins with what is held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
import structlog
from msgspec import convert

from contracts import subjects
from contracts.stakes import HoldAnswer, HoldRequest, decode_hold
from domain.table import commands as c
from domain.table.clocks import EXPIRY_MS, HOLD_MS
from domain.table.state import Table
from services.kit.bus import Bus, BusError
from services.table.tasks import Tasks

ANSWER_S: Final = 3.0
"""One question waits so long; the start goes on."""
HOLD_MAX_MS: Final = 10_000
"""The longest pause between two questions."""

log = structlog.get_logger()
_encode = msgspec.json.Encoder().encode


class Holds:
    """The questions of one table to the ledger; `answered` takes the answer to one."""

    def __init__(self, bus: Bus, tasks: Tasks, answered: Callable[[c.Collect], None]) -> None:
        """Begin with nothing asked."""
        self._bus = bus
        self._tasks = tasks
        self._answered = answered
        self._attempt = 0
        self._asking = False
        self._pause_ms = 0
        self._again_at = 0

    def attend(self, table: Table, now: int) -> int:
        """Ask if it is time to, and give the time (ms) of the next look at a starting table."""
        if table.attempt != self._attempt:
            self._attempt, self._pause_ms, self._again_at = table.attempt, 0, now
        if now >= self._again_at:
            self._pause_ms = min(HOLD_MAX_MS, self._pause_ms * 2 or HOLD_MS)
            self._again_at = now + self._pause_ms
            if not self._asking:
                self._asking = True
                self._tasks.spawn(self._ask(request_of(table)))
        return min(self._again_at, table.opened_at + EXPIRY_MS)

    async def _ask(self, request: HoldRequest) -> None:
        try:
            data = await self._bus.request(subjects.HOLD, _encode(request), ANSWER_S)
            answer = decode_hold(data)
        except (BusError, msgspec.DecodeError) as error:
            _no_answer(request, type(error).__name__)
        else:
            if not isinstance(answer, HoldAnswer):
                _no_answer(request, answer.code)
            elif (answer.table, answer.attempt) == (request.table, request.attempt):
                self._answered(c.Collect(answer.attempt, answer.held, answer.short))
        finally:
            self._asking = False


def request_of(table: Table) -> HoldRequest:
    """Give the question that the start of a table is to the ledger; raises ValidationError."""
    players = [occupant.player for occupant in table.places if occupant is not None]
    fields = (table.table_id, table.attempt, table.rules.stake, players)
    return convert(dict(zip(HoldRequest.__struct_fields__, fields, strict=True)), HoldRequest)


def _no_answer(request: HoldRequest, reason: str) -> None:
    log.warning("ledger_silent", table=request.table, attempt=request.attempt, reason=reason)
