"""The message bus as the services see it: publish, request, subscribe - and how each may fail.

`nats_bus` implements it on core NATS; `tests/world` implements it in memory, with faults. Core
messages are at most once: whoever needs a message to arrive asks for an answer, or numbers what it
sends so that the receiver notices a gap.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol


class Message(NamedTuple):
    """A message as it arrived; `reply` is the subject that awaits an answer, or empty.

    `reply` is chosen by the sender: answer it only after checking that it lies inside the sender's
    own inbox.
    """

    subject: str
    data: bytes
    reply: str


Handler = Callable[[Message], None]
"""Takes one message: synchronous and quick, hands longer work to a bounded queue.

What a handler raises is counted and logged without the message, and reaches nobody else.
"""


class BusError(Exception):
    """A request brought no answer."""


class NoResponder(BusError):
    """Nobody received the request, so it changed nothing: it may be repeated as it is."""


class NoAnswer(BusError):
    """No answer came in time: the request may or may not have been carried out."""


class Denied(BusError):
    """The server does not let this client use the subject; nothing was done."""


class TooLarge(BusError):
    """The request is larger than the bus carries; it was not sent."""


class Subscription(Protocol):
    """A standing interest in a subject."""

    async def close(self) -> None:
        """End the interest: after this no handler call begins. Idempotent."""
        ...


class Bus(Protocol):
    """Core messaging: at most once, in order from one publisher to one subject."""

    @property
    def inbox(self) -> str:
        """The prefix of every reply subject of this client, without a closing dot."""
        ...

    def publish(self, subject: str, data: bytes) -> None:
        """Send without waiting and without promise.

        Dropped and counted when the link is down, the buffer is full or the message too large.
        """
        ...

    async def request(self, subject: str, data: bytes, timeout_s: float) -> bytes:
        """Return the first answer to a message.

        Raises NoResponder, NoAnswer (after `timeout_s` seconds), Denied or TooLarge.
        """
        ...

    async def subscribe(self, subject: str, handler: Handler, queue: str = "") -> Subscription:
        """Return when the server knows the interest: later messages reach `handler`.

        Raises NoResponder while the link is down, Denied where this client may not listen. Members of one `queue` share the messages, each going to one of them. The interest
        survives reconnects.
        """
        ...

    async def close(self) -> None:
        """Send what is buffered, then end every subscription and the connection. Idempotent."""
        ...
