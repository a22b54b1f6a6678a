"""Answers `chat.<player>.<table>.<verb>`, and brings each line to those who want to hear it.

What is said stands in the stream CHAT and in messages to readers: in no log, no table and no error.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from contracts import subjects
from contracts.chat import (
    ChatLine,
    ChatLines,
    ExclaimBody,
    Kind,
    Muted,
    MuteQuery,
    ReadQuery,
    Said,
    SayBody,
    StoredLine,
)
from domain.refusals import Code, Refused
from services.kit.answering import Answering, question
from services.kit.bus import Bus, Message
from services.kit.store.database import Database
from services.lobby.chat import voices
from services.lobby.chat.exclamations import pick
from services.lobby.chat.lines import Kept, Lines
from services.lobby.chat.text import line_of

QUESTION_BYTES_MAX: Final = 4_096
"""A line of 200 characters, each written as `\\ud83d\\ude00`, and what stands around it."""
QUEUE: Final = "chat"

_say = msgspec.json.Decoder(SayBody)
_exclaim = msgspec.json.Decoder(ExclaimBody)
_read = msgspec.json.Decoder(ReadQuery)
_mute = msgspec.json.Decoder(MuteQuery)
_stored = msgspec.json.Decoder(StoredLine).decode
_encode = msgspec.json.Encoder().encode


class ChatService:
    """The chat of all tables; any number of them may run."""

    def __init__(self, bus: Bus, database: Database, lines: Lines) -> None:
        """Answer on this bus; `lines` are kept where they are kept."""
        self.answering = Answering(
            bus, subjects.CHAT, QUEUE, self._answer, size_max=QUESTION_BYTES_MAX
        )
        self._bus = bus
        self._database = database
        self._lines = lines

    async def tidy(self) -> None:
        """Forget what is needed no more; raises StoreUnavailable."""
        async with self._database.connection() as link:
            await voices.forget(link)

    async def _answer(self, message: Message) -> Any:
        _, player, table, verb = message.subject.split(".")
        if not subjects.is_player(player):
            raise Refused(Code.MALFORMED, "Only players chat.")
        if not subjects.is_table_id(table):
            sentence = "A table id is its partition, 00 to 31, '-' and 24 hexadecimal digits."
            raise Refused(Code.BAD_TABLE_ID, sentence)
        match verb:
            case "say":
                said: SayBody = question(_say, message.data)
                return await self._speak(player, table, said.command_id, "text", line_of(said.text))
            case "jubel" | "aerger":
                exclaimed: ExclaimBody = question(_exclaim, message.data)
                return await self._speak(player, table, exclaimed.command_id, verb, pick(verb))
            case "read":
                query: ReadQuery = question(_read, message.data)
                return await self._history(player, table, query.after)
            case "mute":
                return await self._set_mute(player, question(_mute, message.data))
            case _:
                sentence = "There is no such verb; use say, jubel, aerger, read or mute."
                raise Refused(Code.MALFORMED, sentence)

    async def _speak(self, player: str, table: str, command_id: str, kind: Kind, text: str) -> Said:
        """Keep a line, tell it, and say when the next one is taken; raises Refused.

        The lock is taken before the line is kept. If that fails, a repeat still has the lock.
        """
        async with self._database.connection() as link:
            people = await voices.seated(link, table)
            if player not in people:
                sentence = "Who does not sit at this table reads along, but does not speak."
                raise Refused(Code.NOT_SEATED, sentence)
            turn = await voices.turn(link, player, command_id)
            hearers = await voices.hearers(link, player, people)
        wanted = StoredLine(turn.at, player, kind, text)
        kept = await self._lines.add(table, f"{player}:{command_id}", _encode(wanted))
        line = _line(kept)
        if line.kind != kind or (kind == "text" and line.text != text):
            sentence = "This command id was used for another line; take a new one."
            raise Refused(Code.COMMAND_REUSED, sentence)
        data = _encode(line)
        for reader in (*hearers, subjects.WATCHERS):
            self._bus.publish(subjects.chat_line(reader, table), data)
        return Said(line, turn.wait_ms)

    async def _history(self, player: str, table: str, after: int) -> ChatLines:
        async with self._database.connection() as link:
            muted = await voices.muted(link, player)
        lines = map(_line, await self._lines.after(table, after))
        return ChatLines(tuple(line for line in lines if line.player not in muted), muted)

    async def _set_mute(self, player: str, query: MuteQuery) -> Muted:
        if not subjects.is_player(query.player) or query.player == player:
            raise Refused(Code.MALFORMED, "Name another player.")
        async with self._database.connection() as link:
            return Muted(await voices.mute(link, player, query.player, on=query.on))


def _line(kept: Kept) -> ChatLine:
    stored = _stored(kept.data)
    return ChatLine(kept.number, stored.at, stored.player, stored.kind, stored.text)
