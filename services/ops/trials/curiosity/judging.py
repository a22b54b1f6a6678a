"""Which messages he may have, and which of them hold a secret."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from contracts.rights import may_publish, may_subscribe
from contracts.subjects import LOBBY_CHANGE, inbox
from services.kit.bus import Message
from services.ops.trials.curiosity.wire import Heard

_INBOXES: Final = inbox("")
_ANSWER: Final = b'{"type":"'
"""So begins every answer of a service, and nothing else but the news of the lobby."""
_ENDS: Final = (b'"SeedRevealed"', b'"phase":"finished"')


class Secret(NamedTuple):
    """Text that must not be in what he hears; `until_the_end` of its game, then it is told."""

    what: str
    text: bytes
    until_the_end: bool = False


def fits(pattern: str, subject: str) -> bool:
    """Tell whether a subject is among those of a pattern, as the server reads it."""
    wanted, tokens = pattern.split("."), subject.split(".")
    if wanted[-1] == ">":
        return len(tokens) >= len(wanted) and _fit(wanted[:-1], tokens)
    return len(tokens) == len(wanted) and _fit(wanted, tokens)


def _fit(wanted: Sequence[str], tokens: Sequence[str]) -> bool:
    return all(want in {"*", token} for want, token in zip(wanted, tokens, strict=False))


def may_hear(player: str, subject: str) -> bool:
    """Tell whether the subject is one that the player has a right to hear."""
    return any(fits(pattern, subject) for pattern in may_subscribe(player))


def secrets_in(heard: Iterable[Heard], secrets: Iterable[Secret]) -> list[tuple[Secret, Heard]]:
    """Give each secret that is in a message, with the first such message."""
    messages = list(heard)
    running = [each for each in messages if not any(end in each.data for end in _ENDS)]
    # Most often nothing is found: so all is searched at once, and then only what holds something.
    everything, before = _joined(messages), _joined(running)
    found = []
    for secret in secrets:
        if secret.text in (before if secret.until_the_end else everything):
            among = running if secret.until_the_end else messages
            found.append((secret, next(each for each in among if secret.text in each.data)))
    return found


def _joined(messages: Iterable[Heard]) -> bytes:
    return b"\n\x00\n".join(each.data for each in messages)


def astray(message: Message, player: str, mark: str) -> bool:
    """Tell whether a message on the bus is there only because the player wanted it there.

    That is anything with his mark but what he may say himself and what is answered to him; and an
    answer of a service where there are never answers.
    """
    own = message.subject.startswith(f"{inbox(player)}.")
    if own or any(fits(pattern, message.subject) for pattern in may_publish(player)):
        return False
    if mark in message.subject or mark.encode() in message.data:
        return True
    somewhere_else = not message.subject.startswith((_INBOXES, "$"))
    is_answer = message.data.startswith(_ANSWER) and message.subject != LOBBY_CHANGE
    return somewhere_else and is_answer


def strays(heard: Iterable[Message], player: str, mark: str) -> Iterator[Message]:
    """Give the messages that went astray."""
    return (each for each in heard if astray(each, player, mark))
