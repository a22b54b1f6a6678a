"""Hashing passwords with argon2id, beside the event loop and not too many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

T = TypeVar("T")
AT_ONCE: Final = 2
WAITING_MAX: Final = 32
LENGTH: Final = (8, 128)
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
"""OWASP's lower bound for argon2id: 19 MiB, two passes."""


class TooBusy(Exception):
    """Too many passwords wait to be looked at."""


class Passwords:
    """Hashes and checks; raises TooBusy instead of letting everything else wait."""

    def __init__(self) -> None:
        """Have nothing to do yet."""
        self._free = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0
        self._nobodys = _HASHER.hash("a password that nobody has")

    async def hashed(self, password: str) -> str:
        """Give the hash, with salt and parameters."""
        return await self._run(lambda: _HASHER.hash(password))

    async def fits(self, password: str, hashed: str | None) -> bool:
        """Tell whether it is the password; without hash it takes as long and is False.

        So nobody can find out by the time which names exist.
        """

        def check() -> bool:
            try:
                return _HASHER.verify(hashed or self._nobodys, password) and hashed is not None
            except (VerificationError, InvalidHashError):
                return False

        return await self._run(check)

    @staticmethod
    def is_outdated(hashed: str) -> bool:
        """Tell whether it was hashed with other parameters than today's."""
        return _HASHER.check_needs_rehash(hashed)

    async def _run(self, work: Callable[[], T]) -> T:
        if self._waiting >= WAITING_MAX:
            raise TooBusy
        self._waiting += 1
        try:
            async with self._free:
                return await asyncio.to_thread(work)
        finally:
            self._waiting -= 1
