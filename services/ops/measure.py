"""One result of a benchmark, beside what other ways of doing the same gave in the same run."""

from msgspec import Struct, field


class Measure(Struct, frozen=True):
    """`value` in `unit`; `baselines` holds the value of each alternative under its name."""

    name: str
    value: float
    unit: str
    baselines: dict[str, float] = field(default_factory=dict)
