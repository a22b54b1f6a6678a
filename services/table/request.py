"""From a message on the bus to a request that a desk can decide, and back to an answer."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from contracts import subjects
from contracts.commands import Body, decode, digest
from contracts.replies import Reply, rejected
from domain.refusals import Code, Refused
from services.kit.buckets import Buckets
from services.kit.bus import Bus, Message
from services.table.standing import Standing

_ENCODER = msgspec.json.Encoder()
_OURS = frozenset(subjects.RESERVED.values())


class Request(NamedTuple):
    """A well-formed command to a table; `reply` lies in the inbox of `player`, who sent it.

    That is a player, a bot service or an operator (`subjects.RESERVED`).
    """

    player: str
    table: str
    verb: str
    body: Body
    digest: str
    reply: str
    standing: Standing | None = None
    """Where its sender sits, once it is known: only who wants to sit down is asked."""


def read(message: Message, bus: Bus, pace: Buckets) -> Request | None:
    """Give the request; answer and give None when the message is none.

    A reply subject outside the sender's inbox is never answered there: that would let him publish
    with our rights. He is told on his own inbox instead.
    """
    tokens = message.subject.split(".")
    if len(tokens) != subjects.COMMAND_TOKENS:
        return None
    _, player, partition, table, verb = tokens
    if player not in _OURS and not subjects.is_player(player):
        return None
    his = subjects.is_reply_of(player, message.reply)
    reply = message.reply if his else f"{subjects.inbox(player)}.wrong_reply"
    try:
        if not _is_exempt(player) and not pace.take(player):
            sentence = "So many commands a second are not taken; repeat it a little later."
            raise Refused(Code.TOO_FAST, sentence)  # noqa: TRY301 - answered like all others
        if not his:
            sentence = f"Ask for the answer below {subjects.inbox(player)}; nothing was done."
            raise Refused(Code.WRONG_REPLY, sentence)  # noqa: TRY301
        if not subjects.is_table_id(table) or table[:2] != partition:
            sentence = "A table id is its partition, 00 to 31, '-' and 24 hexadecimal digits."
            raise Refused(Code.BAD_TABLE_ID, sentence)  # noqa: TRY301
        if subjects.RESERVED.get(verb, "") != (player if player in _OURS else ""):
            sentence = f"The verb '{verb}' is not yours to use."
            raise Refused(Code.MALFORMED, sentence)  # noqa: TRY301
        body = decode(verb, message.data)
    except Refused as refused:
        answer(bus, reply, rejected(refused))
        return None
    return Request(player, table, verb, body, digest(verb, message.data), reply)


def _is_exempt(player: str) -> bool:
    """Tell whether nobody counts: the computers, and test players, who play for hundreds."""
    return player == subjects.BOT or subjects.is_test(player)


def answer(bus: Bus, reply: str, content: Reply) -> None:
    """Send the answer to a request."""
    bus.publish(reply, _ENCODER.encode(content))
