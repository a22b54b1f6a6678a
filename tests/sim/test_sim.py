"""The whole system from one seed; a failing seed is a failing test.

    make sim SEED=7                              one seed
    SIM_SEEDS=1..300 .venv/bin/pytest tests/sim  many of them

`logbuch`'s services run as they are (`services.py`), people play (`people.py`), everything goes
wrong (`troubles.py`, `tests/world/faults.py`), and then all promises are checked (`checkers.py`,
and `witness.py` at every message).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.sim.checkers import findings
from tests.sim.scenario import Evening

SEEDS = range(1, 17)
SHOWN_MAX = 5


def seeds() -> Sequence[int]:
    one, many = os.environ.get("SIM_SEED"), os.environ.get("SIM_SEEDS")
    if one:
        return [int(one)]
    if many:
        first, _, last = many.partition("..")
        return range(int(first), int(last) + 1)
    return SEEDS


def told(seed: int, found: dict[str, list[str]]) -> str:
    lines = [f"seed {seed} fails; run it again with: make sim SEED={seed}"]
    for checker, each in found.items():
        lines += [f"{checker}: {len(each)}", *(f"    {line[:600]}" for line in each[:SHOWN_MAX])]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", seeds())
def test_every_promise_is_kept(seed: int) -> None:
    evening = Evening(seed).run()

    found = findings(evening)

    assert not found, told(seed, found)


def test_a_seed_plays_the_same_whatever_the_order_of_sets() -> None:
    script = "from tests.sim.scenario import Evening; print(Evening(5).run().world.digest)"
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for hash_seed in ("0", "1", "random")
    }

    assert len(digests) == 1
