"""The bot service: answers the prompts of tables with commands, like any other client."""

from __future__ import annotations

import asyncio
import random
import traceback
from collections import Counter
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgspec
import structlog
from msgspec import Raw

from contracts import subjects
from contracts.commands import DecideBody
from contracts.prompts import PromptError, decode_prompt
from contracts.replies import Accepted, Rejected, decode_reply
from contracts.views import BotPrompt
from domain.options import admits
from domain.refusals import Code
from services.bot.strategies import DEFAULT, strategy_of
from services.bot.strategies.strategy import Strategy
from services.kit import nats_bus
from services.kit.bus import Bus, BusError, Message
from services.kit.clock import now_ms
from services.kit.settings import Settings
from services.kit.skeleton import Stop

WAITING_MAX: Final = 10_000
"""Prompts that wait here; more are dropped, and the table asks again after a second."""
WORKERS: Final = 256
"""Answers that are under way at once: one waits for the table's commit."""
ANSWER_S: Final = 0.9
"""Less than the second after which the table asks again: that prompt must not count as repeated."""
DRAIN_S: Final = 4.0

_UNFIT = frozenset({Code.NOT_OFFERED, Code.MALFORMED})
"""The table does not take this move (it may run another version): its own default is taken."""

log = structlog.get_logger(__name__)
_ENCODER = msgspec.json.Encoder()


class _Key(NamedTuple):
    """What makes two prompts the same question."""

    table: str
    seat: int
    prompt: int
    part: str


class Decision(NamedTuple):
    """A chosen move and the strategy that gave it."""

    move: Any
    strategy: Strategy


class BotService:
    """Takes prompts from the bus and sends a decision for each.

    It keeps nothing: a prompt that is lost, dropped or left unanswered comes again from its table,
    which plays the default when nobody answers in time.
    """

    def __init__(self, bus: Bus) -> None:
        """Serve on this bus, whose inbox must be that of the player `bot`."""
        self.counts: Counter[str] = Counter()
        self._bus = bus
        self._waiting: asyncio.Queue[tuple[_Key, BotPrompt]] = asyncio.Queue(WAITING_MAX)
        self._in_flight: set[_Key] = set()

    async def serve(self, stop: asyncio.Event) -> None:
        """Answer prompts until `stop` is set, then those that have been taken already."""
        subscription = await self._bus.subscribe(
            subjects.BOT_PROMPT, self._take, queue=subjects.BOT
        )
        async with asyncio.TaskGroup() as group:
            workers = [group.create_task(self._work(), name=f"bot-{n}") for n in range(WORKERS)]
            try:
                await stop.wait()
                await subscription.close()
                async with asyncio.timeout(DRAIN_S):
                    await self._waiting.join()
            except TimeoutError:
                log.warning("bot_not_drained", count=len(self._in_flight))
            finally:
                for worker in workers:
                    worker.cancel()

    def _take(self, message: Message) -> None:
        try:
            prompt = decode_prompt(message.data)
        except PromptError as error:
            self._count("unreadable", str(error))
            return
        key = _Key(prompt.table, prompt.seat, prompt.question.prompt, prompt.question.part)
        if key in self._in_flight:
            self.counts["repeated"] += 1
            return
        try:
            self._waiting.put_nowait((key, prompt))
        except asyncio.QueueFull:
            self._count("full", "too many prompts wait")
            return
        self._in_flight.add(key)

    async def _work(self) -> None:
        while True:
            key, prompt = await self._waiting.get()
            try:
                await self._answer(prompt)
            except BusError as error:
                # Whether it arrived or not: the table asks again if it still wants an answer.
                self._count("unanswered", type(error).__name__)
            except Exception as error:  # noqa: BLE001 - one prompt must not end the service
                self._count("failed", type(error).__name__, _place(error))
            finally:
                self._in_flight.discard(key)
                self._waiting.task_done()

    async def _answer(self, prompt: BotPrompt) -> None:
        if now_ms() >= prompt.deadline:
            self.counts["late"] += 1
            return
        decision = self.decide(prompt)
        reply = await self._send(prompt, decision)
        if _is_unfit(reply) and decision.strategy is not DEFAULT and now_ms() < prompt.deadline:
            self._count("unfit", decision.strategy.name, table=prompt.table)
            reply = await self._send(prompt, Decision(prompt.question.default, DEFAULT))
        match reply:
            case Accepted():
                self.counts["accepted"] += 1
            case Rejected(code=code):
                self.counts[f"rejected_{code}"] += 1

    def decide(self, prompt: BotPrompt) -> Decision:
        """Give an offered move in any case: the question's default when the strategy fails."""
        strategy = strategy_of(prompt.game, prompt.strength)
        question = prompt.question
        try:
            rng = random.Random(prompt.rng_seed)  # noqa: S311 - to be run again, not to be secret
            move = strategy.choose(prompt.view, question, rng)
            if admits(question.options, move):
                return Decision(move, strategy)
        except Exception as error:  # noqa: BLE001 - a computer that fails still has to move
            self._count("strategy_failed", type(error).__name__, _place(error), prompt.table)
        else:
            self._count("strategy_failed", "not offered", strategy.name, prompt.table)
        return Decision(question.default, DEFAULT)

    async def _send(self, prompt: BotPrompt, decision: Decision) -> object:
        strategy = decision.strategy
        body = DecideBody(
            _command_id(prompt, strategy),
            prompt.seat,
            prompt.question.prompt,
            Raw(_ENCODER.encode(decision.move)),
            strategy.name,
            strategy.version,
            prompt.rng_seed,
        )
        subject = subjects.command(subjects.BOT, prompt.table, "decide")
        return decode_reply(await self._bus.request(subject, _ENCODER.encode(body), ANSWER_S))

    def _count(self, what: str, reason: str, where: str = "", table: str = "") -> None:
        """Count, and log the first, second, fourth, eighth ... of a kind."""
        self.counts[what] += 1
        count = self.counts[what]
        if count & (count - 1) == 0:
            log.warning(
                "bot_trouble", code=what, reason=reason, where=where, table=table, count=count
            )


def _is_unfit(reply: object) -> bool:
    return isinstance(reply, Rejected) and reply.code in _UNFIT


def _command_id(prompt: BotPrompt, strategy: Strategy) -> str:
    """Give the same id for the same decision, so that asking twice does not decide twice."""
    question = prompt.question
    named = (prompt.table, prompt.seat, question.prompt, question.part, prompt.rng_seed)
    text = "\n".join(map(str, (*named, strategy.name, strategy.version)))
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
        await BotService(bus).serve(stop)
    finally:
        await bus.close()
