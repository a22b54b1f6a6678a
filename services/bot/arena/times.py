"""How long decisions take: millions of them in one bounded histogram."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field

SLOW_MS: Final = 300
"""No decision may take longer."""
_BITS = 6
_NS_PER_MS = 1_000_000


class Times(Struct):
    """Processor times in buckets of about 3 %; count, sum, greatest and number over SLOW_MS are exact."""

    count: int = 0
    slow: int = 0
    total_ns: int = 0
    max_ns: int = 0
    buckets: dict[int, int] = field(default_factory=dict)

    def add(self, each_ns: Iterable[int]) -> None:
        """Count these times."""
        for ns in each_ns:
            self.count += 1
            self.slow += ns > SLOW_MS * _NS_PER_MS
            self.total_ns += ns
            self.max_ns = max(self.max_ns, ns)
            self._put(_bucket(ns), 1)

    def merge(self, other: Times) -> None:
        """Count all that another one has counted."""
        self.count += other.count
        self.slow += other.slow
        self.total_ns += other.total_ns
        self.max_ns = max(self.max_ns, other.max_ns)
        for bucket, count in other.buckets.items():
            self._put(bucket, count)

    def quantile_ms(self, share: float) -> float:
        """Give the time that this share of the decisions does not exceed; 0 without any."""
        wanted = share * self.count
        reached = 0
        for bucket in sorted(self.buckets):
            reached += self.buckets[bucket]
            if reached >= wanted:
                return min(_middle_ns(bucket), self.max_ns) / _NS_PER_MS
        return 0.0

    @property
    def max_ms(self) -> float:
        """The longest."""
        return self.max_ns / _NS_PER_MS

    @property
    def mean_ms(self) -> float:
        """The mean; 0 without any."""
        return self.total_ns / max(1, self.count) / _NS_PER_MS

    def _put(self, bucket: int, count: int) -> None:
        self.buckets[bucket] = self.buckets.get(bucket, 0) + count


def _bucket(ns: int) -> int:
    """Keep the leading bits and how many bits follow them."""
    shift = max(0, ns.bit_length() - _BITS)
    return (shift << _BITS) | (ns >> shift)


def _middle_ns(bucket: int) -> int:
    shift, leading = bucket >> _BITS, bucket & ((1 << _BITS) - 1)
    return ((2 * leading + 1) << shift) >> 1
