"""The curious player: one attempt after the other, and what came of each."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from contracts.gateway import Session
from contracts.rights import may_subscribe
from contracts.subjects import inbox
from domain.refusals import Code
from services.kit.settings import Settings
from services.ops.trials.curiosity.probes import Outcome, Probe
from services.ops.trials.curiosity.wire import Cut, Heard, Wire, publication
from services.ops.trials.entry import Addresses

ANSWER_S: Final = 10.0
"""So long an answer may take before it counts as none; it takes milliseconds."""
PACE_S: Final = 0.1
TRIES_MAX: Final = 100
"""He asks again when he was too fast, as everybody does."""
_LATER: Final = frozenset({Code.TOO_FAST, Code.BUSY, Code.UNAVAILABLE})


class Curious:
    """He has a good ticket, listens to all that he may hear, and keeps it in `heard`."""

    def __init__(self, settings: Settings, session: Session) -> None:
        """Know who he is; `come` connects him."""
        self.me = session.player
        self.heard: list[Heard] = []
        self._url = Addresses.of(settings).socket_url
        self._session = session
        self._wire: Wire | None = None
        self._asked = 0

    @property
    def wire(self) -> Wire:
        """His connection."""
        assert self._wire is not None, "he has not come"
        return self._wire

    async def come(self) -> None:
        """Connect, anew if need be, and listen to everything that is his; raises Cut."""
        await self.go()
        wire = self._wire = Wire(self.heard)
        await wire.open(self._url, {"auth_token": self._session.ticket, "name": self.me})
        for number, subject in enumerate(may_subscribe(self.me)):
            if errors := await wire.say(f"SUB {subject} own{number}\r\n".encode()):
                raise Cut(errors[0])

    async def go(self) -> None:
        """End the connection, if there is one."""
        if self._wire is not None:
            await self._wire.close()
            self._wire = None

    async def enter(self, options: dict[str, object], path: str = "") -> str:
        """Try to come in with these options of CONNECT; gives the server's words when refused.

        "" means that he was let in. What is heard counts, too.
        """
        wire = Wire(self.heard)
        try:
            await wire.open(self._url + path, options)
        except Cut as over:
            return str(over)
        await wire.close()
        return ""

    async def attempt(self, probe: Probe) -> Outcome:
        """Make the attempt, and come back when it has cost him the connection."""
        for _ in range(TRIES_MAX):
            try:
                outcome = await (self._hear(probe) if probe.to == "hear" else self._say(probe))
            except Cut as over:
                await self.come()
                return Outcome("cut", str(over))
            if outcome.kind != "refused" or outcome.said not in _LATER:
                return outcome
            await asyncio.sleep(PACE_S)
        return outcome

    async def ask(self, subject: str, data: bytes = b"{}") -> Any:
        """Give the decoded answer to a question that is his to ask; an `Outcome` when there is none."""
        for _ in range(TRIES_MAX):
            answer = await self._answer(Probe("", "", subject, (), data=data))
            if isinstance(answer, Outcome):
                return answer
            decoded = json.loads(answer.data)
            if decoded.get("code") not in _LATER:
                return decoded
            await asyncio.sleep(PACE_S)
        return decoded

    async def _hear(self, probe: Probe) -> Outcome:
        queue = f" {probe.queue}" if probe.queue else ""
        errors = await self.wire.say(f"SUB {probe.subject}{queue} probe\r\n".encode())
        if errors:
            return _error(errors[0])
        await self.wire.say(b"UNSUB probe\r\n")
        return Outcome("taken", "the server let him listen")

    async def _say(self, probe: Probe) -> Outcome:
        answer = await self._answer(probe)
        if isinstance(answer, Outcome):
            return answer
        if answer.status:
            return Outcome("nobody", answer.status)
        try:
            decoded = json.loads(answer.data)
            kind, code = str(decoded["type"]), str(decoded.get("code", ""))
        except (ValueError, LookupError, TypeError, AttributeError):
            return Outcome("answered", "no answer of ours")
        return Outcome("refused", code) if kind == "rejected" else Outcome("answered", kind)

    async def _answer(self, probe: Probe) -> Heard | Outcome:
        """Send it; the answer comes where he wants it, or where a service says that this is wrong."""
        self._asked += 1
        own = f"{inbox(self.me)}.a{self._asked}"
        reply = (probe.reply or own).encode()
        subject = probe.subject.encode("utf-8", "surrogateescape")
        raw = publication(subject, probe.data, reply, probe.headers)
        wanted = (own, f"{inbox(self.me)}.wrong_reply")
        try:
            answer = await self.wire.ask(raw, wanted, ANSWER_S)
        except TimeoutError:
            return Outcome("silence", f"no answer in {ANSWER_S:.0f} s")
        return _error(answer) if isinstance(answer, str) else answer


def _error(words: str) -> Outcome:
    """Say what an error of the server means that has not ended the connection."""
    return Outcome("denied", words)
