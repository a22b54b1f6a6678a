"""How the house shuffles, so that anybody can check it, and rewrite it in an afternoon.

1. When a table is opened the house draws a secret seed of 32 bytes and publishes its SHA-256, the
   *commitment*. Client seeds are accepted after that and until the start. So neither side can
   choose its share knowing the other's. At the end the house publishes the seed.
2. Every outcome of chance is shuffle number k = 1, 2, ... of the table: a Fisher-Yates shuffle of
   the cards in canonical order, `for i = n-1 down to 1: j = draw(i + 1); swap cards i and j`.
3. `draw(m)` takes the next 32-bit big-endian word w of the random stream; words not below the
   greatest multiple of m in 2^32 are skipped; the result is w mod m.
4. The random stream is the concatenation of HMAC-SHA256(key = seed, message = P || counter) for
   counter = 0, 1, 2, ... as 4 bytes big-endian, where P is the table id, the decimal k and each
   client seed in order, each in UTF-8 and behind its length in bytes as 4 bytes big-endian.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from hashlib import sha256
from struct import unpack

from domain.kernel import Cards

SEED_BYTES = 32
_WORDS = 2**32


def commitment(seed: str) -> str:
    """Give the SHA-256 (hex) of a seed (hex)."""
    return sha256(bytes.fromhex(seed)).hexdigest()


def shuffle(
    seed: str, table: str, client_seeds: tuple[str, ...], number: int, cards: Cards
) -> Cards:
    """Give shuffle `number` (from 1) of a table whose seed (hex) is known."""
    words = _words(bytes.fromhex(seed), _prefix(table, number, client_seeds))
    order = list(cards)
    for i in range(len(order) - 1, 0, -1):
        bound = i + 1
        limit = _WORDS - _WORDS % bound
        word = next(words)
        while word >= limit:
            word = next(words)
        j = word % bound
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def strategy_seed(seed: str, table: str, prompt: int, seat: int, part: str) -> str:
    """Give the seed (16 hex digits) for a computer's decision, which nobody can foresee.

    The beginning of HMAC-SHA256(seed, "strategy:<table>:<prompt>:<seat>:<part>"); it has nothing
    in common with the shuffles.
    """
    message = f"strategy:{table}:{prompt}:{seat}:{part}".encode()
    return hmac.digest(bytes.fromhex(seed), message, "sha256")[:8].hex()


def _prefix(table: str, number: int, client_seeds: tuple[str, ...]) -> bytes:
    parts = (table, str(number), *client_seeds)
    encoded = [part.encode() for part in parts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in encoded)


def _words(seed: bytes, prefix: bytes) -> Iterator[int]:
    counter = 0
    while True:
        block = hmac.digest(seed, prefix + counter.to_bytes(4, "big"), "sha256")
        yield from unpack(">8I", block)
        counter += 1
