"""A connection over WebSocket that says exactly what it is told, and keeps everything it hears.

The clients of the bus protect their users: they check subjects, count bytes and hide errors. Who
wants to forge writes the protocol himself.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from aiohttp import ClientError, ClientSession, ClientWebSocketResponse, WSMsgType

WAIT_S: Final = 15.0
"""So long the server may take for anything; it answers in milliseconds."""
_END: Final = b"\r\n"
_STATUS: Final = re.compile(rb"NATS/1\.0 (\d{3})")


class Heard(NamedTuple):
    """A message as it came: `status` is the server's own, "503" when nobody listens there."""

    subject: str
    data: bytes
    status: str = ""


class Cut(Exception):
    """The connection is over; the text is the server's last word, or what there was of it."""


class Wire:
    """One connection. `heard` may be shared with others, and outlives it."""

    def __init__(self, heard: list[Heard]) -> None:
        """Know where to keep what is heard; `open` connects."""
        self.info: dict[str, Any] = {}
        self._heard = heard
        self._http = ClientSession()
        self._socket: ClientWebSocketResponse | None = None
        self._reading: asyncio.Task[None] | None = None
        self._errors: list[str] = []
        self._fences: deque[asyncio.Future[None]] = deque()
        self._greeted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._awaited: dict[str, asyncio.Future[Heard]] = {}
        self._news = asyncio.Event()
        self._over = ""

    async def open(self, url: str, options: Mapping[str, object]) -> None:
        """Connect and log in with the options of CONNECT; raises Cut when that is refused."""
        try:
            self._socket = await self._http.ws_connect(url, max_msg_size=0)
        except (ClientError, OSError) as error:
            await self._http.close()
            raise Cut(f"no WebSocket: {error}") from None
        self._reading = asyncio.create_task(self._read(self._socket))
        try:
            async with asyncio.timeout(WAIT_S):
                await self._greeted
            said = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True}
            errors = await self.say(b"CONNECT " + json.dumps({**said, **options}).encode() + _END)
        except (Cut, TimeoutError) as error:
            await self.close()
            raise Cut(str(error) or "no greeting") from None
        if errors:
            await self.close()
            raise Cut(errors[0])

    async def say(self, raw: bytes) -> tuple[str, ...]:
        """Send this, and give the errors with which the server answers; raises Cut.

        A ping follows: the server's answer to it comes after all that it has to say before.
        """
        if self._over or self._socket is None:
            raise Cut(self._over or "not connected")
        before = len(self._errors)
        fence: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._fences.append(fence)
        with suppress(ClientError, OSError):  # the reading end knows why
            await self._socket.send_bytes(raw + b"PING" + _END)
        try:
            await asyncio.wait_for(fence, WAIT_S)
        except TimeoutError:
            raise Cut("the server says nothing any more") from None
        return tuple(self._errors[before:])

    async def ask(self, raw: bytes, replies: tuple[str, ...], wait_s: float) -> Heard | str:
        """Send this, and give what comes on one of `replies`, or the server's error.

        Raises Cut, and TimeoutError when neither comes.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Heard] = loop.create_future()
        for reply in replies:
            self._awaited[reply] = answer
        try:
            if errors := await self.say(raw):
                return errors[0]
            return await asyncio.wait_for(answer, wait_s)
        finally:
            for reply in replies:
                self._awaited.pop(reply, None)

    async def until(self, holds: Callable[[], bool], wait_s: float) -> bool:
        """Wait until something holds that depends on what is heard; False when it does not."""
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                while not holds():
                    self._news.clear()
                    await self._news.wait()
        return holds()

    async def close(self) -> None:
        """End the connection."""
        if self._socket is not None:
            await self._socket.close()
        if self._reading is not None:
            self._reading.cancel()
            with suppress(asyncio.CancelledError):
                await self._reading
        await self._http.close()

    async def _read(self, socket: ClientWebSocketResponse) -> None:
        rest = b""
        try:
            async for message in socket:
                if message.type not in {WSMsgType.BINARY, WSMsgType.TEXT}:
                    break
                data = message.data
                rest = self._take(rest + (data if isinstance(data, bytes) else data.encode()))
        finally:
            self._end(self._errors[-1] if self._errors else "the server has hung up")

    def _end(self, why: str) -> None:
        self._over = why
        everybody: list[asyncio.Future[Any]] = [self._greeted, *self._fences]
        for waiting in (*everybody, *self._awaited.values()):
            if not waiting.done():
                waiting.set_exception(Cut(why))
                waiting.exception()  # not everybody waits for it
        self._fences.clear()

    def _take(self, data: bytes) -> bytes:
        """Take what is whole, and give the rest."""
        while (at := data.find(_END)) >= 0:
            line, after = data[:at], data[at + 2 :]
            verb = line.split(b" ", 1)[0].upper()
            if verb in {b"MSG", b"HMSG"}:
                size = int(line.rsplit(b" ", 1)[1])
                if len(after) < size + 2:
                    return data
                self._hear(line, after[:size])
                after = after[size + 2 :]
            else:
                self._told(verb, line)
            data = after
        return data

    def _told(self, verb: bytes, line: bytes) -> None:
        match verb:
            case b"INFO":
                self.info = json.loads(line[5:])
                if not self._greeted.done():
                    self._greeted.set_result(None)
            case b"PONG":
                if self._fences and not (fence := self._fences.popleft()).done():
                    fence.set_result(None)
            case b"PING":
                if self._socket is not None:
                    self._pong = asyncio.ensure_future(self._socket.send_bytes(b"PONG" + _END))
            case b"-ERR":
                self._errors.append(line[5:].decode(errors="replace").strip("'"))
            case _:
                pass

    def _hear(self, line: bytes, content: bytes) -> None:
        words = line.split(b" ")
        subject = words[1].decode(errors="replace")
        status = ""
        if words[0].upper() == b"HMSG":
            head = int(words[-2])
            found = _STATUS.match(content)
            status = found[1].decode() if found else ""
            content = content[head:] if status else content
        message = Heard(subject, content, status)
        self._heard.append(message)
        self._news.set()
        waiting = self._awaited.get(subject)
        if waiting is not None and not waiting.done():
            waiting.set_result(message)


def publication(subject: bytes, data: bytes, reply: bytes = b"", headers: bytes = b"") -> bytes:
    """Give the bytes that publish this; `headers` is a whole block, right or wrong."""
    names = b" ".join(filter(None, (subject, reply)))
    if headers:
        sizes = b"%d %d" % (len(headers), len(headers) + len(data))
        return b"HPUB " + names + b" " + sizes + _END + headers + data + _END
    return b"PUB " + names + b" %d" % len(data) + _END + data + _END


def headers(*lines: str, status: str = "") -> bytes:
    """Give a block of headers, with a status as only the server should set it."""
    first = f"NATS/1.0 {status}".rstrip()
    return "\r\n".join((first, *lines, "", "")).encode()
