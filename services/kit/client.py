"""A player on the bus: commands that survive every outage, and feeds that notice every gap.

No single message is trusted. A command is repeated under its own id until it is answered, so it is
carried out once; a feed that is behind, has a hole or falls silent is resumed.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import Counter
from typing import Any, Self, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from contracts import subjects
from contracts.replies import RESUME_MAX, Accepted, Advice, Rejected, StoredEvents
from domain.refusals import Code, Refused
from domain.table.events import TableRules
from services.kit.bus import Bus, Message, NoAnswer, NoResponder, Subscription
from services.kit.seen import SeenFact, SeenFeed, SeenResumed, SeenView

ANSWER_S = 2.0
"""How long one attempt waits; the command as a whole goes on for the client's patience."""
SILENCE_S = 12.0
"""A feed repeats its head every 5 s; whoever hears nothing for so long resumes."""
SIGN_S = 30.0
"""Whoever looks on without a word for so long resumes, so that nobody takes him for offline."""
_BACK_OFF_S = (0.05, 1.0)


class Unanswered(Exception):
    """Nobody answered within the client's patience: the command may have been carried out."""


Answer: TypeAlias = Accepted | Rejected | SeenResumed | StoredEvents | Advice

_feed = msgspec.json.Decoder(SeenFeed).decode
_answer: msgspec.json.Decoder[Answer] = msgspec.json.Decoder(Answer)
_encode = msgspec.json.Encoder().encode


class Ack(Struct, frozen=True, gc=False):
    """An acknowledgement, as the player keeps it for himself."""

    verb: str
    table: str
    first: int
    last: int
    head: str


class Counts(Struct):
    """What happened to one client's commands; `answered_s` holds verb and seconds of each."""

    answered_s: list[tuple[str, float]]
    refused: Counter[str]
    repeats: int = 0
    resumes: int = 0


def counts() -> Counts:
    """Give counts of nothing yet; several clients may share them."""
    return Counts([], Counter())


class Seat:
    """One player's feed from one table: `view` is the newest, `facts` are without holes.

    `passed` is the number of the fact before the first of `facts`: who misses very much gets the
    view alone, and goes on from there. Takes what comes in any order, doubled or not at all, and says when it is behind.
    """

    def __init__(self, client: PlayerClient, table: str) -> None:
        self._client = client
        self.table = table
        self.view: SeenView | None = None
        self.version = 0
        self.head = ""
        self.facts: list[SeenFact] = []
        self.passed = 0
        self.spoke_at = 0.0
        """When something was last sent to the table (the loop's time)."""
        self._behind = True
        self._news = asyncio.Event()

    @property
    def complete(self) -> bool:
        """Whether every fact up to the newest view is here, as far as the table tells them."""
        return self.view is not None and self._known >= self.view.version

    @property
    def _known(self) -> int:
        """The number of the last fact before the first hole."""
        return self.passed + len(self.facts)

    async def newer(self, version: int, within_s: float) -> SeenView:
        """Return the newest view as soon as it is above `version`; raises TimeoutError.

        Whatever is missing meanwhile is asked for.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + within_s
        while self.view is None or self.view.version <= version:
            left_s = until - loop.time()
            if left_s <= 0:
                raise TimeoutError
            quiet_s = loop.time() - self.spoke_at
            if not self._behind and quiet_s < SIGN_S:
                await self._hear(min(left_s, SILENCE_S, SIGN_S - quiet_s))
                continue
            async with asyncio.timeout(left_s):
                await self.resume()
                if self._behind:  # the answer was overtaken: do not ask without end
                    await asyncio.sleep(_BACK_OFF_S[0])
        return self.view

    async def _hear(self, wait_s: float) -> None:
        """Return when something has come, or after `wait_s`; silence means to be behind."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        self._news.clear()
        # One timer of our own: a timeout context for every move costs more than the wait itself.
        alarm = loop.call_later(wait_s, self._news.set)
        try:
            await self._news.wait()
        finally:
            alarm.cancel()
        if loop.time() - begun >= SILENCE_S:
            self._behind = True

    async def resume(self) -> SeenView:
        """Ask for what is missing and return the view as it is now."""
        self._client.counts.resumes += 1
        self._behind = False
        try:
            since = self._known
            answer = await self._client.send(self.table, "resume", since=since)
        except BaseException:
            self._behind = True
            raise
        assert isinstance(answer, SeenResumed)
        if answer.feed.version > max(since + RESUME_MAX, self._known):
            self.facts.clear()
            self.passed = answer.feed.version
        self.take(answer.feed)
        assert self.view is not None
        return self.view

    def take(self, feed: SeenFeed) -> None:
        """Take in a message; an old or doubled one changes nothing."""
        for fact in feed.facts:
            if fact.number == self._known + 1:
                self.facts.append(fact)
        if feed.version > self.version:
            self.version, self.head = feed.version, feed.head
        view = feed.view
        newer = view is not None and (self.view is None or view.version > self.view.version)
        if newer:
            self.view = view
        if self.view is None or min(self._known, self.view.version) < self.version:
            self._behind = True
        if newer or self._behind:
            self._news.set()


class PlayerClient:
    """One player at any number of tables, on any bus whose inbox is the player's own.

    `patience_s`: how long a command is repeated before `Unanswered`. Refusals raise `Refused`.
    """

    def __init__(
        self,
        bus: Bus,
        player: str,
        *,
        patience_s: float = 60.0,
        answer_s: float = ANSWER_S,
        shared: Counts | None = None,
    ) -> None:
        self.bus = bus
        self.player = player
        self.counts = counts() if shared is None else shared
        self.acks: list[Ack] = []
        self._patience_s = patience_s
        self._answer_s = answer_s
        self._seats: dict[str, Seat] = {}
        self._views: Subscription | None = None
        self._prefix = secrets.token_hex(8)
        self._sent = 0

    async def __aenter__(self) -> Self:
        """Listen to the player's own views."""
        subject = subjects.view(self.player, "*")
        self._views = await self.bus.subscribe(subject, self._heard)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening; the bus is its owner's."""
        if self._views is not None:
            await self._views.close()

    def seat(self, table: str) -> Seat:
        """Return this player's feed from a table; it is kept up to date from the first call on."""
        seat = self._seats.get(table)
        if seat is None:
            seat = self._seats[table] = Seat(self, table)
        return seat

    def forget(self, table: str) -> None:
        """Stop following a table."""
        self._seats.pop(table, None)

    async def open(
        self, game: str, rules: TableRules, options: dict[str, str | int | bool] | None = None
    ) -> Accepted:
        """Open a table; its id is in the answer."""
        name = self.new_id()
        table = subjects.table_id(self.player, name)
        body = {"game": game, "rules": rules, "options": options or {}}
        return accepted(await self.send(table, "open", name, **body))

    async def solo(
        self, game: str, rules: TableRules, options: dict[str, str | int | bool] | None = None
    ) -> Accepted:
        """Open a table for oneself and begin; the answer is that to the start.

        The house has committed itself to its seed before this player's share is drawn.
        """
        opened = await self.open(game, replace(rules, solo=True), options)
        return await self.start(opened.table, secrets.token_urlsafe(16))

    async def join(self, table: str, place: int | None = None, client_seed: str = "") -> Accepted:
        """Sit down at a place or the first free one."""
        return accepted(await self.send(table, "join", place=place, client_seed=client_seed))

    async def start(self, table: str, client_seed: str = "") -> Accepted:
        """Begin the game."""
        return accepted(await self.send(table, "start", client_seed=client_seed))

    async def leave(self, table: str) -> Accepted:
        """Get up, or leave the running game to the computer."""
        return accepted(await self.send(table, "leave"))

    async def again(self, table: str) -> Accepted:
        """Play once more with the same people; the next table is in the answer.

        Opens it, or sits down where another has opened it. His share of the chance goes there when
        the house has committed itself; alone he starts it himself.
        """
        share = secrets.token_urlsafe(16)
        try:
            opened = accepted(await self.send(table, "again"))
        except Refused as refused:
            if refused.code != Code.FINISHED or not refused.hint:
                raise
            return await self.join(refused.hint, client_seed=share)
        try:
            await self.join(opened.table, client_seed=share)
        except Refused as refused:
            if refused.code not in {Code.NOT_GATHERING, Code.STARTING}:
                raise  # else all the others were back before
        return opened

    async def move(self, table: str, prompt: int, move: Any) -> Accepted:
        """Answer a question with a move of the game (a Struct, or Raw JSON)."""
        return accepted(await self.send(table, "move", prompt=prompt, move=move))

    async def weiter(self, table: str, prompt: int) -> Accepted:
        """Close a summary."""
        return accepted(await self.send(table, "weiter", prompt=prompt))

    async def turbo(self, table: str, *, on: bool) -> Accepted:
        """Let the computers hurry, or no longer."""
        return accepted(await self.send(table, "turbo", on=on))

    async def rat(self, table: str, prompt: int, part: str = "") -> Advice:
        """Ask what the strong computer would answer; the move can be sent as it is."""
        answer = await self.send(table, "rat", prompt=prompt, part=part)
        assert isinstance(answer, Advice)
        return answer

    def new_id(self) -> str:
        """Return a command id that nobody has used."""
        self._sent += 1
        return f"{self._prefix}-{self._sent}"

    async def send(
        self, table: str, verb: str, command_id: str | None = None, **fields: Any
    ) -> Answer:
        """Send a command until it is answered, always the same bytes.

        Raises Refused with the answer's code, Unanswered when patience ends, and the bus's own
        Denied and TooLarge.
        """
        body = _encode({"command_id": command_id or self.new_id(), **fields})
        subject = subjects.command(self.player, table, verb)
        loop = asyncio.get_running_loop()
        begun = loop.time()
        if table in self._seats:
            self._seats[table].spoke_at = begun
        answer = await self._answered(subject, body, begun + self._patience_s)
        self.counts.answered_s.append((verb, loop.time() - begun))
        if isinstance(answer, Rejected):
            self.counts.refused[answer.code] += 1
            raise Refused(answer.code, answer.sentence, answer.hint)
        if isinstance(answer, Accepted):
            self.acks.append(Ack(verb, answer.table, answer.first, answer.last, answer.head))
        return answer

    async def _answered(self, subject: str, body: bytes, until: float) -> Answer:
        loop = asyncio.get_running_loop()
        pause, longest = _BACK_OFF_S
        while True:
            try:
                data = await self.bus.request(subject, body, self._answer_s)
                answer = _answer.decode(data)
                if not _is_open(answer):
                    return answer
                why = "the service is not available"
            except (NoAnswer, NoResponder) as error:
                why = str(error)
            if loop.time() + pause > until:
                raise Unanswered(f"{subject.rpartition('.')[2]}: {why}")
            self.counts.repeats += 1
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads load
            pause = min(longest, pause * 2)

    def _heard(self, message: Message) -> None:
        seat = self._seats.get(message.subject.rpartition(".")[2])
        if seat is not None:
            seat.take(_feed(message.data))


def accepted(answer: Answer) -> Accepted:
    """Give the acknowledgement; any other kind of answer to such a command is a fault."""
    if not isinstance(answer, Accepted):
        raise Refused(Code.INTERNAL, f"The answer was no acknowledgement: {type(answer).__name__}.")
    return answer


def _is_open(answer: Answer) -> bool:
    """Tell whether the command is worth repeating as it is, without asking the player.

    Advice that there is none of is the player's to ask for again: by then he may have moved.
    """
    if not isinstance(answer, Rejected) or answer.code is Code.NO_ADVICE:
        return False
    return answer.retry or not answer.outcome_known
