"""The feed on JetStream: one stream, LOGBUCH, over the subjects `log.>`.

The stream is written asynchronously: what JetStream acknowledged may be gone when its process or
machine dies (ADR 0011 says why). So nothing here is the truth, and nobody remembers what was
acknowledged: the writer continues after what is in the stream, at the end it knows and nowhere
else; the reader checks every sequence itself and outlives the loss of its consumer, of the server,
of the end of the stream and of the stream.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

import msgspec
import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.js import JetStreamContext, api
from nats.js.errors import APIError, NotFoundError

from services.kit.feed import (
    BATCH_MAX,
    Entry,
    FeedConflict,
    FeedMissing,
    FeedReset,
    FeedTruncated,
    FeedUnavailable,
)
from services.kit.nats_bus import NatsBus

log = structlog.get_logger(__name__)

STREAM = "LOGBUCH"
SUBJECTS = ("log.>",)
DUPLICATE_WINDOW_S = 120.0
MAX_BYTES = 8 * 2**30
"""Size at which the stream forgets its oldest entries; who needs those reads the log."""
ACK_S = 2.0
"""Seconds until an acknowledgement or an answer of the JetStream API counts as missing."""
PULL_S = 2.0
"""Seconds that one pull waits at the server."""
GRACE_S = 1.0
"""Seconds after the end of a pull at which a silent consumer counts as lost."""
RETRY_S = 0.2
"""Seconds between attempts to reach a feed that does not answer."""
CREATE_TRIES = 10
NO_STORE = 10049
"""The server's code when it cannot make the files of a stream, such as where others still go."""
INACTIVE_S = 30.0
"""Seconds without a pull after which the server forgets a consumer."""
WRONG_LAST = (10070, 10071)
"""Codes of the server: another message id, another sequence is at the end."""
PULL_ENDED = ("404", "408")
"""Statuses that end a pull without anything being wrong: no message (in time)."""
ACK_TOKENS_SHORT = 9
"""Tokens of an acknowledgement subject without domain and account."""
_EPOCH = "epoch"


class _AckError(msgspec.Struct):
    err_code: int = 0
    description: str = ""


class _Ack(msgspec.Struct):
    seq: int = 0
    error: _AckError | None = None


class NatsFeedWriter:
    """Appends to the stream LOGBUCH."""

    def __init__(self, bus: NatsBus) -> None:
        self._client = bus.client
        self._js = bus.client.jetstream(timeout=ACK_S)

    async def epoch(self) -> int | None:
        """Return the epoch of the stream; None when there is none. Raises FeedUnavailable."""
        try:
            info = await _stream(self._js)
        except FeedMissing:
            return None
        return _epoch_of(info)

    async def create(self, epoch: int) -> None:
        """Have a stream of this epoch, empty when it is new; raises FeedConflict when overtaken."""
        found = await self.epoch()
        if found == epoch:
            return
        if found is not None and found > epoch:
            raise FeedConflict(f"the stream is of epoch {found}, after {epoch}")
        try:
            if found is not None:
                await self._js.delete_stream(STREAM)
            for _ in range(CREATE_TRIES):
                last = await self._add(epoch)
                if last == 0:
                    log.info("feed_created", epoch=epoch)
                    return
                # Entries of the deleted stream were still being written: seen in about one of
                # fifteen deletions that follow an append at once (nats-server 2.15.1).
                if last is not None:
                    await self._js.delete_stream(STREAM)
                await asyncio.sleep(RETRY_S)
        except APIError as error:
            raise FeedUnavailable(f"cannot create the stream: {error.description}") from error
        except NatsError as error:
            raise FeedUnavailable("no answer while creating the stream") from error
        raise FeedUnavailable("the server does not forget the former stream")

    async def _add(self, epoch: int) -> int | None:
        """Make the stream and give its last sequence, None while the former one's files go."""
        try:
            info = await self._js.add_stream(
                name=STREAM,
                subjects=list(SUBJECTS),
                storage=api.StorageType.FILE,
                retention=api.RetentionPolicy.LIMITS,
                discard=api.DiscardPolicy.OLD,
                max_bytes=MAX_BYTES,
                duplicate_window=DUPLICATE_WINDOW_S,
                persist_mode=api.PersistMode.ASYNC,
                deny_delete=True,
                deny_purge=True,
                metadata={_EPOCH: str(epoch)},
            )
        except APIError as error:
            if error.err_code == NO_STORE:
                return None
            raise
        return info.state.last_seq

    async def append(self, batch: Sequence[Entry], expected_last_seq: int) -> int:
        """Return the sequence of the last entry: the whole batch is in the stream, in order.

        Only the last entry asks for an acknowledgement: each names the sequence and the id before
        it, so none is stored unless all before it are. (The sequence alone would let the end of a
        batch slip in behind another writer's entries.)
        """
        if not 0 < len(batch) <= BATCH_MAX:
            raise ValueError(f"a batch holds 1 to {BATCH_MAX} entries, not {len(batch)}")
        chain = _headers(batch, expected_last_seq)
        try:
            for entry, headers in zip(batch[:-1], chain, strict=False):
                await self._client.publish(entry.subject, entry.data, headers=headers)
            answer = await self._client.request(
                batch[-1].subject, batch[-1].data, timeout=ACK_S, headers=chain[-1]
            )
            ack = msgspec.json.decode(answer.data, type=_Ack)
        except NoRespondersError:
            await _stream(self._js)  # raises FeedMissing when that is why
            raise FeedUnavailable("the stream does not take messages at the moment") from None
        except (NatsError, msgspec.DecodeError) as error:
            raise FeedUnavailable("no acknowledgement; ask for the last entry") from error
        if ack.error is not None:
            if ack.error.err_code in WRONG_LAST:
                raise FeedConflict(ack.error.description)
            raise FeedUnavailable(ack.error.description)
        if ack.seq != expected_last_seq + len(batch):
            raise FeedConflict(f"stored before, as {ack.seq}")
        return ack.seq

    async def last(self) -> tuple[int, bytes] | None:
        """Return sequence and data of the last entry; None when there never was one."""
        state = (await _stream(self._js)).state
        if state.last_seq == 0:
            return None
        if state.messages == 0:
            raise FeedMissing("the stream was emptied; it must be made anew")
        return state.last_seq, await _data(self._js, state.last_seq)


class _Pull:
    """One consumer, one inbox, at most one pull at a time; `lost` once anything looks wrong."""

    def __init__(self, client: Client, js: JetStreamContext, after_seq: int, batch: int) -> None:
        self.next_seq = after_seq + 1
        self.lost = False
        self._client = client
        self._js = js
        self._batch = batch
        self._inbox = client.new_inbox()
        self._sub: Subscription | None = None
        self._consumer = ""
        self._buffer: deque[tuple[int, bytes]] = deque()
        self._arrived_seq = after_seq
        self._wake = asyncio.Event()
        self._due = 0  # entries that the running pull may still bring
        self._silent_at = 0.0

    async def open(self) -> None:
        try:
            self._sub = await self._client.subscribe(self._inbox, cb=self._arrived)
            info = await self._js.add_consumer(
                STREAM,
                deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
                opt_start_seq=self.next_seq,
                ack_policy=api.AckPolicy.NONE,
                inactive_threshold=INACTIVE_S,
                mem_storage=True,
                num_replicas=1,
            )
        except NatsError as error:
            await self.close()
            raise FeedUnavailable("no consumer") from error
        self._consumer = info.name or ""

    async def close(self) -> None:
        self.lost = True
        try:
            if self._sub is not None:
                await self._sub.unsubscribe()
            if self._consumer:
                await self._js.delete_consumer(STREAM, self._consumer)
        except NatsError:
            return  # the server drops a consumer by itself when nobody pulls

    async def take(self, limit: int, wait_s: float) -> list[tuple[int, bytes]]:
        """Return the next entries; empty after `wait_s`. Raises FeedUnavailable when lost."""
        loop = asyncio.get_running_loop()
        end = loop.time() + wait_s
        while not self._buffer:
            now = loop.time()
            if self._due and now >= self._silent_at:
                self.lost = True
            if self.lost:
                raise FeedUnavailable("the consumer is lost")
            if not self._due:
                await self._ask(now)
            if now >= end:
                return []
            self._wake.clear()
            try:
                async with asyncio.timeout_at(min(end, self._silent_at)):
                    await self._wake.wait()
            except TimeoutError:
                continue
        entries = [self._buffer.popleft() for _ in range(min(limit, len(self._buffer)))]
        self.next_seq += len(entries)
        return entries

    async def _ask(self, now: float) -> None:
        pull = {"batch": self._batch, "expires": int(PULL_S * 1e9)}
        subject = f"$JS.API.CONSUMER.MSG.NEXT.{STREAM}.{self._consumer}"
        try:
            await self._client.publish(subject, msgspec.json.encode(pull), self._inbox)
        except NatsError as error:
            raise FeedUnavailable("the pull cannot be sent") from error
        self._due = self._batch
        self._silent_at = now + PULL_S + GRACE_S

    async def _arrived(self, message: Msg) -> None:
        self._wake.set()
        status = (message.headers or {}).get("Status")
        if status is not None:  # the pull is over: nothing more came in time, or no consumer
            self._due = 0
            self.lost = self.lost or status not in PULL_ENDED
            return
        seq = _sequence(message.reply)
        if seq != self._arrived_seq + 1:
            self.lost = True
            return
        self._arrived_seq = seq
        self._due -= 1
        self._silent_at = asyncio.get_running_loop().time() + PULL_S + GRACE_S
        self._buffer.append((seq, message.data))


class NatsFeedReader:
    """Reads the stream LOGBUCH through a pull consumer that it makes anew whenever in doubt."""

    def __init__(self, bus: NatsBus, batch: int = 256) -> None:
        self._client = bus.client
        self._js = bus.client.jetstream(timeout=ACK_S)
        self._batch = batch
        self._life: str | None = None  # which stream, by its time of creation
        self._reset = False
        self._pull: _Pull | None = None

    async def read(self, after_seq: int, limit: int, wait_s: float) -> list[tuple[int, bytes]]:
        """Return up to `limit` entries that follow `after_seq`; empty after `wait_s` seconds."""
        loop = asyncio.get_running_loop()
        end = loop.time() + wait_s
        while True:
            try:
                pull = await self._at(after_seq)
                entries = await pull.take(limit, max(0.0, min(end - loop.time(), PULL_S)))
            except (FeedUnavailable, FeedMissing):
                entries = []
                await self._drop()
                await asyncio.sleep(max(0.0, min(RETRY_S, end - loop.time())))
            if entries or loop.time() >= end:
                return entries

    async def find(self, at_or_before: Callable[[bytes], bool]) -> int:
        """Return the sequence of the last entry that the test accepts; 0 when none is accepted."""
        await self._drop()
        info = await _stream(self._js)
        first, high = info.state.first_seq, info.state.last_seq
        low = max(0, first - 1)
        while low < high:  # all up to low are accepted, all above high are not
            middle = (low + high + 1) // 2
            if at_or_before(await _data(self._js, middle)):
                low = middle
            else:
                high = middle - 1
        if 0 < low < first:
            raise FeedTruncated(f"the feed begins after the checkpoint, with entry {first}")
        self._life, self._reset = _life_of(info), False
        return low

    async def close(self) -> None:
        """Release the consumer. Idempotent."""
        await self._drop()

    async def _at(self, after_seq: int) -> _Pull:
        if self._reset:
            raise FeedReset("the stream was made anew; find the place again")
        pull = self._pull
        if pull is not None and pull.next_seq == after_seq + 1 and not pull.lost:
            return pull
        await self._drop()
        info = await _stream(self._js)
        life = _life_of(info)
        gone = after_seq > info.state.last_seq or after_seq + 1 < info.state.first_seq
        if gone or (self._life is not None and self._life != life):
            self._reset = True
            raise FeedReset("the stream was made anew or cut; find the place again")
        self._life = life
        self._pull = pull = _Pull(self._client, self._js, after_seq, self._batch)
        await pull.open()
        return pull

    async def _drop(self) -> None:
        pull, self._pull = self._pull, None
        if pull is not None:
            await pull.close()


def _headers(batch: Sequence[Entry], expected_last_seq: int) -> list[dict[str, str]]:
    chain = [
        {"Nats-Msg-Id": entry.msg_id, "Nats-Expected-Last-Sequence": str(seq)}
        for seq, entry in enumerate(batch, expected_last_seq)
    ]
    for before, headers in zip(batch, chain[1:], strict=False):
        headers["Nats-Expected-Last-Msg-Id"] = before.msg_id
    return chain


def _sequence(reply: str) -> int:
    """Return the stream's sequence from the acknowledgement subject of a delivered entry."""
    tokens = reply.split(".")
    return int(tokens[5] if len(tokens) == ACK_TOKENS_SHORT else tokens[7])


def _epoch_of(info: api.StreamInfo) -> int:
    return int((info.config.metadata or {}).get(_EPOCH, "0"))


def _life_of(info: api.StreamInfo) -> str:
    return f"{_epoch_of(info)} {info.created}"


async def _stream(js: JetStreamContext) -> api.StreamInfo:
    try:
        return await js.stream_info(STREAM)
    except NotFoundError as error:
        raise FeedMissing(f"there is no stream {STREAM}") from error
    except NatsError as error:
        raise FeedUnavailable("JetStream does not answer") from error


async def _data(js: JetStreamContext, seq: int) -> bytes:
    try:
        return (await js.get_msg(STREAM, seq)).data or b""
    except NatsError as error:
        raise FeedUnavailable(f"entry {seq} does not come") from error
