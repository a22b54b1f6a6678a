"""The ends of the world that a desk is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from services.kit.buckets import Buckets
from services.kit.bus import Bus
from services.kit.store.model import Lease
from services.table.lookups import Log


class Ports(NamedTuple):
    """What a desk needs of the world; `lease` gives the right to a partition while it lasts."""

    bus: Bus
    store: Log
    lease: Callable[[int], Lease | None]
    draw_seed: Callable[[], str]
    pace: Buckets
    """Of each player's commands."""
