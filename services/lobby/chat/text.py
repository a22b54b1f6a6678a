"""What may be said: one line of visible text."""

from __future__ import annotations

import unicodedata
from typing import Final

from contracts.chat import TEXT_MAX
from domain.refusals import Code, Refused

_FORBIDDEN: Final = frozenset(("Cc", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Control characters, line breaks, and what has no meaning of its own."""
_TURNING: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""They turn the direction of what follows, which may be somebody else's line."""


def line_of(text: str) -> str:
    """Give the text normalised (NFC) and trimmed; raises Refused, whose sentence quotes nothing."""
    line = unicodedata.normalize("NFC", text).strip()
    if len(line) > TEXT_MAX:
        sentence = f"A line has at most {TEXT_MAX} characters, this one has {len(line)}."
        raise Refused(Code.TOO_LONG, sentence)
    kinds = [unicodedata.category(character) for character in line]
    if not _FORBIDDEN.isdisjoint(kinds) or not _TURNING.isdisjoint(line):
        raise Refused(Code.BAD_TEXT, "A line has no control characters and no line breaks.")
    if not any(kind[0] in "LNPS" for kind in kinds):
        raise Refused(Code.BAD_TEXT, "A line has at least one visible character.")
    return line
