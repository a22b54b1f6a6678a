"""One live table: takes its commands one after the other, decides, appends, then answers.

Nothing is shown that is not stored: answers, views and prompts are sent from `_committed` only. A
command on its way to the store keeps the next ones waiting in a bounded mailbox.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeAlias

import structlog

from contracts import fairness, subjects
from contracts.commands import LogBody, OpenBody, ResumeBody, to_command
from contracts.replies import Accepted, Reply, rejected
from domain.games import game_of
from domain.kernel import AnyGame, Pause
from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table.case import Actor, Case, House, unknown
from domain.table.clocks import next_wake
from domain.table.decider import decide
from services.kit.clock import now_ms
from services.kit.store.model import (
    Conflict,
    Lease,
    NotOwner,
    OutcomeUnknown,
    QueueFull,
    StoredEvent,
    StoreUnavailable,
)
from services.table.audience import Audience, StoredFact
from services.table.computers import Computers
from services.table.loaded import Loaded
from services.table.lookups import UNREADABLE, looked_up, repeated, reply_of
from services.table.ports import Ports
from services.table.request import Request, answer
from services.table.writing import Pending, Written, stored_facts, unit_of, write

log = structlog.get_logger()

MAIL_MAX = 64
TRIES_MAX = 5
FORGET_S = 60.0
"""A table that has ended stays in memory for so long, for late readers."""
RETRY_S = 1.0
HOUSE = "house"

Mail: TypeAlias = Request | c.Command


class Desk:
    """The owner's desk for one table."""

    def __init__(
        self,
        table_id: str,
        ports: Ports,
        gaps: Sequence[tuple[int, int]],
        forget: Callable[[str], None],
    ) -> None:
        """Begin without having read the table; `gaps` are the partition's spans without owner."""
        self.table_id = table_id
        self._ports = ports
        self._gaps = gaps
        self._forget = forget
        self._loaded = Loaded(table_id)
        self._audience = Audience(ports.bus)
        self._computers = Computers(ports.bus)
        self._mail: deque[tuple[Mail, int]] = deque()
        self._ready = False
        self._closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: dict[asyncio.Task[None], None] = {}  # in order, unlike a set

    def receive(self, request: Request) -> None:
        """Take a request, or refuse it at once when too many wait."""
        if len(self._mail) >= MAIL_MAX:
            refused = Refused(Code.BUSY, "Too many commands wait at this table; repeat it soon.")
            self._answer(request, rejected(refused))
            return
        self._mail.append((request, 0))
        self._work()

    def fetch(self) -> asyncio.Task[None]:
        """Read the table from the store; requests wait until it is there."""
        self._ready = False
        return self._spawn(self._fetch())

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
        self._loaded = loaded
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
    def idle(self) -> bool:
        """Whether nothing waits and nothing is on its way to the store."""
        return self._ready and not self._mail

    def close(self) -> None:
        """Stop at once: the table is somebody else's, or this process ends."""
        self._closed = True
        self._mail.clear()
        if self._timer is not None:
            self._timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        self._forget(self.table_id)

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
                self._decide(mail, Actor(HOUSE, now_ms()), None, tries)

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
        if isinstance(body, ResumeBody | LogBody):
            if loaded.game is not None:
                self._audience.here(request.player, loaded.table)
            self._spawn(self._look_up(request, body))
            return
        first = loaded.receipts.first(request.player, body.command_id)
        if first is not None:
            self._spawn(self._repeat(request, first))
            return
        actor = Actor(
            request.player,
            now_ms(),
            subjects.is_registered(request.player),
            subjects.is_test(request.player),
        )
        try:
            game = self._game_for(request)
            command = to_command(game, body)
        except Refused as refused:
            self._answer(request, rejected(refused))
            return
        self._decide(command, actor, request, tries)

    def _game_for(self, request: Request) -> AnyGame:
        if self._loaded.game is not None:
            return self._loaded.game
        if not isinstance(request.body, OpenBody):
            raise unknown()
        if subjects.table_id(request.player, request.body.command_id) != self.table_id:
            sentence = "A new table's id follows from the player and the command id."
            raise Refused(Code.BAD_TABLE_ID, sentence)
        return game_of(request.body.game)

    def _decide(
        self, command: c.Command, actor: Actor, request: Request | None, tries: int
    ) -> None:
        loaded = self._loaded
        house = House(fairness.shuffle)
        game = loaded.game
        if isinstance(command, c.Open):
            seed = self._ports.draw_seed()
            house = House(fairness.shuffle, seed, fairness.commitment(seed))
            game = game or game_of(command.game)
        if game is None:
            return
        case = Case(game, loaded.table, loaded.waiting, actor, house)
        try:
            decided = decide(case, command)
            if decided.facts:
                self._append(Pending(command, actor, request, tries, decided, game))
                return
            self._answer(request, self._accepted(loaded.table.version + 1))
        except Refused as refused:
            self._answer(request, rejected(refused))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault of the rules
            self._suspend(request, error)
        if request is None:
            self._attend()  # nothing has changed, but time passes

    def _suspend(self, request: Request | None, error: Exception) -> None:
        """Store nothing of the command, stop the table, tell the operators."""
        version = self._loaded.table.version
        log.error("table_suspended", table=self.table_id, version=version, exc_info=error)
        refused = Refused(Code.INTERNAL, "The rules failed here; the table is stopped.")
        self._answer(request, rejected(refused))
        if self._loaded.table.phase == "playing":
            self._mail.appendleft((c.Suspend("a fault of the rules"), 0))

    # To the store and back

    def _append(self, pending: Pending) -> None:
        written = write(self._loaded, pending)
        unit = unit_of(self._loaded, pending, written, self._lease)
        try:
            outcome = self._ports.store.submit(unit)
        except (QueueFull, StoreUnavailable) as error:
            self._nothing_stored(pending, error)
            return
        self._ready = False
        outcome.add_done_callback(lambda done: self._settled(pending, written, done))

    def _settled(
        self, pending: Pending, written: Written, done: asyncio.Future[tuple[int, ...]]
    ) -> None:
        error = None if done.cancelled() else done.exception()  # asked for even if nobody cares
        if self._closed or done.cancelled():
            return
        if error is None:
            self._ready = True
            self._committed(pending, written)
            self._work()
            return
        match error:
            case NotOwner():
                self.close()
            case Conflict() if pending.tries < TRIES_MAX:
                self._mail.appendleft((pending.request or pending.command, pending.tries + 1))
                self.fetch()
            case OutcomeUnknown() | Conflict():
                self._not_stored(pending, error)
                self.fetch()
            case _:
                self._ready = True
                self._nothing_stored(pending, error)
                self._work()

    def _nothing_stored(self, pending: Pending, error: BaseException) -> None:
        self._not_stored(pending, error)
        if isinstance(pending.command, c.Credit):  # before it is given, no time must run out
            self._ready = False
            asyncio.get_running_loop().call_later(RETRY_S, self._refetch)

    def _not_stored(self, pending: Pending, error: BaseException) -> None:
        log.warning("not_stored", table=self.table_id, error=type(error).__name__)
        unknown_outcome = isinstance(error, OutcomeUnknown)
        code = Code.BUSY if isinstance(error, QueueFull) else Code.UNAVAILABLE
        sentence = "It may be stored or not" if unknown_outcome else "Nothing was stored"
        refused = Refused(code, f"{sentence}; repeat the same command.")
        self._answer(pending.request, rejected(refused, outcome_known=not unknown_outcome))
        self._set_timer(now_ms() + int(RETRY_S * 1000))

    def _committed(self, pending: Pending, written: Written) -> None:
        loaded, decided, request = self._loaded, pending.decided, pending.request
        first = loaded.table.version + 1
        loaded.game = pending.game
        loaded.table, loaded.waiting = decided.table, decided.waiting
        loaded.head_hash = written.head_hash
        if request is not None:
            if request.player != subjects.BOT:
                loaded.receipts.note(request.player, request.body.command_id, first)
                self._audience.here(request.player, loaded.table)
            self._answer(request, self._accepted(first))
        self._show(stored_facts(pending, written))

    def _accepted(self, first: int) -> Accepted:
        table = self._loaded.table
        return Accepted(self.table_id, first, table.version, self._loaded.head_hash.hex())

    def _show(self, facts: Sequence[StoredFact]) -> None:
        """Send views, ask computers, and see when to look again."""
        if self._loaded.game is None:
            return
        self._audience.tell(self._loaded, facts)
        self._attend()
        if self._loaded.table.phase in {"finished", "cancelled"}:
            asyncio.get_running_loop().call_later(FORGET_S, self.close)

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
        elif loaded.table.phase == "gathering" or isinstance(loaded.waiting, Pause):
            wake = next_wake(loaded.table, loaded.waiting)
        if wake is not None:
            self._set_timer(wake)

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
        elif loaded.table.phase == "gathering" or isinstance(loaded.waiting, Pause):
            self._mail.append((c.Tick(), 0))
        else:
            self._attend()
        self._work()

    def _close_if_new(self) -> None:
        if self._loaded.game is None and self.idle:
            self.close()

    # Reading

    async def _fetch(self) -> None:
        try:
            rows = await self._ports.store.stream(subjects.stream_of(self.table_id))
        except StoreUnavailable:
            self._refuse_all(UNREADABLE)
            asyncio.get_running_loop().call_later(RETRY_S, self._refetch)
        else:
            self.take_over(rows)

    def _refetch(self) -> None:
        if not self._closed:
            self.fetch()

    async def _look_up(self, request: Request, body: ResumeBody | LogBody) -> None:
        found = looked_up(self._ports.store, self._loaded, request.player, body)
        await self._find(request, found)

    async def _repeat(self, request: Request, first: int) -> None:
        await self._find(request, repeated(self._ports.store, self._loaded, request, first))

    async def _find(self, request: Request, found: Coroutine[Any, Any, Reply]) -> None:
        self._answer(request, await reply_of(self.table_id, found))

    def _refuse_all(self, refused: Refused) -> None:
        while self._mail:
            mail, _ = self._mail.popleft()
            if isinstance(mail, Request):
                self._answer(mail, rejected(refused))

    def _answer(self, request: Request | None, reply: Reply) -> None:
        if request is not None:
            answer(self._ports.bus, request.reply, reply)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[task] = None
        task.add_done_callback(self._tasks.pop)
        return task
