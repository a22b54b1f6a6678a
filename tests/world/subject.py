"""Subjects and patterns as NATS matches them."""

from functools import lru_cache


@lru_cache(maxsize=100_000)
def matches(pattern: str, subject: str) -> bool:
    """Whether the pattern, with `*` for one token and a closing `>` for the rest, fits."""
    wanted, given = pattern.split("."), subject.split(".")
    for at, token in enumerate(wanted):
        if token == ">":
            return len(given) > at
        if at >= len(given) or token not in ("*", given[at]):
            return False
    return len(wanted) == len(given)
