"""The answers to commands."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from contracts.views import Feed
from domain.refusals import Code, Refused


class Accepted(Struct, frozen=True, tag="accepted", gc=False):
    """The command's facts are stored for good, as numbers `first` to `last`.

    `head` is the hash (hex) of fact `last`: the player's receipt. A command that was fulfilled
    already has stored nothing: then `first` is `last` + 1.
    """

    table: str
    first: int
    last: int
    head: str


class Rejected(Struct, frozen=True, tag="rejected", gc=False, omit_defaults=True):
    """Nothing has changed.

    Programs switch on `code`; `sentence` is for developers, `text` is the German text for
    players. `hint` leads on where there is a way, `retry` says that the same command may succeed
    later as it is. Unless `outcome_known`, the command may have been carried out: repeat it.
    """

    code: Code
    sentence: str
    text: str = ""
    hint: str = ""
    retry: bool = False
    outcome_known: bool = True


class Resumed(Struct, frozen=True, tag="resumed", gc=False):
    """What the sender missed, and how things are now."""

    feed: Feed


class StoredEvents(Struct, frozen=True, tag="log", gc=False):
    """Events of a finished table exactly as stored; hash them as `envelope.chain_hash` says."""

    stream: str
    events: tuple[tuple[int, str, str], ...]
    """(version, topic, state)"""
    head: int


class Advice(Struct, frozen=True, tag="advice", gc=False):
    """What the strong computer would answer to the question `prompt` (and `part`), and why.

    `reason` is one German sentence to the player. The question may be closed meanwhile: compare.
    """

    prompt: int
    part: str
    move: Any
    reason: str


Reply: TypeAlias = Accepted | Rejected | Resumed | StoredEvents | Advice

_DECODER = msgspec.json.Decoder(Reply)


def decode_reply(data: bytes) -> Reply:
    """Give the answer; raises msgspec.DecodeError when it is none."""
    return _DECODER.decode(data)


RETRY = frozenset({Code.BUSY, Code.TOO_FAST, Code.UNAVAILABLE})


def rejected(refused: Refused, *, outcome_known: bool = True) -> Rejected:
    """Give the answer for a refusal."""
    return Rejected(
        refused.code,
        refused.sentence,
        TEXTS[refused.code],
        refused.hint,
        refused.code in RETRY,
        outcome_known,
    )


TEXTS = {
    Code.MALFORMED: "Diese Nachricht war nicht zu verstehen. Bitte lade die Seite neu.",
    Code.TOO_LARGE: "Diese Nachricht ist zu groß.",
    Code.BAD_TABLE_ID: "Diesen Tisch kann es nicht geben. Bitte prüfe die Adresse.",
    Code.WRONG_REPLY: "Diese Anfrage war nicht zu beantworten. Bitte lade die Seite neu.",
    Code.UNKNOWN_TABLE: "Diesen Tisch gibt es nicht. In der Lobby stehen die offenen Tische.",
    Code.COMMAND_REUSED: "Dieser Zug wurde schon mit anderem Inhalt geschickt.",
    Code.BAD_OPTIONS: "Diese Einstellungen gibt es so nicht. Bitte prüfe sie.",
    Code.NOT_GATHERING: "Die Partie hat schon begonnen. Such dir einen anderen Tisch.",
    Code.GUEST_NO_STAKE: "Als Gast spielst du ohne Einsatz. Nimm einen Tisch ohne Einsatz.",
    Code.TABLE_FULL: "Dieser Platz ist besetzt. Nimm einen freien oder einen anderen Tisch.",
    Code.TOO_FEW_SEATS: "Es fehlen noch Mitspieler. Warte oder nimm Computer dazu.",
    Code.NOT_OPENER: "Nur wer den Tisch eröffnet hat, kann die Partie starten.",
    Code.NOT_SEATED: "Du sitzt nicht an diesem Tisch. Zuschauen kannst du gern.",
    Code.NOT_YOUR_TURN: "Du bist gerade nicht dran.",
    Code.STALE_PROMPT: "Das war schon entschieden. Schau auf den neuesten Stand.",
    Code.NOT_OFFERED: "Dieser Zug ist hier nicht erlaubt. Wähle eine der Möglichkeiten.",
    Code.NOT_PLAYING: "Die Partie hat noch nicht begonnen.",
    Code.NOT_SOLO: "Turbo gibt es nur, wenn du allein gegen Computer spielst.",
    Code.NO_RAT: "Rat gibt es hier nicht, solange andere Menschen mitspielen.",
    Code.NOT_OFFLINE: "Dieser Platz ist nicht abwesend.",
    Code.TOO_EARLY: "Warte noch ein wenig: Wer abwesend ist, hat fünf Minuten Zeit zurückzukommen.",
    Code.NOT_SUSPENDED: "Dieser Tisch ist nicht angehalten.",
    Code.TOO_LONG: "Diese Nachricht ist zu lang: Mehr als 200 Zeichen gehen nicht.",
    Code.BAD_TEXT: "Diese Nachricht ist leer oder enthält Zeichen, die hier nicht gehen.",
    Code.FINISHED: "Diese Partie ist zu Ende.",
    Code.SEALED: "Das Logbuch wird erst nach der Partie geöffnet.",
    Code.SUSPENDED: "Dieser Tisch ist nach einem Fehler angehalten. Wir kümmern uns darum.",
    Code.BUSY: "Gerade ist zu viel los. Bitte gleich noch einmal versuchen.",
    Code.TOO_FAST: "Das ging zu schnell hintereinander. Bitte gleich noch einmal versuchen.",
    Code.UNAVAILABLE: "Der Tisch ist gerade nicht erreichbar. Bitte gleich noch einmal versuchen.",
    Code.INTERNAL: "Da ist etwas schiefgegangen. Bitte versuche es noch einmal.",
}
