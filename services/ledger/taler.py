"""How many Taler people are given."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final, NamedTuple, Self

from services.kit.settings import SettingsError

START: Final = "LOGBUCH_TALER_START"
TOP_UP: Final = "LOGBUCH_TALER_TOPUP"
_MOST: Final = 1_000_000


class Taler(NamedTuple):
    """A new account begins with `start`; once a day whoever asks with less is brought up to `top_up`.

    Stakes that are held count as his: nobody is given Taler because the others lie in a pot.
    """

    start: int = 1_000
    top_up: int = 100

    @classmethod
    def load(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read both from the environment; raises SettingsError."""
        own = cls()
        return cls(_read(environ, START, own.start), _read(environ, TOP_UP, own.top_up))


def _read(environ: Mapping[str, str], name: str, otherwise: int) -> int:
    text = environ.get(name, "")
    if not text:
        return otherwise
    if not text.isascii() or not text.isdecimal() or int(text) > _MOST:
        raise SettingsError(f"{name} must be a whole number from 0 to {_MOST}, not {text!r}")
    return int(text)
