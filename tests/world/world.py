"""One seed, one world: loop, clock, net, feed, store and processes, and the trace of a run."""

import asyncio
import contextlib
import contextvars
import hashlib
import os
import random
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from typing import Any, TypeVar
from unittest import mock

from services.kit.clock import clock_from
from services.kit.store import chain
from services.kit.store.leases import Gain, Loss
from tests.world import faults as faults_
from tests.world.bus import Net
from tests.world.faults import Faults
from tests.world.feed import FeedServer
from tests.world.leases import Sessions, WorldLeases, WorldProjection
from tests.world.loop import Held, VirtualLoop
from tests.world.processes import CURRENT, Life, Process, Stepped
from tests.world.store import StoreServer

T = TypeVar("T")


class World:
    """Everything outside of the services, made from one seed.

    `faults` may be changed while it runs. `failures` collects what must not happen in any process:
    the scenario looks at it in the end.
    """

    def __init__(self, seed: int, faults: Faults | None = None) -> None:
        self.seed = seed
        self.loop = VirtualLoop()
        self.loop.wrap = self._wrap
        self.loop.born = self._born
        self.loop.holds = _holds
        self.faults = faults if faults is not None else faults_.none()
        self.failures: list[str] = []
        self.lines: list[str] | None = None
        self._digest = hashlib.sha256()
        self._rngs: dict[str, random.Random] = {}
        self.net = Net(self)
        self.feed = FeedServer(self)
        self.store = StoreServer(self)
        self.sessions = Sessions(self.store)
        self.processes: list[Process] = []

    def rng(self, name: str) -> random.Random:
        """Return the stream of chance of this name: one part's draws leave the others alone."""
        if name not in self._rngs:
            self._rngs[name] = random.Random(f"{self.seed}/{name}")
        return self._rngs[name]

    def trace(self, what: str, line: str, data: bytes = b"") -> None:
        """Add a line to the trace; `lines` keeps them when it is set to a list."""
        text = f"{self.loop.now_s:.6f} {what} {line}"
        self._digest.update(text.encode() + b"\n" + data + b"\n")
        if self.lines is not None:
            self.lines.append(text)

    @property
    def digest(self) -> str:
        """What two runs of the same seed must have in common."""
        return self._digest.hexdigest()

    def process(
        self, name: str, main: Callable[[Life], Awaitable[None]], restart_s: float | None = None
    ) -> Process:
        """Return a process that is not started yet; with `restart_s` it is started anew when dead.

        `main` makes its ports from the life that it is given.
        """
        process = Process(self, name, main, restart_s)
        self.processes.append(process)
        return process

    def leases(
        self,
        on_gain: Gain,
        on_loss: Loss,
        *,
        keys: Sequence[int] = range(32),
        life: Life | None = None,
    ) -> WorldLeases:
        """Return the leases of one replica; they end with `life`."""
        return WorldLeases(self.sessions, on_gain, on_loss, keys=keys, life=life)

    def projection(self, name: str, life: Life | None = None) -> WorldProjection:
        """Return a projection whose views are `store.views[name]`; it dies with `life`."""
        return WorldProjection(self.store, name, life)

    def run(self, scenario: Coroutine[Any, Any, T]) -> T:
        """Run a scenario to its end, kill what still runs, and return what it returned.

        Wall clock and entropy come from the world meanwhile.
        """
        with _owned(self), asyncio.Runner(loop_factory=lambda: self.loop) as runner:
            try:
                return runner.run(scenario)
            finally:
                for process in self.processes:
                    process.kill_for_good()

    @staticmethod
    def _wrap(coro: Coroutine[Any, Any, Any]) -> Coroutine[Any, Any, Any]:
        life = CURRENT.get()
        return coro if life is None else Stepped(coro, life)

    @staticmethod
    def _born(task: "asyncio.Task[Any]") -> None:
        life = CURRENT.get()
        if life is not None:
            life.born(task)


def _holds(context: contextvars.Context | None) -> Held | None:
    life = CURRENT.get() if context is None else context.get(CURRENT)
    return None if life is None else life.held


@contextlib.contextmanager
def _owned(world: World) -> Iterator[None]:
    """Let clock and entropy of this Python belong to the world.

    Other threads would draw from them too (a pool of the library's recorder does): `make test`
    runs the tests of the world in processes that have none.
    """
    entropy = world.rng("entropy").randbytes
    state = random.getstate()
    random.seed(world.seed)
    chain._salts.clear()
    try:
        with (
            clock_from(world.loop.now_ms),
            mock.patch.object(os, "urandom", entropy),
            mock.patch.object(random, "_urandom", entropy),
        ):
            yield
    finally:
        chain._salts.clear()
        random.setstate(state)
