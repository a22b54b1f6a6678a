"""Prompts as tables send them, and tables that answer as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from contracts import subjects
from contracts.commands import DecideBody, decode
from contracts.replies import Accepted, Reply
from contracts.views import BotPrompt, Question
from domain.games import GAMES
from domain.kernel import asked, begin
from services.bot.service import BotService
from services.kit.bus import Message
from services.kit.nats_bus import NatsBus

NOW = 1_000_000
DEADLINE = NOW + 3_000
TABLE = f"07-{'ab' * 12}"
ACCEPTED = Accepted(TABLE, 5, 6, "00")


def prompt(number: int = 4, of: str = "speeddive", **changes: Any) -> bytes:
    """The first question of a game, as it is sent."""
    rules = GAMES[of]
    settled = begin(rules, rules.options_type(), (0, 1), lambda cards: tuple(sorted(cards)))
    ask = asked(settled.waiting)[0]
    prompt = BotPrompt(
        TABLE,
        of,
        ask.seat,
        Question(number, ask.kind, ask.options, ask.default, part=ask.part),
        rules.view(settled.state, ask.seat),
        "normal",
        DEADLINE,
        "seed-1",
    )
    return msgspec.json.encode(msgspec.structs.replace(prompt, **changes))


class Tables:
    """All tables: they note each decision and answer it."""

    def __init__(self, bus: NatsBus, service: BotService) -> None:
        self.answer: Callable[[DecideBody], Reply | None] = lambda _body: ACCEPTED
        self.decisions: list[DecideBody] = []
        self.replies: list[str] = []
        self.service = service
        self._bus = bus

    def take(self, message: Message) -> None:
        body = decode("decide", message.data)
        assert isinstance(body, DecideBody)
        self.decisions.append(body)
        self.replies.append(message.reply)
        if (reply := self.answer(body)) is not None:
            self._bus.publish(message.reply, msgspec.json.encode(reply))

    async def ask(self, *prompts: bytes) -> None:
        for data in prompts:
            self._bus.publish(subjects.BOT_PROMPT, data)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():  # noqa: ASYNC110 - the service has no event for its counts
                await asyncio.sleep(0.005)

    async def answered(self, count: int = 1) -> list[DecideBody]:
        await self.until(lambda: sum(self.service.counts.values()) >= count)
        return self.decisions
