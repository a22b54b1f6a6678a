"""Where a person sits who wants to sit down; see `seats`."""

from __future__ import annotations

from typing import NamedTuple


class Standing(NamedTuple):
    """Where a person's seat stream ends, and the other table at which he sits, if he does."""

    head: int
    head_hash: bytes
    elsewhere: str
