"""One line on the terminal that grows with long work; silent where nobody looks."""

import sys
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Final, Self, TextIO, TypeVar

T = TypeVar("T")

_BAR: Final = 24
_EVERY_S: Final = 0.1


class Progress:
    """A bar on stderr while the context is open; only on a terminal, and never in the output."""

    def __init__(self, what: str, total: int, stream: TextIO | None = None) -> None:
        self._what = what
        self._total = total
        self._stream = sys.stderr if stream is None else stream
        self._shown_at = float("-inf")
        self._begun = time.monotonic()

    def __enter__(self) -> Self:
        """Show the empty bar."""
        self.show(0)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Clear the line."""
        if self._stream.isatty():
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def over(self, results: Iterable[T]) -> Iterator[T]:
        """Hand on what comes, and show how much of it has come."""
        for done, result in enumerate(results, 1):
            self.show(done)
            yield result

    def show(self, done: int, note: str = "") -> None:
        """Show how much is done; ten times a second at most, so call it as often as you like."""
        now = time.monotonic()
        if not self._stream.isatty() or (now - self._shown_at < _EVERY_S and done < self._total):
            return
        self._shown_at = now
        full = _BAR * done // max(1, self._total)
        bar = "█" * full + "░" * (_BAR - full)
        took = f"{now - self._begun:.0f} s"
        line = f"{self._what} {bar} {done:,}/{self._total:,}  {took}"
        self._stream.write(f"\r\x1b[K{line}  {note}" if note else f"\r\x1b[K{line}")
        self._stream.flush()
