"""nats-py's client, which no message may silence, and what is counted about it."""

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg


class BusCounts(msgspec.Struct):
    """What the bus did and failed to do since it was made; for metrics."""

    published: int = 0
    received: int = 0
    requests: int = 0
    dropped_down: int = 0
    dropped_full: int = 0
    dropped_large: int = 0
    slow_consumer: int = 0
    handler_errors: int = 0
    denied: int = 0
    malformed: int = 0
    other_errors: int = 0
    reconnects: int = 0


class TolerantClient(Client):
    """nats-py's client, which goes deaf when a subject, reply or header is not what it expects.

    The server passes any bytes on, and an exception ends nats-py's reading while the connection
    stays up: one player could silence a service. Here such a message is dropped.
    """

    def __init__(self, counts: BusCounts) -> None:
        super().__init__()
        self._counts = counts

    def _build_message(
        self,
        sid: int,
        subject: bytes,
        reply: bytes,
        data: bytes,
        headers: dict[str, str] | None,
    ) -> Msg | None:
        try:
            return Msg(self, subject.decode(), reply.decode(), data, headers, _sid=sid)
        except UnicodeDecodeError:
            self._counts.malformed += 1
            return None  # which nats-py passes over

    async def _process_pong(self) -> None:
        """Pass over an answer to a flush that was given up: to nats-py it is an error, too."""
        if self._pongs and self._pongs[0].done():
            self._pongs.pop(0)
        else:
            await super()._process_pong()

    async def _process_headers(self, headers: bytes) -> dict[str, str] | None:
        if not headers:
            return None
        try:
            return await super()._process_headers(headers)
        except (UnicodeDecodeError, IndexError):
            self._counts.malformed += 1
            return None
