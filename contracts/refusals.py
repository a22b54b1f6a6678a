"""What players read when something is refused: one German sentence for every code."""

from __future__ import annotations

from collections.abc import Mapping

from domain.refusals import Code

TEXTS: Mapping[Code, str] = {
    Code.MALFORMED: "Diese Nachricht war nicht zu verstehen. Bitte lade die Seite neu.",
    Code.TOO_LARGE: "Diese Nachricht ist zu groß.",
    Code.BAD_TABLE_ID: "Diesen Tisch kann es nicht geben. Bitte prüfe die Adresse.",
    Code.WRONG_REPLY: "Diese Anfrage war nicht zu beantworten. Bitte lade die Seite neu.",
    Code.UNKNOWN_TABLE: "Diesen Tisch gibt es nicht. In der Lobby stehen die offenen Tische.",
    Code.COMMAND_REUSED: "Dieser Zug wurde schon mit anderem Inhalt geschickt.",
    Code.BAD_OPTIONS: "Diese Einstellungen gibt es so nicht. Bitte prüfe sie.",
    Code.NOT_GATHERING: "Die Partie hat schon begonnen. Such dir einen anderen Tisch.",
    Code.GUEST_NO_STAKE: "Als Gast spielst du ohne Einsatz. Nimm einen Tisch ohne Einsatz.",
    Code.STARTING: "Die Partie startet gerade. Die Einsätze werden eingesammelt.",
    Code.STAKE_DENIED: "Für den Einsatz fehlen Taler. Die Partie beginnt noch nicht.",
    Code.SEATED_ELSEWHERE: "Du sitzt noch an einem anderen Tisch. Steh dort bitte auf.",
    Code.TABLE_FULL: "Dieser Platz ist besetzt. Nimm einen freien oder einen anderen Tisch.",
    Code.SEAT_HELD: "Dieser Platz wird noch für jemanden freigehalten.",
    Code.COMPUTERS_ONLY: "Auf diesem Platz sitzt immer ein Computer. Nimm einen anderen.",
    Code.SOLO_TABLE: "An diesem Tisch spielt jemand allein. Such dir einen anderen.",
    Code.TOO_FEW_SEATS: "Es fehlen noch Mitspieler. Warte oder nimm Computer dazu.",
    Code.NOT_OPENER: "Nur wer den Tisch eröffnet hat, kann die Partie starten.",
    Code.NOT_SEATED: "Du sitzt nicht an diesem Tisch. Zuschauen kannst du gern.",
    Code.NOT_YOUR_TURN: "Du bist gerade nicht dran.",
    Code.STALE_PROMPT: "Das war schon entschieden. Schau auf den neuesten Stand.",
    Code.NOT_OFFERED: "Dieser Zug ist hier nicht erlaubt. Wähle eine der Möglichkeiten.",
    Code.NOT_PLAYING: "Die Partie hat noch nicht begonnen.",
    Code.NOT_OVER: "Die Partie läuft noch. Danach könnt ihr noch einmal spielen.",
    Code.NOT_SOLO: "Turbo gibt es nur, wenn du allein gegen Computer spielst.",
    Code.NO_RAT: "Rat gibt es hier nicht, solange andere Menschen mitspielen.",
    Code.NO_ADVICE: "Gerade ist kein Rat zu haben. Bitte gleich noch einmal fragen.",
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
