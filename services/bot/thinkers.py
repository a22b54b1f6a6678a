"""Child processes for strategies that think: they hold up nobody, and none outlives the service."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Final, Literal, Self

import msgspec
import structlog

from services.bot.deciding import Thought
from services.bot.thinker import FRAME_HEAD, LIMIT_SIGNAL, frame
from services.kit.stopping import stopped

STANDSTILL_S: Final = 1.0
"""A child that has not answered by then stands still, or the machine is beyond help: a table waits
3 s in all, of which the prompt may have waited some already."""
START_S: Final = 30.0
AGAIN_S: Final = 1.0
"""Wait before another start after one that failed."""
THINKER: Final = (sys.executable, "-m", "services.bot.thinker")

log = structlog.get_logger(__name__)
_ANSWER = msgspec.json.Decoder(Thought)


class Busy(Exception):
    """No child was free in time; nothing has begun."""


class CutOff(Exception):
    """The child ended without an answer: `late` by its limit, or it `died`."""

    def __init__(self, why: Literal["late", "died"]) -> None:
        super().__init__(why)
        self.why = why


class Thinkers:
    """As many child processes as there are cores, each deciding one prompt at a time.

    A context: within it, a child that ends is replaced; after it, there is none.
    """

    def __init__(self, count: int | None = None, argv: Sequence[str] = THINKER) -> None:
        """Start nothing yet."""
        self._count = count or _cores()
        self._argv = argv
        self._idle: deque[_Child] = deque()
        self._free = asyncio.Semaphore(0)  # as many as are in `_idle`; first come, first served
        self._keepers: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._keepers = [asyncio.create_task(self._keep()) for _ in range(self._count)]
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: object, _trace: TracebackType | None
    ) -> None:
        for keeper in self._keepers:
            await stopped(keeper)

    async def think(self, prompt: bytes, until: float, *, explain: bool) -> Thought:
        """Let a child decide a prompt as it came from the bus.

        Raises Busy when none was free at `until` (loop time), CutOff when it gave no answer.
        """
        try:
            async with asyncio.timeout_at(until):
                child = await self._take()
        except TimeoutError:
            raise Busy from None
        try:
            async with asyncio.timeout(STANDSTILL_S):
                answer = await _answer(child, bytes([explain]) + prompt)
        except TimeoutError:
            child.kill()
            raise CutOff("late") from None
        except BaseException:
            child.kill()  # it would answer the next one with this answer
            raise
        self._offer(child)
        return _ANSWER.decode(answer)

    async def _take(self) -> _Child:
        while True:
            await self._free.acquire()
            child = self._idle.popleft()
            if child.lives:  # else its keeper starts another
                return child

    def _offer(self, child: _Child) -> None:
        self._idle.append(child)
        self._free.release()

    async def _keep(self) -> None:
        """Keep one child alive."""
        while True:
            try:
                child = await _started(self._argv)
            except (OSError, EOFError, TimeoutError) as error:
                log.error("thinker_not_started", error=type(error).__name__)  # noqa: TRY400
                await asyncio.sleep(AGAIN_S)
                continue
            self._offer(child)
            try:
                code = await child.ended()
            finally:
                await child.end()
            log.warning("thinker_replaced", code=code)


class _Child:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._questions, self._answers = process.stdin, process.stdout

    @property
    def lives(self) -> bool:
        return self._process.returncode is None

    async def ask(self, question: bytes) -> bytes:
        """Return the answer; raises EOFError or ConnectionError when the child ends before."""
        self._questions.write(frame(question))
        return await self.heard()

    async def heard(self) -> bytes:
        """Return what the child says next."""
        size = int.from_bytes(await self._answers.readexactly(FRAME_HEAD), "big")
        return await self._answers.readexactly(size)

    async def ended(self) -> int:
        """Return the exit code, once there is one; negative: the signal that killed it."""
        return await self._process.wait()

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def end(self) -> int:
        """Kill it if it lives, and return the exit code."""
        self.kill()
        return await self.ended()


async def _answer(child: _Child, question: bytes) -> bytes:
    """Return the answer; raises CutOff when the child ends before."""
    try:
        return await child.ask(question)
    except (EOFError, ConnectionError):
        late = await child.ended() == -LIMIT_SIGNAL
        raise CutOff("late" if late else "died") from None


async def _started(argv: Sequence[str]) -> _Child:
    """Return a child that is ready; raises OSError, EOFError or TimeoutError when it is not."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for the service, which still needs its thinkers
    )
    child = _Child(process)
    try:
        async with asyncio.timeout(START_S):
            await child.heard()
    except BaseException:
        await child.end()
        raise
    return child


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
