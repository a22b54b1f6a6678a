"""The lines of all tables, on JetStream: stream CHAT, one subject for each table.

It is no feed and no log: what is old is forgotten, and nothing is computed from it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeVar

import msgspec
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import api
from nats.js.errors import APIError

from contracts.chat import LINES_MAX
from contracts.subjects import CHAT_STREAM, CHAT_STREAM_SUBJECTS, chat_lines
from domain.refusals import Code, Refused
from services.kit.nats_bus import NatsBus

KEPT_S: Final = 30 * 86_400
REPEATS_S: Final = 3_600.0
"""A command id stands for one line for so long: much longer than anybody repeats it."""
BYTES_MAX: Final = 2 * 2**30
LINE_BYTES_MAX: Final = 4_096
ACK_S: Final = 2.0
_ALREADY: Final = 10058
"""Code of the server: a stream of this name exists, under another configuration."""
_LAST: Final = ("204", "404", "408", "413")
"""Statuses that end the answer to a direct get: that was all, or there is nothing."""
T = TypeVar("T")


class Kept(NamedTuple):
    """A line in the stream: its number there, and its JSON."""

    number: int
    data: bytes


class Lines:
    """Keeps lines and gives them again; raises Refused (`unavailable`) when JetStream does not."""

    def __init__(self, bus: NatsBus) -> None:
        """Keep them on this bus, whose user must have the rights to."""
        self._client = bus.client
        self._js = bus.client.jetstream(timeout=ACK_S)
        self._there = False

    async def add(self, table: str, name: str, data: bytes) -> Kept:
        """Keep a line under a name that stands for it: the same name again changes nothing.

        Gives what is kept under the name. Raises Refused when that is another table's.
        """
        ack = await self._try(lambda: self._publish(table, name, data))
        if not ack.duplicate:
            return Kept(ack.seq, data)
        found = await self._try(lambda: self._js.get_msg(CHAT_STREAM, ack.seq, direct=True))
        if found.subject != chat_lines(table):
            raise Refused(Code.COMMAND_REUSED, "This command id was used at another table.")
        return Kept(ack.seq, found.data or b"")

    async def after(self, table: str, number: int) -> list[Kept]:
        """Give the lines of a table after a number, the oldest first, at most LINES_MAX."""
        return await self._try(lambda: self._read(chat_lines(table), number))

    async def _publish(self, table: str, name: str, data: bytes) -> api.PubAck:
        headers = {"Nats-Msg-Id": name}
        return await self._js.publish(
            chat_lines(table), data, timeout=ACK_S, stream=CHAT_STREAM, headers=headers
        )

    async def _read(self, subject: str, number: int) -> list[Kept]:
        """Ask for many messages at once (direct get, nats-server 2.11): they come one by one."""
        found: asyncio.Queue[Msg] = asyncio.Queue()
        inbox = self._client.new_inbox()
        listening = await self._client.subscribe(inbox, cb=found.put)
        question = {"batch": LINES_MAX, "seq": number + 1, "next_by_subj": subject}
        kept: list[Kept] = []
        try:
            await self._client.publish(
                f"$JS.API.DIRECT.GET.{CHAT_STREAM}", msgspec.json.encode(question), inbox
            )
            async with asyncio.timeout(ACK_S):
                while True:
                    message = await found.get()
                    headers = message.headers or {}
                    status = headers.get("Status")
                    if status in _LAST:
                        return kept
                    if status is not None:
                        raise NatsError(status)
                    kept.append(Kept(int(headers["Nats-Sequence"]), message.data))
        finally:
            await listening.unsubscribe()

    async def _try(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask JetStream for something; before the first time, and after trouble, have the stream."""
        try:
            if not self._there:
                await self._create()
                self._there = True
            return await ask()
        except (NatsError, TimeoutError) as error:
            self._there = False
            raise Refused(Code.UNAVAILABLE, "The chat does not answer; repeat it soon.") from error

    async def _create(self) -> None:
        """Have a stream; one that is there already stays as it is."""
        try:
            await self._js.add_stream(
                name=CHAT_STREAM,
                subjects=list(CHAT_STREAM_SUBJECTS),
                storage=api.StorageType.FILE,
                retention=api.RetentionPolicy.LIMITS,
                discard=api.DiscardPolicy.OLD,
                max_age=KEPT_S,
                max_msgs_per_subject=LINES_MAX,
                max_bytes=BYTES_MAX,
                max_msg_size=LINE_BYTES_MAX,
                duplicate_window=REPEATS_S,
                allow_direct=True,
            )
        except APIError as error:
            if error.err_code != _ALREADY:
                raise
