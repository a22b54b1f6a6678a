"""The store round trip of a desk: a decided command goes, its rows or an error come back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from typing import TypeAlias

import structlog

from contracts.replies import Accepted, Rejected, rejected
from domain.refusals import Code, Refused
from services.kit.store.model import (
    Conflict,
    Lease,
    NotOwner,
    OutcomeUnknown,
    QueueFull,
    StoreUnavailable,
)
from services.table.loaded import Loaded
from services.table.lookups import Log, accepted
from services.table.writing import Pending, Written, unit_of, write

log = structlog.get_logger()

TRIES_MAX = 5

Settled: TypeAlias = Callable[[Pending, Written, BaseException | None], None]
"""Told once how an append ended: stored if there is no error."""


class After(Enum):
    """What a desk does after an append that failed."""

    CLOSE = auto()
    TRY_AGAIN = auto()
    READ_ANEW = auto()
    GO_ON = auto()


def submit(
    store: Log, loaded: Loaded, pending: Pending, lease: Lease | None, settled: Settled
) -> BaseException | None:
    """Send what a decided command stores; if the store takes nothing, give the error at once."""
    written = write(loaded, pending)
    try:
        outcome = store.submit(unit_of(loaded, pending, written, lease))
    except (QueueFull, StoreUnavailable) as error:
        return error
    outcome.add_done_callback(partial(_settle, pending, written, settled))
    return None


def _settle(
    pending: Pending, written: Written, settled: Settled, done: asyncio.Future[tuple[int, ...]]
) -> None:
    if not done.cancelled():
        settled(pending, written, done.exception())  # asked for even if nobody cares


def after(pending: Pending, error: BaseException) -> After:
    """Say what an error means for the desk."""
    match error:
        case NotOwner():
            return After.CLOSE
        case Conflict() if pending.tries < TRIES_MAX:
            return After.TRY_AGAIN
        case OutcomeUnknown() | Conflict():
            return After.READ_ANEW
        case _:
            return After.GO_ON


def not_stored(table_id: str, error: BaseException) -> Rejected:
    """Give the answer to a command that is not stored, or perhaps not."""
    log.warning("not_stored", table=table_id, error=type(error).__name__)
    unknown_outcome = isinstance(error, OutcomeUnknown)
    code = Code.BUSY if isinstance(error, QueueFull) else Code.UNAVAILABLE
    sentence = "It may be stored or not" if unknown_outcome else "Nothing was stored"
    refused = Refused(code, f"{sentence}; repeat the same command.")
    return rejected(refused, outcome_known=not unknown_outcome)


def outcome(loaded: Loaded, pending: Pending, written: Written, first: int) -> Accepted:
    """Give the answer to a command that is stored; who opens a successor is told of that."""
    opened = pending.decided.opened
    if opened is None or written.opened is None:
        return accepted(loaded, first, loaded.table.version, loaded.head_hash)
    table, head = opened.table, written.opened.head_hash
    return Accepted(table.table_id, 1, table.version, head.hex(), table.commitment)
