"""Answers questions on the bus: bounded, always with an answer, and only in the asker's inbox."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec
import structlog

from contracts.replies import Rejected, rejected
from contracts.subjects import inbox, is_client, is_player, is_reply_of, is_test
from domain.refusals import Code, Refused
from services.kit.buckets import Buckets
from services.kit.bus import Bus, Message
from services.kit.store.model import StoreUnavailable
from services.kit.workers import work_off

WAITING_MAX: Final = 1_000
WORKERS: Final = 2
QUESTION_BYTES_MAX: Final = 1_024
QUESTIONS_BURST, QUESTIONS_PER_S = 60, 10
"""How many questions of one player are answered at once, and for how long."""

log = structlog.get_logger(__name__)
_encode = msgspec.json.Encoder().encode

Answer = Callable[[Message], Awaitable[Any]]
"""Gives the answer to a question, to be encoded as JSON; raises Refused, StoreUnavailable."""


class Answering:
    """Serves the questions on one subject."""

    def __init__(
        self,
        bus: Bus,
        subject: str,
        queue: str,
        answer: Answer,
        *,
        size_max: int = QUESTION_BYTES_MAX,
    ) -> None:
        """Answer with `answer`, sharing the questions with all of the same `queue`."""
        self._bus = bus
        self._subject = subject
        self._queue = queue
        self._answer = answer
        self._size_max = size_max
        self._waiting: asyncio.Queue[Message] = asyncio.Queue(WAITING_MAX)
        self._pace = Buckets(QUESTIONS_BURST, QUESTIONS_PER_S, time.monotonic)

    async def serve(self, stop: asyncio.Event) -> None:
        """Answer until `stop` is set, then the questions that have come already."""
        subscription = await self._bus.subscribe(self._subject, self._take, self._queue)
        await work_off(self._waiting, self._work, WORKERS, subscription, stop)

    def _take(self, message: Message) -> None:
        asker = _asker(message)
        if not is_client(asker):
            return
        if is_player(asker) and not is_test(asker) and not self._pace.take(asker):
            refused = Refused(Code.TOO_FAST, "Too many questions; ask again in a second.")
            self._refuse(message, asker, refused)
            return
        if not is_reply_of(asker, message.reply):
            sentence = f"Ask for the answer below {inbox(asker)}; it goes nowhere else."
            self._refuse(message, asker, Refused(Code.WRONG_REPLY, sentence))
            return
        if len(message.data) > self._size_max:
            sentence = f"A question has at most {self._size_max} bytes."
            self._refuse(message, asker, Refused(Code.TOO_LARGE, sentence))
            return
        try:
            self._waiting.put_nowait(message)
        except asyncio.QueueFull:
            refused = Refused(Code.BUSY, "Too many questions wait; ask again in a moment.")
            self._refuse(message, asker, refused)

    async def _work(self, message: Message) -> None:
        answer = await self._answered(message)
        self._bus.publish(message.reply, _encode(answer))

    async def _answered(self, message: Message) -> Any:
        try:
            return await self._answer(message)
        except Refused as refused:
            return rejected(refused)
        except StoreUnavailable:
            return _not_now(Code.UNAVAILABLE, "The database is not available; ask again.")
        except Exception as error:  # noqa: BLE001 - one question must not end the service
            where = traceback.extract_tb(error.__traceback__)[-1]
            log.error(  # noqa: TRY400 - the text of the exception is not ours to judge
                "question_failed",
                subject=self._subject,
                error=type(error).__name__,
                where=f"{where.filename}:{where.lineno}",
            )
            return _not_now(Code.INTERNAL, "The question could not be answered.")

    def _refuse(self, message: Message, asker: str, refused: Refused) -> None:
        """Answer in the asker's own inbox, whatever reply subject he has named.

        Answering anywhere else would let him publish with our rights.
        """
        his = is_reply_of(asker, message.reply)
        reply = message.reply if his else f"{inbox(asker)}.wrong_reply"
        self._bus.publish(reply, _encode(rejected(refused)))


def question(decoder: msgspec.json.Decoder[Any], data: bytes) -> Any:
    """Decode a question strictly, an empty message like `{}`; raises Refused."""
    try:
        return decoder.decode(data or b"{}")
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        reason = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        sentence = f"The message does not fit its schema: {reason}."
        raise Refused(Code.MALFORMED, sentence) from None


def _asker(message: Message) -> str:
    """Give who asks: whom the subject names, as every subject does that players may send on.

    Else it is a service or an operator, who is believed.
    """
    _, named, *_ = (*message.subject.split("."), "")
    if is_player(named):
        return named
    return message.reply.removeprefix(inbox("")).partition(".")[0]


def _not_now(code: Code, sentence: str) -> Rejected:
    return rejected(Refused(code, sentence))
