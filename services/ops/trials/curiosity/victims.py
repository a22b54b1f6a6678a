"""Two people who play a game with hidden hands meanwhile, talk to each other, and know of nothing."""

from __future__ import annotations

import asyncio
import json
import secrets
from contextlib import suppress
from random import Random
from typing import Any, Final

import msgspec

from contracts import subjects
from contracts.gateway import Session
from domain.games import GAMES
from domain.refusals import Code, Refused
from domain.table.events import TableRules
from services.kit.bus import Message
from services.kit.client import PlayerClient, Seat
from services.kit.console.failure import Failure
from services.kit.nats_bus import NatsBus
from services.kit.seen import SeenView
from services.ops.simulation.play import choose

GAME: Final = "snorkeling"
RULES: Final = TableRules(places=2, computers=False, thinking_s=0)
OPTIONS: Final[dict[str, str | int | bool]] = {"bilanz": False}
HELD_AT: Final = 40
"""Moves of each while they are watched: far fewer than a game has, so it runs until then."""
PAUSE_S: Final = 0.15
STALL_S: Final = 60.0
HAND_MIN: Final = 4
"""Smaller hands are no markers: they may be seen elsewhere by accident."""
CHAT: Final = ("Kanarienvogel im Schacht", "Ich höre ihn auch")
_ANSWER_S: Final = 10.0


class Victim:
    """One of the two: plays as he is asked, and keeps what only he may know."""

    def __init__(self, session: Session, bus: NatsBus, seed: int) -> None:
        """Play over this connection; `seed` decides what is chosen."""
        self.session = session
        self.client = PlayerClient(bus, session.player)
        self.hands: set[bytes] = set()
        self.lines: list[bytes] = []
        self.refused: list[str] = []
        self.moves = 0
        self._bus = bus
        self._chance = Random(seed)  # noqa: S311 - plays, guards nothing

    @property
    def player(self) -> str:
        """His id."""
        return self.session.player

    async def open(self) -> str:
        """Open a table for two, and give its id."""
        return (await self.client.open(GAME, RULES, OPTIONS)).table

    async def listen(self, table: str) -> Seat:
        """Hear the own chat, and follow the own seat."""
        await self._bus.subscribe(subjects.chat_line(self.player, table), self._read)
        return self.client.seat(table)

    async def play(self, table: str, released: asyncio.Event) -> SeenView:
        """Answer until the game is over; raises TimeoutError when nothing happens any more.

        Until `released` is set that goes slowly, and not beyond HELD_AT moves.
        """
        seat = self.client.seat(table)
        version = 0
        while True:
            within_s = STALL_S if released.is_set() else 10 * STALL_S
            view = await seat.newer(version, within_s)
            version = view.version
            self._keep(view)
            if view.ended:
                return view if seat.complete else await seat.resume()
            if view.questions:
                version = max(version, await self._answer(table, view) - 1)
                await self._breathe(released)

    async def say(self, table: str, text: str) -> None:
        """Say something to the other one; raises Failure when it is refused."""
        data = msgspec.json.encode({"command_id": secrets.token_hex(8), "text": text})
        answer = await self._bus.request(subjects.chat(self.player, table, "say"), data, _ANSWER_S)
        if b'"said"' not in answer:
            raise Failure(f"the victims cannot chat: {answer.decode(errors='replace')}")

    async def _answer(self, table: str, view: SeenView) -> int:
        question = view.questions[0]
        move = choose(question, self._chance, GAMES[GAME])
        try:
            answer = await self.client.move(table, question.prompt, move)
        except Refused as refused:
            if refused.code != Code.STALE_PROMPT:
                self.refused.append(refused.code)
            return 0
        self.moves += 1
        return answer.last

    async def _breathe(self, released: asyncio.Event) -> None:
        if self.moves >= HELD_AT:
            await released.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(released.wait(), PAUSE_S)

    def _read(self, message: Message) -> None:
        self.lines.append(message.data)

    def _keep(self, view: SeenView) -> None:
        play: dict[str, Any] | None = json.loads(bytes(view.play))
        hand = play["hand"] if play else []
        if len(hand) >= HAND_MIN:
            self.hands.add(as_text(hand))


def as_text(cards: object) -> bytes:
    """Give cards as they stand in messages."""
    return msgspec.json.encode(cards)


async def begin(victims: tuple[Victim, Victim], table: str) -> None:
    """Sit down at the table that the first of the two has opened, and begin the game."""
    opener, guest = victims
    for each in victims:
        await each.listen(table)
    await guest.client.join(table, client_seed=secrets.token_urlsafe(8))
    await opener.client.start(table, secrets.token_urlsafe(8))
