"""The bus on core NATS: nats-py behind the port, with its traps designed out.

What differs from plain nats-py, and why:

* Nothing is buffered while the link is down (`pending_size=-1`): a command that is sent after the
  outage would arrive long after its sender gave up. Publishing drops and counts; a request fails
  at once with NoResponder, because nothing left the process.
* Reconnecting never ends and is jittered. What ends the connection for good (an expired login, a
  fatal error of the server) calls `on_closed`: the process must exit and be started anew.
* Requests share one subscription under the client's own inbox prefix and one timer each; nats-py's
  own request costs about twice as much.
* Handlers are plain functions. What they raise is logged by type and place only: the text of an
  exception may hold a hidden card.
"""

import asyncio
import random
import secrets
import traceback
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, NamedTuple, TypeVar

import nats.micro
import structlog
from nats.aio.client import Client, Server
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription as NatsSubscription
from nats.errors import Error as NatsError
from nats.errors import MaxPayloadError, OutboundBufferLimitError, SlowConsumerError

from services.kit.bus import (
    Denied,
    Handler,
    Message,
    NoAnswer,
    NoResponder,
    Subscription,
    TooLarge,
)
from services.kit.nats_client import BusCounts, TolerantClient

log = structlog.get_logger(__name__)
T = TypeVar("T")

OUT_BYTES_MAX = 16 * 2**20
"""Bytes waiting for a slow link before publishing drops."""
SUB_MESSAGES_MAX = 2**19
SUB_BYTES_MAX = 128 * 2**20
"""What may wait for one subscription's handler before messages are dropped and counted."""
RECONNECT_S = (0.05, 2.0)
"""First and longest wait before another attempt to connect; the real one is jittered below it."""
CLOSE_S = 3.0
"""Seconds that closing may take to send what is buffered."""
PING_S = 10
"""Seconds between pings; two unanswered ones mean a dead link."""


class _Pending(NamedTuple):
    answer: asyncio.Future[bytes]
    subject: str


class NatsBus:
    """A client of core NATS that keeps the promises of `services.kit.bus.Bus`."""

    def __init__(self, inbox: str, on_closed: Callable[[], None]) -> None:
        self.counts = BusCounts()
        self.client: Client = TolerantClient(self.counts)
        self._inbox = inbox
        self._on_closed = on_closed
        self._closing = False
        self._loop = asyncio.get_running_loop()
        self._replies = f"{inbox}.{secrets.token_hex(8)}."
        self._pending: dict[str, _Pending] = {}
        self._sent = 0
        self._refused: set[str] = set()  # subscriptions, as the server's errors write them

    @property
    def inbox(self) -> str:
        """The prefix of every reply subject of this client, without a closing dot."""
        return self._inbox

    @property
    def connected(self) -> bool:
        """Whether the link to the server is up: for readiness."""
        return bool(self.client.is_connected)

    def publish(self, subject: str, data: bytes) -> None:
        """Send without promise; dropped and counted when down, full or too large."""
        self.ask_all(subject, data, "")

    def ask_all(self, subject: str, data: bytes, reply: str) -> None:
        """Send like `publish`; the answers of all who hear it are for who listens on `reply`."""
        try:
            self._send(subject, data, reply)
        except TooLarge:
            self.counts.dropped_large += 1
            log.warning("bus_message_too_large", size=len(data))
        except NoResponder:
            pass

    async def request(self, subject: str, data: bytes, timeout_s: float) -> bytes:
        """Return the first answer; raises NoResponder, NoAnswer, Denied or TooLarge."""
        self._sent += 1
        token = f"{self._sent:x}"
        answer: asyncio.Future[bytes] = self._loop.create_future()
        self._pending[token] = _Pending(answer, subject)
        timer = self._loop.call_later(timeout_s, self._expire, answer)
        try:
            self._send(subject, data, self._replies + token)
            self.counts.requests += 1
            return await answer
        finally:
            timer.cancel()
            del self._pending[token]

    async def subscribe(self, subject: str, handler: Handler, queue: str = "") -> Subscription:
        """Return when the server knows the interest; raises NoResponder when it cannot be told.

        Raises Denied when this client may not listen there.
        """
        if not self.connected:
            raise NoResponder("the link to the bus is down; nothing is subscribed")
        self._refused.discard(subject.lower())
        raw = await self.client.subscribe(
            subject,
            queue=queue,
            cb=partial(self._deliver, handler),
            pending_msgs_limit=SUB_MESSAGES_MAX,
            pending_bytes_limit=SUB_BYTES_MAX,
        )
        try:
            # nats-py pings past what waits in its buffer: only the second pong follows the
            # subscription
            await self.client.flush()
            await self.client.flush()
        except BaseException as error:  # whoever gives up waiting must not go on listening
            await _Subscription(raw).close()
            if isinstance(error, NatsError):
                raise NoResponder("the bus did not confirm the subscription") from error
            raise
        if subject.lower() in self._refused:
            await _Subscription(raw).close()
            raise Denied(f"this client may not listen to {subject}")
        return _Subscription(raw)

    async def register_service(self, name: str, version: str, description: str = "") -> None:
        """Answer `$SRV.PING`, `INFO` and `STATS`: operators and their tools find this instance.

        No endpoint is registered: our subjects are not served through nats.micro, which would
        answer what a handler raises with its text.
        """
        await nats.micro.add_service(
            self.client, name=name, version=version, description=description
        )

    async def close(self) -> None:
        """Send what is buffered, then end; takes at most about `CLOSE_S` seconds."""
        if self._closing:
            return
        self._closing = True
        for end in (self.client.drain, self.client.close):
            try:
                async with asyncio.timeout(CLOSE_S):
                    await end()
            except (NatsError, TimeoutError):
                continue
            except asyncio.CancelledError:
                if _is_cancelled():
                    raise
                # The server ended the connection just now: nats-py cancels its reading task, and
                # with it the wait for the socket's end, which that one shares with us.
            return
        log.warning("bus_close_failed")

    def _send(self, subject: str, data: bytes, reply: str) -> None:
        if self.client.pending_data_size > OUT_BYTES_MAX:
            self.counts.dropped_full += 1
            raise NoResponder("the link does not take any more; nothing was sent")
        try:
            _run_now(self.client.publish(subject, data, reply))
        except OutboundBufferLimitError:
            self.counts.dropped_down += 1
            raise NoResponder("the link to the bus is down; nothing was sent") from None
        except MaxPayloadError:
            raise TooLarge(
                f"{len(data)} bytes; the bus carries {self.client.max_payload}"
            ) from None
        except NatsError:
            self.counts.dropped_down += 1
            raise NoResponder("the bus is closed or closing; nothing was sent") from None
        self.counts.published += 1

    async def _deliver(self, handler: Handler, message: Msg) -> None:
        self.counts.received += 1
        try:
            handler(Message(message.subject, message.data, message.reply))
        except Exception as error:  # noqa: BLE001 - one bad message must not end the subscription
            self.counts.handler_errors += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            log.error(  # noqa: TRY400 - a traceback prints the text, which may hold a hidden card
                "bus_handler_failed",
                error=type(error).__name__,
                where=f"{where.filename}:{where.lineno}",
            )

    async def _answered(self, message: Msg) -> None:
        pending = self._pending.get(message.subject[len(self._replies) :])
        if pending is None or pending.answer.done():
            return
        if message.headers is not None and message.headers.get("Status") == "503":
            pending.answer.set_exception(NoResponder("nobody serves this at the moment"))
        else:
            pending.answer.set_result(message.data)

    @staticmethod
    def _expire(answer: asyncio.Future[bytes]) -> None:
        if not answer.done():
            answer.set_exception(NoAnswer("no answer in time; it may have been carried out"))

    async def _errored(self, error: Exception) -> None:
        text = str(error)
        if isinstance(error, SlowConsumerError):
            self.counts.slow_consumer += 1
            if self.counts.slow_consumer & (self.counts.slow_consumer - 1) == 0:
                log.error("bus_slow_consumer", dropped=self.counts.slow_consumer)
        elif "permissions violation" in text:
            self.counts.denied += 1
            self._denied(text)
        else:
            self.counts.other_errors += 1
            log.info("bus_error", error=type(error).__name__)

    def _denied(self, text: str) -> None:
        """End what the server refused, whether request or subscription: it says so only beside.

        nats-py gives the subject in lower case.
        """
        _, _, named = text.partition('"')
        subject = named.partition('"')[0]
        if self.counts.denied & (self.counts.denied - 1) == 0:
            log.error("bus_denied", subject=subject, count=self.counts.denied)
        if "for subscription" in text:
            self._refused.add(subject)
            return
        for pending in self._pending.values():
            if pending.subject.lower() == subject and not pending.answer.done():
                pending.answer.set_exception(Denied(f"this client may not use {subject}"))

    async def _disconnected(self) -> None:
        if self._closing:
            return
        log.warning("bus_disconnected")
        task = asyncio.current_task()
        if task is not None:  # nats-py calls this from the task that reconnects
            task.add_done_callback(self._reconnecting_ended)

    def _reconnecting_ended(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled() and task.exception() is not None and not self._closing:
            log.error("bus_reconnect_failed", error=type(task.exception()).__name__)
            self._on_closed()

    async def _reconnected(self) -> None:
        self.counts.reconnects += 1
        log.info("bus_reconnected")

    async def _closed(self) -> None:
        for pending in self._pending.values():
            if not pending.answer.done():
                pending.answer.set_exception(NoAnswer("the bus was closed"))
        if not self._closing:
            log.error("bus_closed")
            self._on_closed()

    async def _start(self, url: str, name: str, options: dict[str, Any]) -> None:
        await self.client.connect(
            url.split(","),
            name=name,
            error_cb=self._errored,
            disconnected_cb=self._disconnected,
            reconnected_cb=self._reconnected,
            closed_cb=self._closed,
            max_reconnect_attempts=-1,
            reconnect_time_wait=1,
            reconnect_to_server_handler=_next_server,
            ping_interval=PING_S,
            pending_size=-1,
            inbox_prefix=self._inbox,
            **options,
        )
        await self.client.subscribe(f"{self._replies}*", cb=self._answered)
        await self.client.flush()


class _Subscription:
    def __init__(self, raw: NatsSubscription) -> None:
        self._raw = raw

    async def close(self) -> None:
        try:
            await self._raw.unsubscribe()
        except NatsError:  # closed, draining or ended before: no call begins any more
            return


def _next_server(servers: list[Server], _info: dict[str, Any]) -> tuple[Server, float]:
    server = random.choice(servers)  # noqa: S311 - spreads load, guards nothing
    first, longest = RECONNECT_S
    wait = min(longest, first * 2 ** min(server.reconnects, 10))
    return server, wait * random.uniform(0.5, 1.0)  # noqa: S311


def _is_cancelled() -> bool:
    """Tell whether somebody wants the running task to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _run_now(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that never waits.

    nats-py's publish is one as long as its own buffering is off and the flusher's queue has room,
    which it looks at before it puts anything there.
    """
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    coroutine.close()
    raise RuntimeError("nats-py waited where it must not")


async def connect(
    url: str,
    name: str,
    inbox: str,
    on_closed: Callable[[], None],
    wait_s: float = 10.0,
    **options: Any,
) -> NatsBus:
    """Return a connected bus; raises NoResponder when no server lets us in within `wait_s` seconds.

    `url` may name several servers, separated by commas. `inbox` is the client's own prefix
    (`_INBOX.<player>`). `on_closed` is called when the connection ended for good without `close`:
    the process must exit. `options` (user, password, token, nkeys_seed ...) go to nats-py.
    """
    bus = NatsBus(inbox, on_closed)
    try:
        async with asyncio.timeout(wait_s):
            await bus._start(url, name, options)  # noqa: SLF001 - the second half of making one
    except (TimeoutError, NatsError, OSError) as error:
        why = bus.client.last_error or error
        await bus.close()
        raise NoResponder(f"no NATS server lets us in at {url}: {why}") from error
    return bus
