"""One live table: takes its commands one after the other, decides, appends, then answers.

Nothing is shown that is not stored: answers, views and prompts are sent from `_committed` only. A
command on its way to the store keeps the next ones waiting in a bounded mailbox.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TypeAlias

import structlog

from contracts import subjects
from contracts.commands import LogBody, RatBody, ResumeBody
from contracts.replies import Reply, rejected
from domain.refusals import Code, Refused
from domain.table import absence
from domain.table import commands as c
from domain.table.case import Actor
from domain.table.clocks import next_due
from domain.table.decider import decide
from domain.table.state import ENDED, seat_of
from services.kit.clock import now_ms
from services.kit.store.model import Lease, StoredEvent, StoreUnavailable
from services.table.aside import Aside
from services.table.audience import Audience, StoredFact
from services.table.computers import Computers
from services.table.deciding import actor_of, case_of, command_of
from services.table.holds import Holds
from services.table.loaded import Loaded
from services.table.lookups import UNREADABLE, accepted
from services.table.ports import Neighbours, Ports
from services.table.request import Request, answer
from services.table.seats import must_be_free, sits_down, standing_of
from services.table.storing import After, after, not_stored, outcome, submit
from services.table.tasks import Tasks
from services.table.writing import Pending, Written, stored_facts

log = structlog.get_logger()

MAIL_MAX = 64
FORGET_S = 60.0
"""A table that has ended stays in memory for so long, for late readers."""
RETRY_S = 1.0

Mail: TypeAlias = Request | c.Command


class Desk:
    """The owner's desk for one table."""

    def __init__(
        self,
        table_id: str,
        ports: Ports,
        gaps: Sequence[tuple[int, int]],
        neighbours: Neighbours,
    ) -> None:
        """Begin without having read the table; `gaps` are the partition's spans without owner."""
        self.table_id = table_id
        self._ports = ports
        self._gaps = gaps
        self._neighbours = neighbours
        self._loaded = Loaded(table_id)
        self._audience = Audience(ports.bus)
        self._computers = Computers(ports.bus)
        self._mail: deque[tuple[Mail, int]] = deque()
        self._ready = False
        self._reads = 0
        self._closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._tasks = Tasks()
        self._aside = Aside(table_id, ports, self._tasks)
        self._holds = Holds(ports.bus, self._tasks, self._take)

    def receive(self, request: Request) -> None:
        """Take a request, or refuse it at once when too many wait."""
        if len(self._mail) >= MAIL_MAX:
            refused = Refused(Code.BUSY, "Too many commands wait at this table; repeat it soon.")
            self._answer(request, rejected(refused))
            return
        self._mail.append((request, 0))
        self._work()

    def _take(self, command: c.Command) -> None:
        """Take a command of the house."""
        self._mail.append((command, 0))
        self._work()

    def fetch(self) -> asyncio.Task[None]:
        """Read the table from the store; requests wait until it is there."""
        self._ready = False
        self._reads += 1
        return self._tasks.spawn(self._fetch(self._reads))

    def take_over(self, rows: Sequence[StoredEvent]) -> None:
        """Take the table as stored: give back lost time, show everybody where it stands."""
        loaded = Loaded(self.table_id)
        try:
            loaded.load(rows)
        except Exception:
            log.exception("table_unreadable", table=self.table_id)
            refused = Refused(Code.INTERNAL, "The table cannot be read; an operator looks at it.")
            self._refuse_all(refused)
            self.close()
            return
        known, self._loaded = self._loaded, loaded
        if loaded.table.successor and known.game is not None and not known.table.successor:
            # We did not hear that it was stored: the new table must be served all the same.
            self._neighbours.follow(loaded.table.successor)
        self._computers = Computers(self._ports.bus)
        for gap in reversed(self._gaps):
            self._mail.appendleft((c.Credit(*gap), 0))
        self._ready = True
        if loaded.game is not None:
            self._audience.expect_all(loaded.table)
        else:
            asyncio.get_running_loop().call_later(FORGET_S, self._close_if_new)
        self._work()
        if self._ready and not self._closed:
            self._show(())

    def show_head(self) -> None:
        """Repeat the number of the newest fact to everybody who is there."""
        if self._loaded.game is not None:
            self._audience.repeat_head(self._loaded)

    @property
    def is_new(self) -> bool:
        """Whether nobody has opened the table, as far as this desk knows."""
        return self._loaded.game is None

    @property
    def idle(self) -> bool:
        """Whether nothing waits and nothing is on its way to the store."""
        return self._ready and not self._mail

    def close(self) -> None:
        """Stop at once: the table is somebody else's, or this process ends."""
        self._closed = True
        self._mail.clear()
        if self._timer is not None:
            self._timer.cancel()
        self._tasks.cancel()
        self._neighbours.forget(self.table_id)

    # One command after the other

    def _work(self) -> None:
        while self._ready and self._mail and not self._closed:
            if self._lease is None:
                self._pause()
                return
            mail, tries = self._mail.popleft()
            if isinstance(mail, Request):
                self._request(mail, tries)
            else:
                self._decide(mail, actor_of(None), None, tries)

    def _pause(self) -> None:
        """Do nothing without the right to: it may be somebody else's, or come back to us.

        A process that stood still has its leases again with the next heartbeat, unless somebody
        took them: then this desk is closed. Requests are dropped; a new owner has them too.
        """
        self._mail = deque(each for each in self._mail if not isinstance(each[0], Request))
        self._set_timer(now_ms() + int(RETRY_S * 1000))

    @property
    def _lease(self) -> Lease | None:
        return self._ports.lease(subjects.partition_of(self.table_id))

    def _request(self, request: Request, tries: int) -> None:
        body, loaded = request.body, self._loaded
        self._notice(request)
        if isinstance(body, ResumeBody | LogBody):
            self._aside.look_up(loaded, request, body)
            return
        if isinstance(body, RatBody):
            self._aside.advise(loaded, request, body)
            return
        first = loaded.receipts.first(request.player, body.command_id)
        if first is not None:
            self._aside.repeat(loaded, request, first)
            return
        try:
            command = command_of(loaded, request)
        except Refused as refused:
            self._answer(request, rejected(refused))
            return
        self._decide(command, actor_of(request), request, tries)

    def _notice(self, request: Request) -> None:
        """Take a request as a sign of life, and note it when its sender was missed."""
        table, player = self._loaded.table, request.player
        if self._loaded.game is None or not subjects.is_player(player):
            return
        looks = isinstance(request.body, ResumeBody | LogBody)
        self._audience.here(player, table, looks=looks)
        seat = seat_of(table, player)
        if seat is not None and absence.of_seat(table.absent, seat) is not None:
            self._mail.append((c.NoteBack(seat), 0))

    def _decide(
        self, command: c.Command, actor: Actor, request: Request | None, tries: int
    ) -> None:
        case = case_of(self._loaded, command, actor, self._ports.draw_seed)
        if case is None:
            return
        try:
            decided = decide(case, command)
            if request is not None and sits_down(case.table, decided, request.player):
                if request.standing is None:
                    self._tasks.spawn(self._look_where_he_sits(request, tries))
                    return
                must_be_free(request.standing)
            if decided.facts:
                self._append(Pending(command, actor, request, tries, decided, case.game))
                return
            table, head = self._loaded.table, self._loaded.head_hash
            self._answer(request, accepted(self._loaded, table.version + 1, table.version, head))
        except Refused as refused:
            self._answer(request, rejected(refused))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault of the rules
            self._suspend(request, error)
        if request is None:
            self._attend()  # nothing has changed, but time passes

    async def _look_where_he_sits(self, request: Request, tries: int) -> None:
        try:
            standing = await standing_of(self._ports.store, request.player, self.table_id)
        except StoreUnavailable:
            self._answer(request, rejected(UNREADABLE))
            return
        self._mail.append((request._replace(standing=standing), tries))
        self._work()

    def _suspend(self, request: Request | None, error: Exception) -> None:
        """Store nothing of the command, stop the table, tell the operators."""
        version = self._loaded.table.version
        log.error("table_suspended", table=self.table_id, version=version, exc_info=error)
        refused = Refused(Code.INTERNAL, "The rules failed here; the table is stopped.")
        self._answer(request, rejected(refused))
        if self._loaded.table.phase in {"starting", "playing"}:
            self._mail.appendleft((c.Suspend("a fault of the rules"), 0))

    # To the store and back

    def _append(self, pending: Pending) -> None:
        error = submit(self._ports.store, self._loaded, pending, self._lease, self._settled)
        if error is None:
            self._ready = False
        else:
            self._nothing_stored(pending, error)

    def _settled(self, pending: Pending, written: Written, error: BaseException | None) -> None:
        if self._closed:
            return
        if error is None:
            self._ready = True
            self._committed(pending, written)
            self._work()
            return
        match after(pending, error):
            case After.CLOSE:
                self.close()
            case After.TRY_AGAIN:
                request = pending.request and pending.request._replace(standing=None)
                self._mail.appendleft((request or pending.command, pending.tries + 1))
                self.fetch()
            case After.READ_ANEW:
                self._not_stored(pending, error)
                self.fetch()
            case After.GO_ON:
                self._ready = True
                self._nothing_stored(pending, error)
                self._work()

    def _nothing_stored(self, pending: Pending, error: BaseException) -> None:
        self._not_stored(pending, error)
        if isinstance(pending.command, c.Credit):  # before it is given, no time must run out
            self._ready = False
            asyncio.get_running_loop().call_later(RETRY_S, self._refetch, self._reads)

    def _not_stored(self, pending: Pending, error: BaseException) -> None:
        self._answer(pending.request, not_stored(self.table_id, error))
        self._set_timer(now_ms() + int(RETRY_S * 1000))

    def _committed(self, pending: Pending, written: Written) -> None:
        loaded, decided, request = self._loaded, pending.decided, pending.request
        first = loaded.table.version + 1
        loaded.game = pending.game
        loaded.table, loaded.waiting = decided.table, decided.waiting
        loaded.head_hash = written.head_hash
        if decided.opened is not None:
            self._neighbours.follow(decided.opened.table.table_id)
        if request is not None:
            if request.player != subjects.BOT:
                loaded.receipts.note(request.player, request.body.command_id, first)
                self._audience.here(request.player, loaded.table)  # he may just have sat down
            self._answer(request, outcome(loaded, pending, written, first))
        self._show(stored_facts(pending, written))

    def _show(self, facts: Sequence[StoredFact]) -> None:
        """Send views, ask computers, and see when to look again."""
        if self._loaded.game is None:
            return
        self._audience.tell(self._loaded, facts)
        self._attend()
        if self._loaded.table.phase in ENDED:
            asyncio.get_running_loop().call_later(FORGET_S, self._close_when_idle)

    # Time

    def _attend(self) -> None:
        if self._lease is None:
            self._pause()
            return
        if self._mail and isinstance(self._mail[0][0], c.Credit):
            return  # whose time has run out is only known when all of it is given back
        loaded, now = self._loaded, now_ms()
        wake, overdue = self._computers.attend(loaded, now)
        if overdue is not None:
            log.warning("computer_silent", table=self.table_id, prompt=overdue.prompt)
            self._mail.appendleft((overdue, 0))
            wake = now
        elif loaded.table.phase == "starting":
            wake = self._holds.attend(loaded.table, now)
        elif loaded.passes_time:
            wake = next_due(loaded.table, loaded.waiting)
        missed, look_at = self._audience.missed(loaded.table, now)
        if missed:
            self._mail.append((c.NoteOffline(missed), 0))
        wakes = [at for at in (wake, look_at) if at is not None]
        if wakes:
            self._set_timer(min(wakes))

    def _set_timer(self, at_ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        delay_s = max(0, at_ms - now_ms()) / 1000
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._woken)

    def _woken(self) -> None:
        self._timer = None
        if not self._ready or self._closed:
            return  # what is on its way to the store looks at the time again
        loaded = self._loaded
        if self._mail:
            pass  # it was left by a pause and comes first
        elif loaded.passes_time:
            self._mail.append((c.Tick(), 0))
        else:
            self._attend()
        self._work()

    def _close_when_idle(self) -> None:
        if self._closed:
            return  # another desk may serve the table by now
        if self.idle:
            self.close()
        else:
            asyncio.get_running_loop().call_later(FORGET_S, self._close_when_idle)

    def _close_if_new(self) -> None:
        if self._loaded.game is None and self.idle:
            self.close()

    # Reading

    async def _fetch(self, read: int) -> None:
        try:
            rows = await self._ports.store.stream(subjects.stream_of(self.table_id))
        except StoreUnavailable:
            rows = None
        if read != self._reads:
            return  # a later look, which knows more, is on its way or was quicker
        if rows is not None:
            self.take_over(rows)
            return
        self._refuse_all(UNREADABLE)
        asyncio.get_running_loop().call_later(RETRY_S, self._refetch, read)

    def _refetch(self, read: int) -> None:
        if read == self._reads and not self._closed:
            self.fetch()

    def _refuse_all(self, refused: Refused) -> None:
        while self._mail:
            mail, _ = self._mail.popleft()
            if isinstance(mail, Request):
                self._answer(mail, rejected(refused))

    def _answer(self, request: Request | None, reply: Reply) -> None:
        if request is not None:
            answer(self._ports.bus, request.reply, reply)
