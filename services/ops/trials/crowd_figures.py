"""What a crowd's evening came to, in figures for people to read."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Final

from services.kit.client import Counts
from services.ops.trials.crowd_kills import Kill
from services.ops.trials.crowd_visitor import Timing

AROUND_S: Final = (2.0, 15.0)
"""Seconds before and after a kill in which answers may have to wait for it."""


def percentiles(timings: Sequence[Timing]) -> str:
    """Give p50 and p99 in ms, and of how many answers."""
    if len(timings) < 2:  # noqa: PLR2004 - quantiles are between values
        return "none"
    cuts = statistics.quantiles([each.took_s * 1_000 for each in timings], n=100)
    return f"p50 {cuts[49]:,.0f} ms, p99 {cuts[98]:,.0f} ms of {len(timings):,}"


def undisturbed(timings: Sequence[Timing], kills: Sequence[Kill]) -> list[Timing]:
    """Give the answers that no kill can have delayed."""
    before, after = AROUND_S
    return [
        each
        for each in timings
        if not any(
            each.at + each.took_s > kill.at - before and each.at < kill.at + after for kill in kills
        )
    ]


def answers(timings: Sequence[Timing], kills: Sequence[Kill]) -> dict[str, str]:
    """Give how long people waited for an answer, with and without the seconds around kills."""
    shown = {"answers": percentiles(timings)}
    if kills:
        shown["undisturbed"] = percentiles(undisturbed(timings, kills))
    return shown


def happenings(did: Counter[str], cuts: int, counted: Counts) -> dict[str, str]:
    """Give what people did beside answering, and what their clients had to do for it."""
    told = ", ".join(f"{name} {count:,}" for name, count in sorted(did.items()))
    refused = ", ".join(f"{code} {count:,}" for code, count in sorted(counted.refused.items()))
    return {
        "habits": told or "none",
        "disconnects": f"{did['away']:,} by people, {cuts:,} for good by the server",
        "repeats": f"{counted.repeats:,} sends, {counted.resumes:,} resumes",
        "refusals": refused or "none",
    }


def killed(kills: Sequence[Kill], why_none: str) -> str:
    """Name what was killed, in order."""
    return ", ".join(kill.program for kill in kills) or why_none
