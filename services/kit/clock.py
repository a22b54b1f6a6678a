"""The wall clock, in one place, so that a simulation can own it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def wall_ms() -> int:
    """Milliseconds since 1970-01-01 UTC, by this machine."""
    return time.time_ns() // 1_000_000


_source: Callable[[], int] = wall_ms


def now_ms() -> int:
    """Milliseconds since 1970-01-01 UTC; it may step back, so it orders nothing."""
    return _source()


@contextmanager
def clock_from(source: Callable[[], int]) -> Iterator[None]:
    """Within the context every caller of `now_ms` gets the time from `source`."""
    global _source  # noqa: PLW0603 - the one replaceable thing here
    before, _source = _source, source
    try:
        yield
    finally:
        _source = before
