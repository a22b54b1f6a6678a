"""An event loop whose time is a number: when nothing is ready it jumps to the next timer.

No threads, no sockets, no signals: whatever runs here is decided by the program alone.
"""

import asyncio
import collections
import contextvars
import itertools
import selectors
from collections.abc import Callable, Coroutine, Generator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")

START_S = 1_000_000.0
"""Loop time at the start."""
START_MS = 1_700_000_000_000
"""Wall clock at the start: milliseconds since 1970-01-01 UTC."""


class Standstill(RuntimeError):
    """Nobody is ready and no timer is set: the program waits for something that cannot come."""


class _Waiting(selectors.BaseSelector):
    """Waits by moving the loop's clock."""

    def __init__(self, loop: "VirtualLoop") -> None:
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise Standstill("nobody is ready and no timer is set")
        self._loop.now_s += max(0.0, timeout)
        return []

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        raise NotImplementedError("the world has no sockets")

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        raise NotImplementedError("the world has no sockets")

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return {}


class _Future(asyncio.Future[Any]):
    """A future that stands in sets and dicts by its number, not by its address."""

    _number: int

    def __hash__(self) -> int:
        return self._number


class _Task(asyncio.Task[Any]):
    """As _Future: `asyncio.wait` and TaskGroup go through sets, in an order that must not vary."""

    _number: int

    def __hash__(self) -> int:
        return self._number

    def __init__(self, number: int, coro: Any, **options: Any) -> None:
        self._number = number
        super().__init__(coro, **options)


Held = list[asyncio.Handle]
"""Callbacks of somebody who stands still."""
Wrap = Callable[[Coroutine[Any, Any, Any]], Coroutine[Any, Any, Any]]
"""What the loop does with the coroutine of every new task."""


class VirtualLoop(asyncio.base_events.BaseEventLoop):
    """The standard loop with virtual time; `wrap` sees every task before it begins.

    `holds` tells where the callbacks of a context wait while its process stands still.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now_s = START_S
        self.wrap: Wrap = lambda coro: coro
        self.born: Callable[[asyncio.Task[Any]], None] = lambda _: None
        self.holds: Callable[[contextvars.Context | None], Held | None] = lambda _: None
        self.broken: list[str] = []
        self._numbers = itertools.count(1)
        self._ready: collections.deque[asyncio.Handle]
        self._selector = _Waiting(self)
        self._clock_resolution = 1e-9
        self.set_task_factory(self._make_task)
        self.set_exception_handler(self._note)

    def time(self) -> float:
        """Seconds of virtual time."""
        return self.now_s

    def now_ms(self) -> int:
        """Return the wall clock of the world, for `clock_from`."""
        return START_MS + round((self.now_s - START_S) * 1000)

    def create_future(self) -> asyncio.Future[Any]:
        """Return a future with a number."""
        future = _Future(loop=self)
        future._number = next(self._numbers)
        return future

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """Run a callback next, or keep it while its process stands still."""
        held = self.holds(context)
        if held is None:
            return super().call_soon(callback, *args, context=context)
        handle = asyncio.Handle(callback, args, self, context)
        held.append(handle)
        return handle

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Any,
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run a callback at a time, or once its process goes on after that."""

        def fire() -> None:
            if self.holds(context) is None:
                callback(*args)
            else:
                self.call_soon(late, context=context)

        def late() -> None:
            if not timer.cancelled():
                callback(*args)

        timer = super().call_at(when, fire, context=context)
        return timer

    def go_on(self, held: Held) -> None:
        """Run next what was kept, in the order in which it came."""
        self._ready.extend(held)
        held.clear()

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        """Refuse: a thread would bring chance into the world."""
        raise NotImplementedError("the world has no threads")

    def _make_task(
        self,
        _loop: asyncio.AbstractEventLoop,
        coro: Coroutine[Any, Any, T] | Generator[Any, None, T],
        context: contextvars.Context | None = None,
    ) -> asyncio.Task[T]:
        assert asyncio.iscoroutine(coro)
        task = _Task(next(self._numbers), self.wrap(coro), loop=self, context=context)
        self.born(task)
        return task

    def _note(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Remember what nobody handled; such things must not get lost in a log."""
        self.broken.append(f"{context['message']}: {context.get('exception')!r}")

    def _process_events(self, event_list: list[Any]) -> None:
        assert not event_list

    def _write_to_self(self) -> None:
        """Wake nobody: there is no other thread."""
