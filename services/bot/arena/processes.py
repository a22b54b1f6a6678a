"""Work spread over processes that end with whoever wants the results, however that comes about."""

from __future__ import annotations

import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, Process, connection, parent_process
from typing import Any, Final, TypeVar

from services.kit.console.failure import Failure

T = TypeVar("T")
AHEAD: Final = 2
"""Items that a process has got: it does not wait while its last result is taken."""


def spread(work: Callable[[int], T], items: Sequence[int], count: int) -> Iterator[T]:
    """Give `work(item)` for different items, in their order, from `count` processes.

    Raises what `work` raises, and Failure when a process was ended from outside.
    """
    todo = iter(items)
    done: dict[int, T] = {}
    with _processes(work, count) as pipes:
        for pipe in pipes * AHEAD:
            _give(pipe, todo)
        for wanted in items:
            while wanted not in done:
                for pipe in connection.wait(pipes):
                    item, result = _received(pipe)
                    done[item] = result
                    _give(pipe, todo)
            yield done.pop(wanted)


@contextmanager
def _processes(work: Callable[[int], Any], count: int) -> Iterator[list[Any]]:
    pipes, processes = [], []
    try:
        for _ in range(count):
            ours, theirs = Pipe()
            process = Process(target=_serve, args=(work, theirs), daemon=True)
            process.start()
            theirs.close()  # so that a process that ends is noticed
            pipes.append(ours)
            processes.append(process)
        yield pipes
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _give(pipe: Any, todo: Iterator[int]) -> None:
    item = next(todo, None)
    if item is not None:
        with suppress(ConnectionError):  # an ended process is noticed when its result is wanted
            pipe.send(item)


def _received(pipe: Any) -> tuple[int, Any]:
    try:
        item, result = pipe.recv()
    except (EOFError, ConnectionError):
        raise Failure("a process that played was ended from outside") from None
    if isinstance(result, Exception):
        raise result
    return item, result


def _serve(work: Callable[[int], Any], pipe: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process gets it, too, and ends this
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        item = pipe.recv()
        try:
            result = work(item)
        except Exception as error:  # noqa: BLE001 - it is raised where the result is wanted
            error.add_note(traceback.format_exc())  # which does not cross processes otherwise
            result = error
        pipe.send((item, result))


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)
