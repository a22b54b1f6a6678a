"""What may be a name, and which names count as the same."""

from __future__ import annotations

import unicodedata
from typing import Final

LENGTH: Final = (2, 20)
_MARKS: Final = frozenset(" -_.'")
_RESERVED: Final = ("gast", "computer", "logbuch")
"""So begins nobody's name: guests, computers and the house would be taken for others."""


def name_of(text: str) -> str | None:
    """Give the name as it is shown (NFKC, single spaces), None when it cannot be one."""
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    shortest, longest = LENGTH
    if not shortest <= len(name) <= longest or key_of(name).startswith(_RESERVED):
        return None
    if not all(letter in _MARKS or unicodedata.category(letter)[0] in "LN" for letter in name):
        return None
    return name if any(letter.isalpha() for letter in name) else None


def key_of(name: str) -> str:
    """Give what is compared: names that differ in case, width or composition are the same."""
    folded = unicodedata.normalize("NFKC", " ".join(name.split())).casefold()
    return unicodedata.normalize("NFKC", folded)
