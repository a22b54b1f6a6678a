"""What may go wrong, in numbers, and how a run chooses among it."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

S = TypeVar("S", bound=Struct)

KINDS = ("cmd", "view", "watch", "bot", "lobby", "leaderboard", "reply", "other")
"""Kinds of messages: the first token of the subject; `reply` is whatever goes to an inbox."""


class BusFaults(Struct, frozen=True):
    """Chances per delivery of a message; times in seconds.

    `delay` always applies and keeps the order of one publisher to one subscription, and so does
    `late`: a long delay, behind which the following messages wait. `reorder` takes a message out of
    that order. A doubled message comes a second time, out of order.
    """

    delay: tuple[float, float] = (0.0002, 0.002)
    loss: float = 0.0
    double: float = 0.0
    reorder: float = 0.0
    late: float = 0.0
    late_s: tuple[float, float] = (0.05, 3.0)


class FeedFaults(Struct, frozen=True):
    """Chances per append: no answer with nothing, a beginning, or all of the batch stored."""

    delay: tuple[float, float] = (0.0005, 0.005)
    nothing: float = 0.0
    beginning: float = 0.0
    lost_ack: float = 0.0


class StoreFaults(Struct, frozen=True):
    """Chances per append or read; times in seconds."""

    append_s: tuple[float, float] = (0.0005, 0.005)
    read_s: tuple[float, float] = (0.0002, 0.002)
    slow: float = 0.0
    slow_s: tuple[float, float] = (0.5, 4.0)
    unavailable: float = 0.0
    queue_full: float = 0.0
    unknown_stored: float = 0.0
    unknown_lost: float = 0.0
    read_unavailable: float = 0.0
    news_lost: float = 0.0


class Faults(Struct, frozen=True):
    """The faults of one run. `bus` is by kind of message; a kind that is missing has none."""

    bus: dict[str, BusFaults] = {}
    feed: FeedFaults = FeedFaults()
    store: StoreFaults = StoreFaults()


def none() -> Faults:
    """A world in which only time passes."""
    return Faults()


def swarm(rng: Random, kinds: Sequence[str] = KINDS) -> Faults:
    """Return faults of which whole kinds are off, chosen by `rng`.

    A run with everything on hides faults behind each other: a message that is often lost is
    seldom doubled.
    """
    return Faults(
        bus={kind: _some(rng, BusFaults(), _BUS) for kind in kinds},
        feed=_some(rng, FeedFaults(), _FEED),
        store=_some(rng, StoreFaults(), _STORE),
    )


_BUS = {"loss": 0.1, "double": 0.1, "reorder": 0.1, "late": 0.05}
_FEED = {"nothing": 0.1, "beginning": 0.1, "lost_ack": 0.1}
_STORE = {
    "slow": 0.03,
    "unavailable": 0.03,
    "queue_full": 0.01,
    "unknown_stored": 0.02,
    "unknown_lost": 0.02,
    "read_unavailable": 0.03,
    "news_lost": 0.3,
}


def _some(rng: Random, calm: S, highest: dict[str, float]) -> S:
    return replace(
        calm, **{n: rng.random() * top for n, top in highest.items() if rng.random() < 0.5}
    )
