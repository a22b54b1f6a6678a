"""Values on the command line that have bounds."""

import argparse
from collections.abc import Callable


def number(least: int, most: int) -> Callable[[str], int]:
    """Give a reader of whole numbers from `least` to `most` for `add_argument(type=...)`."""

    def read(word: str) -> int:
        # A longer word is out of bounds, and Python would not even read one of 5,000 digits.
        if not (word.isascii() and word.isdecimal() and len(word) <= len(str(most))):
            raise fault(word)
        if not least <= int(word) <= most:
            raise fault(word)
        return int(word)

    def fault(word: str) -> argparse.ArgumentTypeError:
        return argparse.ArgumentTypeError(
            f"{word[:40]!r} is no whole number from {least} to {most:,}"
        )

    return read
