"""Every byte that crossed the bus, for checkers of secrecy and of acknowledgements."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tests.world.subject import matches


class Sent(NamedTuple):
    """A message as it was handed to the bus, whether or not it arrived; times are wall clock ms."""

    at_ms: int
    sender: str
    subject: str
    data: bytes
    reply: str


class Delivered(NamedTuple):
    """A message as a client got it: `client` is its name."""

    at_ms: int
    client: str
    subject: str
    data: bytes


class Capture:
    """All messages of a world in order. The feed's entries count as sent by its writer."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.delivered: list[Delivered] = []
        self.listeners: list[Callable[[Sent], None]] = []

    def note(self, sent: Sent) -> None:
        """Add what was sent, and let those see it who judge at once."""
        self.sent.append(sent)
        for listener in self.listeners:
            listener(sent)

    def on(self, pattern: str) -> Iterator[Sent]:
        """Return what was sent to subjects that match a pattern with `*` and `>`."""
        return (each for each in self.sent if matches(pattern, each.subject))

    def seen_by(self, client: str) -> Iterator[Delivered]:
        """Return what a client received, replies to its requests included."""
        return (each for each in self.delivered if each.client == client)

    def leaks(self, secret: bytes, allowed: Iterable[str]) -> list[Sent]:
        """Return the messages that hold the secret on a subject that none of `allowed` matches."""
        patterns = list(allowed)
        return [
            each
            for each in self.sent
            if secret in each.data and not any(matches(one, each.subject) for one in patterns)
        ]
