"""People of the tests: they come in by HTTP and play over WebSocket with what they get there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias, TypeVar

import pytest

from contracts import subjects
from contracts.account import Account, decode_account
from contracts.gateway import Session
from contracts.leaderboard import Leaderboard, decode_leaderboard
from domain.refusals import Code, Refused
from domain.table.events import TableRules
from services.kit.bus import Message
from services.kit.client import PlayerClient
from services.kit.nats_bus import NatsBus
from services.kit.seen import SeenView
from services.ops.trials.entry import Browser
from tests.bus.harness import request_until_answered

T = TypeVar("T")
Options: TypeAlias = dict[str, str | int | bool]
_USUAL = {"decided_by": "human"}
"""What a fact leaves out when it is so."""
WITHIN_S = 30.0
"""Whatever is waited for here comes long before, or something is broken."""


class Person(NamedTuple):
    """Somebody in a browser of his own, connected with his ticket; `client` is at any tables."""

    browser: Browser
    session: Session
    bus: NatsBus
    client: PlayerClient

    @property
    def id(self) -> str:
        return self.session.player

    async def ask(self, subject: str, **fields: Any) -> bytes:
        """Ask a service that answers soon."""
        return await request_until_answered(self.bus, subject, json.dumps(fields).encode())

    async def hear(self, subject: str) -> asyncio.Queue[dict[str, Any]]:
        """Listen; what comes is decoded as JSON."""
        heard: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

        def take(message: Message) -> None:
            heard.put_nowait(json.loads(message.data))

        await self.bus.subscribe(subject, take)
        return heard

    async def account(self) -> Account:
        answer = decode_account(await self.ask(subjects.account(self.id)))
        assert isinstance(answer, Account), answer
        return answer

    async def board(self, game: str, period: str = "all") -> Leaderboard:
        """The best of a game, and the own line."""
        fields = {"period": period, "player": self.id, "limit": 100}
        answer = decode_leaderboard(await self.ask(subjects.leaderboard(self.id, game), **fields))
        assert isinstance(answer, Leaderboard), answer
        return answer

    async def until(self, table: str, holds: Callable[[SeenView], object]) -> SeenView:
        """Follow a table until its view is so."""
        seat = self.client.seat(table)
        view = await seat.newer(0, WITHIN_S)
        async with asyncio.timeout(WITHIN_S):
            while not holds(view):
                view = await seat.newer(view.version, WITHIN_S)
        return view

    def facts(self, table: str, *kinds: str) -> list[dict[str, Any]]:
        """What this person has been told of a table, each with its number and time; no blanks."""
        told = []
        for each in self.client.seat(table).facts:
            fact = json.loads(bytes(each.fact))
            if fact is not None and (not kinds or fact["type"] in kinds):
                told.append({"number": each.number, "at": each.at, **_USUAL, **fact})
        return told


async def follows(ask: Callable[[], Awaitable[T]], holds: Callable[[T], object]) -> T:
    """Ask until the answer is so: read models follow the log a little later."""
    async with asyncio.timeout(WITHIN_S):
        while not holds(answer := await ask()):  # noqa: ASYNC110 - they tell nobody
            await asyncio.sleep(0.05)
    return answer


@contextmanager
def refusal(code: Code) -> Iterator[None]:
    """Expect the block to be refused with this code."""
    with pytest.raises(Refused) as refused:
        yield
    assert refused.value.code == code


async def gathered(
    opener: Person,
    *others: Person,
    game: str = "speeddive",
    rules: TableRules | None = None,
    options: Options | None = None,
) -> str:
    """Open a table and let the others sit down.

    Without more words it is a short dive without clock, with a computer where there is one person.
    """
    short: Options = {"target": 100, "bilanz": False}
    own = short if game == "speeddive" and options is None else options
    chosen = rules or TableRules(places=max(2, 1 + len(others)), computers=not others, thinking_s=0)
    table = (await opener.client.open(game, chosen, own)).table
    for other in others:
        await other.client.join(table)
    return table


async def begun(opener: Person, *others: Person, **settings: Any) -> str:
    """Gather and start; returns when all see the game."""
    table = await gathered(opener, *others, **settings)
    await opener.client.start(table)
    for person in (opener, *others):
        await person.until(table, lambda view: view.phase == "playing")
    return table


def is_computers(view: SeenView) -> bool:
    """Tell whether the table waits for computers alone."""
    asked = () if view.awaited is None else view.awaited.seats
    kinds = {view.seats[seat].kind if not view.seats[seat].left else "computer" for seat in asked}
    return kinds == {"computer"}
