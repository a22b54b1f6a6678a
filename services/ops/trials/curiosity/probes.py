"""What an attempt on the bus is, and what may come of it."""

from __future__ import annotations

import json
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["denied", "refused", "nobody", "cut", "answered", "taken", "silence"]
"""What came of an attempt. The server says no (`denied`), that nobody listens (`nobody`), or ends
the connection (`cut`); a service says no (`refused`) or yes (`answered`); the server takes a
subscription or a message without a word (`taken`); or no answer comes (`silence`)."""


class Outcome(NamedTuple):
    """What came of an attempt, and in whose words: a code, a type of answer, an error."""

    kind: Kind
    said: str


class Expected(NamedTuple):
    """One way in which an attempt may end; `said` must stand in the words, "" allows all."""

    kind: Kind
    said: str = ""

    def fits(self, outcome: Outcome) -> bool:
        """Tell whether it ended so."""
        return self.kind == outcome.kind and self.said.lower() in outcome.said.lower()


class Probe(NamedTuple):
    """One attempt on the bus.

    `reply` is where he wants the answer, "" for a fresh place in his own inbox. `to` is "hear" for a
    subscription (in group `queue`, if he names one), "say" for a message.
    """

    group: str
    what: str
    subject: str
    expected: tuple[Expected, ...]
    to: Literal["hear", "say"] = "say"
    data: bytes = b"{}"
    reply: str = ""
    headers: bytes = b""
    queue: str = ""


DENIED: Final = (Expected("denied", "permissions violation"),)
NOBODY: Final = (Expected("nobody"),)


def refused(*codes: str) -> tuple[Expected, ...]:
    """Expect a service's refusal with one of the codes."""
    return tuple(Expected("refused", code) for code in codes)


def answered(*types: str) -> tuple[Expected, ...]:
    """Expect an answer of one of the types."""
    return tuple(Expected("answered", each) for each in types)


def cut(*words: str) -> tuple[Expected, ...]:
    """Expect the server to end the connection with one of these words."""
    return tuple(Expected("cut", each) for each in words)


def body(command_id: str, **fields: object) -> bytes:
    """Give the body of a command."""
    return json.dumps({"command_id": command_id, **fields}).encode()
