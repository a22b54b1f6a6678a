"""Answers that change nothing, given beside the mailbox so that no command waits for them."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from contracts.commands import LogBody, RatBody, ResumeBody
from contracts.replies import Reply, rejected
from domain.refusals import Code, Refused
from services.table.loaded import Loaded
from services.table.lookups import looked_up, repeated, reply_of
from services.table.ports import Ports
from services.table.rat import advice
from services.table.request import Request, answer
from services.table.tasks import Tasks


class Aside:
    """What one desk looks up for those who ask."""

    def __init__(self, table_id: str, ports: Ports, tasks: Tasks) -> None:
        """Begin with nothing asked."""
        self._table_id = table_id
        self._ports = ports
        self._tasks = tasks
        self._advised: set[str] = set()

    def look_up(self, loaded: Loaded, request: Request, body: ResumeBody | LogBody) -> None:
        """Answer with what somebody missed, or with the log of an ended table."""
        found = looked_up(self._ports.store, loaded, request.player, body)
        self._tasks.spawn(self._find(request, found))

    def repeat(self, loaded: Loaded, request: Request, first: int) -> None:
        """Answer with the stored outcome of a command that was accepted as fact `first`."""
        found = repeated(self._ports.store, loaded, request, first)
        self._tasks.spawn(self._find(request, found))

    def advise(self, loaded: Loaded, request: Request, body: RatBody) -> None:
        """Answer with what the strong computer would do; one question of a player at a time."""
        player = request.player
        if player in self._advised:
            refused = Refused(Code.BUSY, "You are being advised already; ask again after that.")
            answer(self._ports.bus, request.reply, rejected(refused))
            return
        self._advised.add(player)
        found = advice(self._ports.bus, loaded, request, body)
        task = self._tasks.spawn(self._find(request, found))
        task.add_done_callback(lambda _: self._advised.discard(player))

    async def _find(self, request: Request, found: Coroutine[Any, Any, Reply]) -> None:
        answer(self._ports.bus, request.reply, await reply_of(self._table_id, found))
