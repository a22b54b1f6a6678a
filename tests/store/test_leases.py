"""Replicas share the partitions, and none is owned twice by anybody's own reckoning."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from services.kit.store.database import Connection
from services.kit.store.leases import Leases
from services.kit.store.model import Lease, NotOwner
from services.kit.store.reader import Reader
from services.kit.store.recorder import Recorder
from tests.store.conftest import unit


class Replica:
    """A replica that writes down what it gains and loses."""

    def __init__(self, url: str, name: str, **more: object) -> None:
        self.gained: dict[int, tuple[Lease, int | None]] = {}
        self.lost: list[int] = []
        self.changed = asyncio.Event()
        self.now_s: Callable[[], float] = asyncio.get_running_loop().time
        self.leases = Leases(
            url,
            name,
            self._gain,
            self._lose,
            clock=lambda: self.now_s(),  # noqa: PLW0108 - now_s is exchanged
            **more,  # type: ignore[arg-type]  # keys alone
        )

    def _gain(self, partition: int, lease: Lease, alive_ms: int | None) -> None:
        self.gained[partition] = (lease, alive_ms)
        self.changed.set()

    async def _lose(self, partition: int) -> None:
        assert self.leases.valid(partition) is None
        await asyncio.sleep(0)
        del self.gained[partition]
        self.lost.append(partition)
        self.changed.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not holds():
                self.changed.clear()
                await self.changed.wait()


@asynccontextmanager
async def running(url: str, name: str, **more: object) -> AsyncIterator[Replica]:
    replica = Replica(url, name, **more)
    async with replica.leases:
        yield replica
    assert replica.gained == {}


async def test_first_replica_takes_everything(log_url: str, link: Connection) -> None:
    async with running(log_url, "a") as a:
        await a.until(lambda: len(a.gained) == 32)
        assert a.leases.owned() == list(range(32))
        assert a.leases.valid(7) == Lease(7, 1)
        assert a.gained[7] == (Lease(7, 1), None)
    assert await link.fetchval("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == 0


async def test_two_replicas_share_and_the_second_goes_on_alone(
    log_url: str, reader: Reader
) -> None:
    async with running(log_url, "b") as b:
        async with running(log_url, "a") as a:
            await a.until(lambda: len(a.gained) == 16)
            await b.until(lambda: len(b.gained) == 16)
            assert sorted([*a.gained, *b.gained]) == list(range(32))
        await b.until(lambda: len(b.gained) == 32)

        taken = b.gained[a.lost[0]]
        assert taken[0].epoch >= 2
        assert taken[1] is not None
        (*_, (from_ms, to_ms)) = await reader.downtimes(a.lost[0], 0)
        assert from_ms == taken[1]
        assert from_ms <= to_ms
        assert await reader.downtimes(a.lost[0], to_ms + 1) == []


async def test_lost_connection_loses_everything_at_once(
    log_url: str, link: Connection, recorder: Recorder
) -> None:
    async with running(log_url, "a") as a:
        await a.until(lambda: len(a.gained) == 32)
        await link.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'logbuch leases' AND datname = current_database()"
        )
        await a.until(lambda: len(a.lost) == 32)
        await a.until(lambda: len(a.gained) == 32)
        assert a.leases.valid(3) == Lease(3, 2)
        with pytest.raises(NotOwner):
            await recorder.append(unit("table-a", lease=Lease(3, 1)))
        await recorder.append(unit("table-a", lease=Lease(3, 2)))


async def test_lease_expires_by_the_own_clock(log_url: str) -> None:
    async with running(log_url, "a") as a:
        await a.until(lambda: len(a.gained) == 32)
        real = a.now_s
        a.now_s = lambda: real() + 3.0  # the process stood still for three seconds
        assert a.leases.valid(0) is None
        assert a.leases.owned() == []


OTHER = """
import asyncio, sys
from services.kit.store.leases import Leases
async def lost(_): pass
async def main():
    taken = set()
    def gain(partition, *_):
        taken.add(partition)
        if len(taken) == 32:
            print("all", flush=True)
    async with Leases(sys.argv[1], "other", gain, lost):
        await asyncio.Event().wait()
asyncio.run(main())
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
async def test_dead_or_stopped_owner_is_replaced(
    log_url: str, how: signal.Signals, recorder: Recorder
) -> None:
    other = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", OTHER, log_url), stdout=subprocess.PIPE
    )
    try:
        assert other.stdout is not None
        assert await other.stdout.readline() == b"all\n"
        os.kill(other.pid, how)
        async with running(log_url, "a") as a:
            await a.until(lambda: len(a.gained) == 32)
            assert {lease.epoch for lease, _ in a.gained.values()} == {2}
            with pytest.raises(NotOwner):
                await recorder.append(unit("table-a", lease=Lease(0, 1)))
    finally:
        with suppress(ProcessLookupError):
            other.kill()
        await other.wait()


async def test_single_lease_has_one_owner(log_url: str) -> None:
    async with running(log_url, "b", keys=[100]) as b:
        await b.until(lambda: len(b.gained) == 1)
        async with running(log_url, "a", keys=[100]) as a, running(log_url, "t") as tables:
            await tables.until(lambda: len(tables.gained) == 32)
            assert a.leases.owned() == []
            assert b.leases.valid(100) == Lease(100, 1)


async def test_bug_in_a_callback_is_not_silent(log_url: str) -> None:
    def gain(_partition: int, _lease: Lease, _alive_ms: int | None) -> None:
        raise LookupError

    async def lose(_partition: int) -> None: ...

    leases = Leases(log_url, "a", gain, lose)
    with pytest.raises(LookupError):
        async with leases:
            await leases.watch()
    assert leases.owned() == []
