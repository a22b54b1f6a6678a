"""Processor time by program, as Linux counts it."""

import os
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def used_s(pids: Mapping[str, int]) -> dict[str, float]:
    """Seconds that each program has used until now, its children included, and this one as `client`.

    Empty where there is no /proc; a program that has just ended is left out.
    """
    used, parents = _processes()
    if not used:
        return {}
    roots = {pid: name for name, pid in pids.items() if name != "up"} | {os.getpid(): "client"}
    total: dict[str, float] = defaultdict(float)
    for pid, seconds in used.items():
        above = pid
        while above in parents and above not in roots:
            above = parents[above]
        if above in roots:
            total[roots[above]] += seconds
    return dict(total)


def _processes() -> tuple[dict[int, float], dict[int, int]]:
    used: dict[int, float] = {}
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # After the name in parentheses: state, parent, ..., user and system time in ticks.
            fields = stat.read_text().rpartition(")")[2].split()
            pid = int(stat.parent.name)
            parents[pid] = int(fields[1])
            used[pid] = (int(fields[11]) + int(fields[12])) / _TICKS
    return used, parents
