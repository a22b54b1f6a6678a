"""The feed in memory: one stream that outlives its writers, with the faults of the real one."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from services.kit.feed import (
    BATCH_MAX,
    Entry,
    FeedConflict,
    FeedMissing,
    FeedReset,
    FeedTruncated,
    FeedUnavailable,
)
from tests.world.capture import Sent
from tests.world.processes import Life

if TYPE_CHECKING:
    from tests.world.world import World


class FeedServer:
    """The stream: entries from sequence `first_seq` on, an epoch, and which stream it is."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.down = False
        self.epoch: int | None = None
        self.stream = 0  # counts creations
        self.first_seq = 1
        self.entries: list[Entry] = []
        self.rng = world.rng("feed")
        self._grown: list[asyncio.Event] = []

    def writer(self, name: str, life: Life | None = None) -> "WorldFeedWriter":
        """Return a writer that dies with `life`."""
        return WorldFeedWriter(self, name, life)

    def reader(self, life: Life | None = None) -> "WorldFeedReader":
        """Return a reader that dies with `life`."""
        return WorldFeedReader(self, life)

    @property
    def last_seq(self) -> int:
        """The sequence of the last entry, 0 in a new stream."""
        return self.first_seq - 1 + len(self.entries)

    def create(self, epoch: int) -> None:
        """Have an empty stream of this epoch."""
        self.world.trace("feed", f"created {epoch}")
        self.epoch, self.stream = epoch, self.stream + 1
        self.first_seq, self.entries = 1, []

    def delete(self) -> None:
        """Lose the stream as a whole."""
        self.epoch, self.entries, self.first_seq = None, [], 1

    def lose_tail(self, count: int) -> None:
        """Lose the last entries, as when the server dies: the feed is written asynchronously."""
        self.world.trace("feed", f"lost {count}")
        del self.entries[max(0, len(self.entries) - count) :]

    def cut(self, count: int) -> None:
        """Forget the first entries, as when the stream reaches its limit."""
        count = min(count, len(self.entries))
        del self.entries[:count]
        self.first_seq += count

    def store(self, name: str, batch: Sequence[Entry], expected_last_seq: int) -> bool:
        """Store what fits of a batch, entry by entry; True when its last entry was stored."""
        stored = False
        for at, entry in enumerate(batch):
            here = self.entries[-1].msg_id if self.entries else ""
            stored = self.last_seq == expected_last_seq + at and (
                at == 0 or here == batch[at - 1].msg_id
            )
            if stored:
                self.entries.append(entry)
                self.world.trace("feed", f"{self.last_seq} {entry.msg_id}", entry.data)
                now_ms = self.world.loop.now_ms()
                self.world.net.capture.note(Sent(now_ms, name, entry.subject, entry.data, ""))
        for event in self._grown:
            event.set()
        return stored

    async def growth(self, wait_s: float) -> None:
        """Return when something was stored, or after `wait_s` seconds."""
        event = asyncio.Event()
        self._grown.append(event)
        try:
            async with asyncio.timeout(wait_s):
                await event.wait()
        except TimeoutError:
            pass
        finally:
            self._grown.remove(event)


class _Port:
    def __init__(self, server: FeedServer, life: Life | None) -> None:
        self.server = server
        self.life = life

    async def _reach(self) -> None:
        """Take the time of a round trip; raises FeedUnavailable, and ends dead callers."""
        if self.life is not None:
            self.life.must_live()
        await asyncio.sleep(self.server.rng.uniform(*self.server.world.faults.feed.delay))
        if self.life is not None:
            self.life.must_live()
        if self.server.down:
            raise FeedUnavailable("the server is down")


class WorldFeedWriter(_Port):
    """What `services.kit.feed.FeedWriter` promises."""

    def __init__(self, server: FeedServer, name: str, life: Life | None) -> None:
        super().__init__(server, life)
        self._name = name

    async def epoch(self) -> int | None:
        """Return the epoch of the stream; None when there is none."""
        await self._reach()
        return self.server.epoch

    async def create(self, epoch: int) -> None:
        """Have a stream of this epoch."""
        await self._reach()
        if self.server.epoch is not None and self.server.epoch > epoch:
            raise FeedConflict(f"the stream is of epoch {self.server.epoch}")
        if self.server.epoch != epoch:
            self.server.create(epoch)

    async def append(self, batch: Sequence[Entry], expected_last_seq: int) -> int:
        """Store the batch and return the sequence of its last entry."""
        if not 0 < len(batch) <= BATCH_MAX:
            raise ValueError(f"a batch holds 1 to {BATCH_MAX} entries, not {len(batch)}")
        await self._reach()
        if self.server.epoch is None:
            raise FeedMissing("there is no stream")
        faults, rng = self.server.world.faults.feed, self.server.rng
        if rng.random() < faults.nothing:
            await self._no_answer("the batch was lost")
        if rng.random() < faults.beginning:
            self.server.store(self._name, batch[: rng.randrange(len(batch))], expected_last_seq)
            await self._no_answer("the rest of the batch was lost")
        stored = self.server.store(self._name, batch, expected_last_seq)
        if rng.random() < faults.lost_ack:
            await self._no_answer("the acknowledgement was lost")
        last_seq = self.server.last_seq
        await self._reach()
        if not stored:
            raise FeedConflict(f"the stream ends at {last_seq}")
        return expected_last_seq + len(batch)

    async def last(self) -> tuple[int, bytes] | None:
        """Return sequence and data of the last entry; None in a new stream."""
        await self._reach()
        server = self.server
        if server.epoch is None:
            raise FeedMissing("there is no stream")
        if server.last_seq == 0:
            return None
        if not server.entries:
            raise FeedMissing("the stream was emptied")
        return server.last_seq, server.entries[-1].data

    async def _no_answer(self, why: str) -> None:
        await asyncio.sleep(2.0)
        raise FeedUnavailable(why)


class WorldFeedReader(_Port):
    """What `services.kit.feed.FeedReader` promises."""

    def __init__(self, server: FeedServer, life: Life | None) -> None:
        super().__init__(server, life)
        self._stream: int | None = None
        self._reset = False

    async def read(self, after_seq: int, limit: int, wait_s: float) -> list[tuple[int, bytes]]:
        """Return the entries that follow; empty after `wait_s` seconds."""
        loop, server = self.server.world.loop, self.server
        end = loop.time() + wait_s
        while True:
            try:
                await self._reach()
            except FeedUnavailable:
                await asyncio.sleep(0.2)
                if loop.time() >= end:
                    return []
                continue
            if server.epoch is not None:
                self._check(after_seq)
                start = after_seq + 1 - server.first_seq
                if start < len(server.entries):
                    found = server.entries[start : start + limit]
                    return [(after_seq + n, entry.data) for n, entry in enumerate(found, 1)]
            if loop.time() >= end:
                return []
            await server.growth(min(end - loop.time(), 2.0))

    async def find(self, at_or_before: Callable[[bytes], bool]) -> int:
        """Return the sequence of the last entry that the test accepts; 0 when none is accepted."""
        await self._reach()
        server = self.server
        if server.epoch is None:
            raise FeedMissing("there is no stream")
        count = sum(1 for entry in server.entries if at_or_before(entry.data))
        if not count and server.first_seq > 1:
            raise FeedTruncated(f"the feed begins with entry {server.first_seq}")
        self._stream, self._reset = server.stream, False
        return server.first_seq - 1 + count

    async def close(self) -> None:
        """Release nothing: the server holds nothing."""

    def _check(self, after_seq: int) -> None:
        server = self.server
        gone = after_seq > server.last_seq or after_seq + 1 < server.first_seq
        if self._reset or gone or (self._stream not in (None, server.stream)):
            self._reset = True
            raise FeedReset("the stream was made anew or cut")
        self._stream = server.stream
