"""Refusals over HTTP: a code for programs, a sentence for developers, a text for players."""

from __future__ import annotations

from typing import Final, NamedTuple

from contracts.gateway import Problem, Trouble


class Refusal(Exception):
    """The request changes nothing."""

    def __init__(self, code: Trouble, sentence: str) -> None:
        """Keep the code and a sentence that tells what to do."""
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence

    @property
    def status(self) -> int:
        """The HTTP status."""
        return _TOLD[self.code].status

    @property
    def problem(self) -> Problem:
        """The body of the answer."""
        return Problem(self.code, self.sentence, _TOLD[self.code].text)


class _Told(NamedTuple):
    status: int
    text: str


_TOLD: Final = {
    Trouble.MALFORMED: _Told(400, "Das war nicht zu verstehen. Bitte lade die Seite neu."),
    Trouble.TOO_LARGE: _Told(413, "Das ist zu viel auf einmal."),
    Trouble.FOREIGN_ORIGIN: _Told(403, "Bitte öffne Logbuch direkt und nicht über andere Seiten."),
    Trouble.BAD_NAME: _Told(
        422, "Ein Name hat 2 bis 20 Buchstaben oder Ziffern. „Gast“ und „Computer“ sind vergeben."
    ),
    Trouble.BAD_PASSWORD: _Told(422, "Ein Passwort hat 8 bis 128 Zeichen."),
    Trouble.NAME_TAKEN: _Told(409, "Diesen Namen gibt es schon. Wähle bitte einen anderen."),
    Trouble.WRONG_LOGIN: _Told(401, "Name oder Passwort stimmt nicht."),
    Trouble.NOT_LOGGED_IN: _Told(401, "Bitte melde dich an oder spiele als Gast."),
    Trouble.TOO_MANY: _Told(429, "Das waren zu viele Versuche. Warte bitte eine Minute."),
    Trouble.BUSY: _Told(503, "Gerade ist zu viel los. Bitte gleich noch einmal versuchen."),
    Trouble.UNAVAILABLE: _Told(503, "Gerade nicht erreichbar. Bitte gleich noch einmal versuchen."),
    Trouble.NOT_FOUND: _Told(404, "Das gibt es hier nicht."),
    Trouble.INTERNAL: _Told(500, "Da ist etwas schiefgegangen. Bitte versuche es noch einmal."),
}
