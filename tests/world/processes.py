"""Service instances that can die between any two awaits, stand still, and start anew."""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.world.world import World

CURRENT: contextvars.ContextVar["Life | None"] = contextvars.ContextVar("life", default=None)
"""Whose code is running; tasks and callbacks inherit it. None: the scenario itself."""

ENDING_STEPS = 200
"""Turns of the loop in which the tasks of a dead process must have ended."""


class Life:
    """One run of a process, from its start to its end. Ports belong to a life and die with it."""

    def __init__(self, world: "World", name: str, number: int) -> None:
        self.world = world
        self.name = name
        self.number = number
        self.alive = True
        self.steps = 0
        self.tasks: list[asyncio.Task[Any]] = []
        self.endings: list[Callable[[], None]] = []
        self._crash_at: int | None = None
        self._frozen = False
        self._waiting: list[asyncio.Future[None]] = []
        self._held: list[asyncio.Handle] = []

    def __repr__(self) -> str:
        return f"{self.name}#{self.number}"

    def step(self) -> None:
        """Count a point at which a process may die, and die if it is the chosen one."""
        self.steps += 1
        if self._crash_at is not None and self.steps >= self._crash_at and self.alive:
            self.end("crashed at a step")

    def must_live(self) -> None:
        """Raise CancelledError in dead code that touches a port it would have to wait for."""
        self.step()
        if not self.alive:
            raise asyncio.CancelledError

    def crash_after(self, steps: int) -> None:
        """Die at the given number of steps from now: resumed awaits and calls of ports."""
        self._crash_at = self.steps + steps

    def end(self, why: str) -> None:
        """Die now: ports go dead, tasks are cancelled, nothing done later has any effect."""
        if not self.alive:
            return
        self.alive = False
        self.world.trace("process", f"{self!r} {why}")
        self.thaw()
        for ending in self.endings:
            ending()
        for task in self.tasks:
            task.cancel()

    def freeze(self) -> None:
        """Stand still (SIGSTOP): no task goes on, no message is handled, no timer fires."""
        if self.alive and not self._frozen:
            self.world.trace("process", f"{self!r} frozen")
            self._frozen = True

    def thaw(self) -> None:
        """Go on where it stood."""
        if not self._frozen:
            return
        self.world.trace("process", f"{self!r} thawed")
        self._frozen = False
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
        self.world.loop.go_on(self._held)

    @property
    def held(self) -> list[asyncio.Handle] | None:
        """Where its callbacks wait while it stands still."""
        return self._held if self._frozen else None

    def standing(self) -> asyncio.Future[None] | None:
        """What a task that wants to go on must wait for first; None when it may."""
        if not self._frozen:
            return None
        future = self.world.loop.create_future()
        self._waiting.append(future)
        return future

    def deliver(self, call: Callable[[], None]) -> None:
        """Run a callback of this life, unless it is dead; the loop holds it when it is frozen."""
        if self.alive:
            call()

    def born(self, task: asyncio.Task[Any]) -> None:
        """Count a task to this life; in a dead one it ends before it begins."""
        self.tasks = [other for other in self.tasks if not other.done()]
        self.tasks.append(task)
        if not self.alive:
            task.cancel()


class Stepped(Coroutine[Any, Any, Any]):
    """The coroutine of a task: each resumption is a step of its life."""

    def __init__(self, coro: Coroutine[Any, Any, Any], life: Life) -> None:
        self._coro = coro
        self._life = life
        self._held: tuple[Callable[..., Any], tuple[Any, ...]] | None = None

    def send(self, value: Any) -> Any:
        return self._resume(self._coro.send, (value,))

    def throw(self, *error: Any) -> Any:
        return self._resume(self._coro.throw, error)

    def close(self) -> None:
        self._coro.close()

    def __await__(self) -> Any:
        raise NotImplementedError("only a task runs this")

    def _resume(self, how: Callable[..., Any], what: tuple[Any, ...]) -> Any:
        if self._held is not None and how == self._coro.send:
            how, what = self._held  # thawed: what was held back comes first
        self._held = None
        thawed = self._life.standing()
        if thawed is not None:
            self._held = (how, what)
            thawed._asyncio_future_blocking = True  # what `await` does before it yields one
            return thawed
        self._life.step()
        if not self._life.alive:
            return self._coro.throw(asyncio.CancelledError())
        return how(*what)


class Process:
    """A supervised service: `main` runs in one life after the other."""

    def __init__(
        self,
        world: "World",
        name: str,
        main: Callable[[Life], Awaitable[None]],
        restart_s: float | None = None,
    ) -> None:
        self.name = name
        self.life: Life | None = None
        self._world = world
        self._main = main
        self._restart_s = restart_s
        self._lives = 0
        self._wanted = False

    @property
    def alive(self) -> bool:
        """Whether a life is running."""
        return self.life is not None and self.life.alive

    def start(self) -> Life:
        """Begin a life; ports are made by `main` from what outlived the former one."""
        assert not self.alive, f"{self.name} is running"
        self._lives += 1
        self._wanted = True
        life = self.life = Life(self._world, self.name, self._lives)
        life.endings.append(self._ended)
        self._world.trace("process", f"{life!r} started")
        context = contextvars.copy_context()
        context.run(CURRENT.set, life)
        context.run(self._world.loop.create_task, self._run(life))
        return life

    def crash(self) -> None:
        """Die now (SIGKILL), at whatever await every task of it stands."""
        if self.life is not None:
            self.life.end("crashed")

    def crash_after(self, steps: int) -> None:
        """Die at the given step of the running life, counted from now."""
        assert self.life is not None
        self.life.crash_after(steps)

    def kill_for_good(self) -> None:
        """Die now and stay dead."""
        self._wanted = False
        self.crash()

    async def stop(self, wait_s: float = 30.0) -> None:
        """End for good: cancel `main` with living ports (SIGTERM), and kill it if it stays."""
        self._wanted = False
        life = self.life
        if life is None or not life.alive:
            return
        life.tasks[0].cancel()
        await asyncio.wait([life.tasks[0]], timeout=wait_s)
        life.end("stopped")
        await ended(life)

    async def _run(self, life: Life) -> None:
        try:
            await self._main(life)
        except asyncio.CancelledError:
            life.end("cancelled")
            raise
        except Exception as error:  # noqa: BLE001 - the scenario decides what it may be
            if life.alive:
                self._world.failures.append(f"{life!r}: {error!r}")
            life.end(f"failed: {type(error).__name__}")
        else:
            life.end("returned")

    def _ended(self) -> None:
        if self._wanted and self._restart_s is not None:
            context = contextvars.Context()
            self._world.loop.call_later(self._restart_s, self._again, context=context)

    def _again(self) -> None:
        if self._wanted and not self.alive:
            self.start()


async def ended(life: Life) -> None:
    """Return when no task of a dead life is left; fails when one refuses to end."""
    for _ in range(ENDING_STEPS):
        left = [task for task in life.tasks if not task.done()]
        if not left:
            return
        for task in left:
            task.cancel()
        await asyncio.sleep(0)
    raise AssertionError(f"tasks of {life!r} live on: {left}")
