"""The gateway as operators' commands see it, over HTTP."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request

_ANSWER_S = 10.0


async def readiness(web_url: str) -> dict[str, bool]:
    """What works and what does not, by name; `http` alone, and False, when nobody answers."""
    try:
        found: dict[str, bool] = json.loads(await asyncio.to_thread(_fetch, f"{web_url}/readyz"))
    except (OSError, ValueError):
        return {"http": False}
    return found


def _fetch(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=_ANSWER_S) as answer:  # noqa: S310 - our own address
            content: bytes = answer.read()
    except urllib.error.HTTPError as refused:  # not ready, and it says why
        content = refused.read()
    return content
