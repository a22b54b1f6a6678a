"""JSON lines with an allow-list of keys: what is not on the list does not leave the process.

A hand of cards gets into a log because somebody binds a whole state while debugging. So keys are
listed here, unknown ones are dropped and counted, and exceptions are logged by type and place
only: their texts may quote a card.
"""

import logging
import sys
import traceback
from collections import Counter
from collections.abc import MutableMapping
from types import TracebackType
from typing import Any, Final, TextIO

import structlog

KEYS: Final = frozenset(
    {
        # every line
        *("event", "level", "timestamp", "service", "pid"),
        # what it is about: ids and numbers that everybody at the table may know
        *("table", "stream", "version", "command_id", "prompt", "seat", "player", "partition"),
        *("epoch", "position", "game", "verb", "subject", "queue", "projection", "incident"),
        # what happened
        *("code", "error", "where", "exception", "signal", "reason", "attempt", "outcome"),
        # how much and how long
        *("count", "size", "dropped", "behind", "limit", "ms", "wait_s"),
    }
)

dropped: Counter[str] = Counter()
"""How often each key that is not on the list was dropped by this process; for metrics."""

_Fields = MutableMapping[str, Any]


def configure(service: str, stream: TextIO = sys.stdout) -> None:
    """From now on this process logs JSON lines to `stream`, each with the service's name."""

    def name_service(_logger: object, _method: str, fields: _Fields) -> _Fields:
        fields["service"] = service
        return fields

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            name_service,
            place_of_exception,
            only_listed,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(handlers=[_Foreign()], level=logging.WARNING, force=True)


def silence() -> None:
    """From now on this process logs nothing: a command speaks through its output alone."""
    structlog.configure(
        processors=[_drop], wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL)
    )
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)


def _drop(_logger: object, _method: str, _fields: _Fields) -> _Fields:
    raise structlog.DropEvent


def only_listed(_logger: object, _method: str, fields: _Fields) -> _Fields:
    """Drop and count every key that is not on the list."""
    for key in [key for key in fields if key not in KEYS]:
        del fields[key]
        dropped[key] += 1
    return fields


def place_of_exception(_logger: object, _method: str, fields: _Fields) -> _Fields:
    """Replace an exception by its type and the places it came through, without its text."""
    info = fields.pop("exc_info", None)
    if not info:
        return fields
    error = info if isinstance(info, BaseException) else sys.exc_info()[1]
    if error is not None:
        fields["error"] = type(error).__name__
        fields["exception"] = places(error.__traceback__)
    return fields


def places(trace: TracebackType | None) -> str:
    """File, line and function of each frame, innermost last."""
    return " > ".join(f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(trace))


class _Foreign(logging.Handler):
    """Warnings of libraries, by the place that gave them: their texts are not ours to judge."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        structlog.get_logger().warning(
            "library_warning",
            where=f"{record.name}:{record.lineno}",
            error=type(error).__name__ if error else record.levelname,
        )
