"""The bot service: answers the prompts of tables with commands, and gives advice (Rat)."""

from __future__ import annotations

import asyncio
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any, Final, NamedTuple, Protocol

import msgspec
import structlog

from contracts import subjects
from contracts.advice import Advised
from contracts.commands import DecideBody
from contracts.prompts import PromptError, decode_prompt
from contracts.replies import Accepted, Rejected, decode_reply
from contracts.views import BotPrompt
from domain.refusals import Code
from services.bot.deciding import Thought, cut_off, decide
from services.bot.strategies import DEFAULT, strategy_of
from services.bot.strategies.strategy import Strategy
from services.bot.thinkers import Busy, CutOff, Thinkers
from services.kit import nats_bus
from services.kit.bus import Bus, BusError, Message
from services.kit.clock import now_ms
from services.kit.settings import Settings
from services.kit.skeleton import Stop

WAITING_MAX: Final = 10_000
"""Prompts that wait here in each lane; more are dropped, and the table asks again after a second.
"""
WORKERS: Final = 256
"""Answers that are under way at once in each lane: one waits for the table's commit."""
PATIENCE_S: Final = 1.2
"""So long a prompt waits for a thinker."""
ANSWER_S: Final = 0.9
"""Less than the second after which the table asks again: that prompt must not count as repeated."""
DRAIN_S: Final = 4.0
ADVISED: Final = "table"
"""The owner of the inbox that advice goes to: tables alone may ask for it."""

_UNFIT = frozenset({Code.NOT_OFFERED, Code.MALFORMED})
"""The table does not take this move (it may run another version): its own default is taken."""

log = structlog.get_logger(__name__)
_ENCODER = msgspec.json.Encoder()


class _Key(NamedTuple):
    """What makes two prompts the same question; `reply` is empty unless it is one for advice."""

    table: str
    seat: int
    prompt: int
    part: str
    reply: str


class _Asked(NamedTuple):
    """A prompt, as it came and decoded; `until` (loop time) it waits for a thinker."""

    key: _Key
    data: bytes
    prompt: BotPrompt
    strategy: Strategy
    until: float


class Think(Protocol):
    """Decides beside the event loop (see `thinkers.Thinkers.think`); raises Busy, CutOff."""

    async def __call__(self, prompt: bytes, until: float, *, explain: bool) -> Thought:
        """Give an offered move."""
        ...


async def think_here(prompt: bytes, until: float, *, explain: bool) -> Thought:  # noqa: ARG001
    """Decide at once, where there are no other processes."""
    asked = decode_prompt(prompt)
    return decide(asked, strategy_of(asked.game, asked.strength), explain=explain)


class BotService:
    """Takes prompts from the bus and sends a decision for each, or the advice that was asked for.

    It keeps nothing: a prompt that is lost, dropped or left unanswered comes again from its table,
    which plays the default when nobody answers in time. Prompts for strategies that think have a
    lane of their own, so that they hold up nobody else.
    """

    def __init__(self, bus: Bus, think: Think = think_here) -> None:
        """Serve on this bus, whose inbox must be that of the player `bot`."""
        self.counts: Counter[str] = Counter()
        self._bus = bus
        self._think = think
        self._quick: asyncio.Queue[_Asked] = asyncio.Queue(WAITING_MAX)
        self._slow: asyncio.Queue[_Asked] = asyncio.Queue(WAITING_MAX)
        self._in_flight: set[_Key] = set()

    async def serve(self, stop: asyncio.Event) -> None:
        """Answer prompts until `stop` is set, then those that have been taken already."""
        lanes = (self._quick, self._slow)
        wanted: tuple[tuple[str, Callable[[Message], None]], ...] = (
            (subjects.BOT_PROMPT, partial(self._take, reply="")),
            (subjects.BOT_RAT, self._take_rat),
        )
        subscriptions = [
            await self._bus.subscribe(subject, take, queue=subjects.BOT) for subject, take in wanted
        ]
        async with asyncio.TaskGroup() as group:
            workers = [
                group.create_task(self._work(lane)) for lane in lanes for _ in range(WORKERS)
            ]
            try:
                await stop.wait()
                for subscription in subscriptions:
                    await subscription.close()
                async with asyncio.timeout(DRAIN_S):
                    for lane in lanes:
                        await lane.join()
            except TimeoutError:
                log.warning("bot_not_drained", count=len(self._in_flight))
            finally:
                for worker in workers:
                    worker.cancel()

    def _take_rat(self, message: Message) -> None:
        # An answer anywhere else would let the sender publish with our rights.
        if subjects.is_reply_of(ADVISED, message.reply):
            self._take(message, message.reply)
        else:
            self._count("wrong_reply", "not the inbox of the tables")

    def _take(self, message: Message, reply: str) -> None:
        try:
            prompt = decode_prompt(message.data)
        except PromptError as error:
            self._count("unreadable", str(error))
            return
        question = prompt.question
        key = _Key(prompt.table, prompt.seat, question.prompt, question.part, reply)
        if key in self._in_flight:
            self.counts["repeated"] += 1
            return
        strategy = strategy_of(prompt.game, prompt.strength)
        lane = self._slow if strategy.thinks else self._quick
        until = asyncio.get_running_loop().time() + PATIENCE_S
        try:
            lane.put_nowait(_Asked(key, message.data, prompt, strategy, until))
        except asyncio.QueueFull:
            self._count("full", "too many prompts wait", prompt)
            return
        self._in_flight.add(key)

    async def _work(self, lane: asyncio.Queue[_Asked]) -> None:
        while True:
            asked = await lane.get()
            try:
                if now_ms() >= asked.prompt.deadline:
                    self.counts["expired"] += 1
                else:
                    await self._answer(asked)
            except BusError as error:
                # Whether it arrived or not: the table asks again if it still wants an answer.
                self._count("unanswered", type(error).__name__)
            except Exception as error:  # noqa: BLE001 - one prompt must not end the service
                self._count("failed", type(error).__name__, asked.prompt, _place(error))
            finally:
                self._in_flight.discard(asked.key)
                lane.task_done()

    async def _answer(self, asked: _Asked) -> None:
        prompt, strategy = asked.prompt, asked.strategy
        explain = asked.key.reply != ""
        if strategy.thinks:
            thought = await self._thought(asked, explain=explain)
        else:
            thought = decide(prompt, strategy, explain=explain)
        for trouble in thought.troubles:
            self._count(trouble.code, trouble.reason, prompt, trouble.where)
        if explain:
            advised = Advised(thought.move, thought.reason)
            self._bus.publish(asked.key.reply, _ENCODER.encode(advised))
            self.counts["advised"] += 1
            return
        reply = await self._send(prompt, thought)
        if _is_unfit(reply) and thought.strategy != DEFAULT.name and now_ms() < prompt.deadline:
            self._count("unfit", thought.strategy, prompt)
            reply = await self._send(prompt, cut_off(prompt))
        match reply:
            case Accepted():
                self.counts["accepted"] += 1
            case Rejected(code=code):
                self.counts[f"rejected_{code}"] += 1

    async def _thought(self, asked: _Asked, *, explain: bool) -> Thought:
        """Give an offered move of a strategy that thinks, or what is played instead."""
        prompt, name = asked.prompt, asked.strategy.name
        try:
            return await self._think(asked.data, asked.until, explain=explain)
        except Busy:
            # The table plays the bare default 3 s after it asked. A move of `normal`, under its
            # own name, is a better one and takes next to no time, so that it still comes before
            # that when the thinkers have far too much to do.
            self._count("busy", name, prompt)
            return decide(prompt, strategy_of(prompt.game, "normal"), explain=explain)
        except CutOff as cut:
            self._count(cut.why, name, prompt)
            return cut_off(prompt)

    async def _send(self, prompt: BotPrompt, thought: Thought) -> object:
        body = DecideBody(
            _command_id(prompt, thought),
            prompt.seat,
            prompt.question.prompt,
            thought.move,
            thought.strategy,
            thought.version,
            prompt.rng_seed,
        )
        subject = subjects.command(subjects.BOT, prompt.table, "decide")
        return decode_reply(await self._bus.request(subject, _ENCODER.encode(body), ANSWER_S))

    def _count(
        self, what: str, reason: str, prompt: BotPrompt | None = None, where: str = ""
    ) -> None:
        """Count, and log the first, second, fourth, eighth ... of a kind."""
        self.counts[what] += 1
        count = self.counts[what]
        if count & (count - 1) == 0:
            about: dict[str, Any] = {} if prompt is None else _about(prompt)
            log.warning("bot_trouble", code=what, reason=reason, where=where, count=count, **about)


def _about(prompt: BotPrompt) -> dict[str, Any]:
    return {"game": prompt.game, "table": prompt.table, "prompt": prompt.question.prompt}


def _is_unfit(reply: object) -> bool:
    return isinstance(reply, Rejected) and reply.code in _UNFIT


def _command_id(prompt: BotPrompt, thought: Thought) -> str:
    """Give the same id for the same decision, so that asking twice does not decide twice."""
    question = prompt.question
    named = (prompt.table, prompt.seat, question.prompt, question.part, prompt.rng_seed)
    text = "\n".join(map(str, (*named, thought.strategy, thought.version)))
    return sha256(text.encode()).hexdigest()[:32]


def _place(error: Exception) -> str:
    """Tell where it happened; the text of the exception may quote a hidden card."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{frame.filename}:{frame.lineno}"


async def main(settings: Settings, stop: Stop) -> None:
    """Answer the prompts on the configured bus until `stop` is set."""
    bus = await nats_bus.connect(
        settings.nats_url,
        name="bot",
        inbox=subjects.inbox(subjects.BOT),
        on_closed=lambda: stop.fail("the bus connection was closed"),
        **settings.login(subjects.BOT),
    )
    try:
        async with Thinkers() as thinkers:
            await BotService(bus, thinkers.think).serve(stop)
    finally:
        await bus.close()
