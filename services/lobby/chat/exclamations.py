"""What players exclaim: the server picks, so that nobody need type while he plays."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Final

from contracts.chat import Kind

EXCLAMATIONS: Final[Mapping[Kind, Sequence[str]]] = {
    "jubel": (
        "Juhu!",
        "Hurra!",
        "Ja, so muss das!",
        "Das lief wie geschmiert!",
        "Volltreffer!",
        "Heute ist mein Tag!",
        "Genau darauf habe ich gewartet!",
        "Besser geht es nicht!",
        "Was für ein Glück!",
        "Da freut sich das Seemannsherz!",
        "Läuft bei mir!",
        "Davon erzähle ich noch meinen Enkeln!",
    ),
    "aerger": (
        "So ein Mist!",
        "Das darf doch nicht wahr sein!",
        "Ausgerechnet jetzt!",
        "Da soll doch der Blitz dreinfahren!",
        "Verflixt und zugenäht!",
        "Wer hat denn hier gemischt?",
        "Ich glaub, mich tritt ein Seepferd!",
        "Nicht schon wieder!",
        "Potzblitz, das war knapp daneben!",
        "Das merke ich mir!",
        "Heute klappt aber auch gar nichts!",
        "Da beißt du doch in die Reling!",
    ),
}


def pick(kind: Kind) -> str:
    """Give one of the exclamations of a kind."""
    return secrets.choice(EXCLAMATIONS[kind])
