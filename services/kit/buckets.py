"""How often somebody may do something: token buckets by key, bounded in number."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable


class Buckets:
    """Each key has `burst` tokens and gets `per_s` new ones a second, up to `burst`.

    Only the `keys_max` keys that were used last are remembered; a forgotten one is full again.
    """

    def __init__(
        self, burst: float, per_s: float, clock: Callable[[], float], keys_max: int = 10_000
    ) -> None:
        """Measure time with `clock`, in seconds."""
        self._burst = burst
        self._per_s = per_s
        self._clock = clock
        self._keys_max = keys_max
        self._filled: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def take(self, key: Hashable) -> bool:
        """Take a token; False when there is none, and then none is taken."""
        now = self._clock()
        left, since = self._filled.pop(key, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._per_s)
        granted = left >= 1
        self._filled[key] = (left - 1 if granted else left, now)
        if len(self._filled) > self._keys_max:
            self._filled.popitem(last=False)
        return granted
