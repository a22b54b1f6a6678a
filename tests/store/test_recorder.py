"""Appending: conflicts, all or none, order, and every way in which it can fail."""

import asyncio
import random
from contextlib import suppress

import asyncpg
import pytest
from msgspec.structs import replace

from services.kit.store.database import Connection
from services.kit.store.model import (
    Append,
    Conflict,
    IndexRow,
    Lease,
    NotOwner,
    OutcomeUnknown,
    QueueFull,
    StoredEvent,
    StoreUnavailable,
    Unit,
)
from services.kit.store.reader import Reader
from services.kit.store.recorder import Call, Recorder
from tests.store.conftest import append, unit

LOCK = "SELECT log_lock()"


async def test_what_is_appended_is_read_back(recorder: Recorder, reader: Reader) -> None:
    first = unit("table-a", 3)
    assert await recorder.append(first) == (1, 2, 3)

    assert await reader.stream("table-a") == list(first.appends[0].rows)
    assert await reader.index_row("table-a") == first.appends[0].index
    assert [n.id for n in await reader.notifications(1)] == [2, 3]
    assert await reader.max_position() == 3


async def test_wrong_head_conflicts_and_tells_the_head(recorder: Recorder, reader: Reader) -> None:
    await recorder.append(unit("table-a", 2))

    for head in (0, 1, 5):
        with pytest.raises(Conflict) as conflict:
            await recorder.append(unit("table-a", 1, head))
        assert (conflict.value.stream, conflict.value.head) == ("table-a", 2)
    assert len(await reader.stream("table-a")) == 2


async def test_conflict_refuses_only_its_unit(recorder: Recorder, reader: Reader) -> None:
    await recorder.append(unit("table-a"))
    outcomes = await asyncio.gather(
        recorder.append(unit("table-b", 2)),
        recorder.append(unit("table-a")),
        recorder.append(unit("table-c", 2)),
        return_exceptions=True,
    )

    assert outcomes[0] == (2, 3)
    assert isinstance(outcomes[1], Conflict)
    assert outcomes[2] == (4, 5)
    assert [n.originator_id for n in await reader.notifications(1)] == [
        *("table-b", "table-b", "table-c", "table-c")
    ]


async def test_two_streams_are_stored_all_or_none(recorder: Recorder, reader: Reader) -> None:
    await recorder.append(unit("table-a", 2))
    with pytest.raises(Conflict):
        await recorder.append(Unit((append("table-b"), append("table-a", 1, head=1))))
    assert await reader.stream("table-b") == []
    assert await reader.index_row("table-b") is None

    assert await recorder.append(Unit((append("table-b", 2), append("table-a", 1, head=2))))
    assert len(await reader.stream("table-b")) == 2
    assert len(await reader.stream("table-a")) == 3


async def test_units_of_one_stream_keep_their_order(recorder: Recorder, reader: Reader) -> None:
    first = append("table-a")
    assert first.index is not None
    second = append("table-a", 1, 1, first.index.head_hash)
    assert second.index is not None
    third = append("table-a", 1, 2, second.index.head_hash)
    outcomes = await asyncio.gather(
        *(recorder.append(Unit((each,))) for each in (first, second, second, third)),
        return_exceptions=True,
    )

    assert outcomes[:2] == [(1,), (2,)]
    assert isinstance(outcomes[2], Conflict)
    assert outcomes[3] == (3,)
    assert [e.originator_version for e in await reader.stream("table-a")] == [1, 2, 3]


async def test_unit_that_contradicts_itself_is_a_bug(recorder: Recorder) -> None:
    good = append("table-a", 2)
    assert good.index is not None
    for bad in (
        replace(good, expected=1),
        replace(good, rows=good.rows[::-1]),
        replace(good, rows=()),
        replace(good, stream="table-b"),
        replace(good, index=good.index._replace(head=3)),
    ):
        with pytest.raises(ValueError, match="table-"):
            await recorder.append(Unit((bad,)))
    with pytest.raises(ValueError, match="twice"):
        await recorder.append(Unit((good, good)))


async def test_racing_writers_leave_contiguous_versions(log_url: str, reader: Reader) -> None:
    async def write(recorder: Recorder) -> int:
        stored = 0
        while True:
            row = await reader.index_row("table-a")
            head, head_hash = (row.head, row.head_hash) if row else (0, b"")
            if head >= 40:
                return stored
            with suppress(Conflict):
                stored += len(await recorder.append(unit("table-a", 2, head, head_hash)))

    async with Recorder(log_url) as one, Recorder(log_url) as two:
        stored = await asyncio.gather(write(one), write(two), write(one))

    events = await reader.stream("table-a")
    assert [e.originator_version for e in events] == list(range(1, sum(stored) + 1))
    ids = [(n.id, n.originator_version) for n in await reader.notifications(0)]
    assert ids == sorted(ids, key=lambda each: each[1])


async def test_tailing_reader_misses_nothing_while_a_transaction_is_paused(
    recorder: Recorder, reader: Reader, link: Connection
) -> None:
    async with link.transaction():
        await link.execute(LOCK)
        await link.execute(
            "INSERT INTO stored_events (originator_id, originator_version, topic, state)"
            " VALUES ('table-paused', 1, 't', '')"
        )
        behind = asyncio.ensure_future(recorder.append(unit("table-b")))
        done, _ = await asyncio.wait([behind], timeout=0.2)
        assert not done
        assert await reader.notifications(0) == []

    await behind
    assert [n.originator_id for n in await reader.notifications(0)] == ["table-paused", "table-b"]


async def test_full_queue_refuses_aloud(log_url: str, link: Connection) -> None:
    async with Recorder(log_url, waiting_max=2) as recorder:
        await recorder.append(unit("table-0"))
        async with link.transaction():
            await link.execute(LOCK)
            on_its_way = recorder.submit(unit("table-1"))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            waiting = [recorder.submit(unit(f"table-{n}")) for n in (2, 3)]
            with pytest.raises(QueueFull):
                await recorder.append(unit("table-4"))
        await asyncio.gather(on_its_way, *waiting)


async def test_held_lock_is_waited_for_a_bounded_time(
    log_url: str, link: Connection, reader: Reader
) -> None:
    async with Recorder(log_url, lock_timeout_s=0.1) as recorder:
        async with link.transaction():
            await link.execute(LOCK)
            with pytest.raises(StoreUnavailable, match="lock timeout"):
                await recorder.append(unit("table-a"))
        assert await reader.stream("table-a") == []
        assert await recorder.append(unit("table-a"))


async def test_locked_table_is_waited_for_a_bounded_time(log_url: str, link: Connection) -> None:
    """A stock writer, or ALTER TABLE, holds the table itself."""
    async with Recorder(log_url, lock_timeout_s=0.1) as recorder:
        async with link.transaction():
            await link.execute("LOCK TABLE stored_events IN EXCLUSIVE MODE")
            with pytest.raises(StoreUnavailable):
                await recorder.append(unit("table-a"))
        assert await recorder.append(unit("table-a"))


async def recorder_pid(link: Connection) -> int:
    pid = await link.fetchval(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'logbuch recorder'"
        " AND datname = current_database()"
    )
    assert isinstance(pid, int)
    return pid


async def test_idle_connection_that_was_killed_is_replaced(
    recorder: Recorder, link: Connection
) -> None:
    await recorder.append(unit("table-a"))
    await link.execute("SELECT pg_terminate_backend($1, 2000)", await recorder_pid(link))

    assert await recorder.append(unit("table-b"))


async def test_append_whose_backend_was_killed_is_stored_once(
    recorder: Recorder, link: Connection, reader: Reader
) -> None:
    await recorder.append(unit("table-a"))
    async with link.transaction():
        await link.execute(LOCK)
        waiting = recorder.submit(unit("table-b"))
        await lock_waiter(link)
        await link.execute("SELECT pg_terminate_backend($1, 2000)", await recorder_pid(link))
    await waiting
    assert len(await reader.stream("table-b")) == 1


async def test_outcome_is_unknown_when_the_database_stays_away(
    log_url: str, link: Connection
) -> None:
    async with Recorder(log_url, settle_s=0.2) as recorder:
        await recorder.append(unit("table-a"))
        async with link.transaction():
            await link.execute(LOCK)
            waiting = recorder.submit(unit("table-b"))
            await lock_waiter(link)
            recorder._url = "postgresql://x@127.0.0.1:1/none"
            await link.execute("SELECT pg_terminate_backend($1, 2000)", await recorder_pid(link))
        with pytest.raises(OutcomeUnknown):
            await waiting


async def lock_waiter(link: Connection) -> None:
    async with asyncio.timeout(10):
        while not await link.fetchval(  # noqa: ASYNC110 - the event is in another process
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        ):
            await asyncio.sleep(0.005)


async def test_outcome_of_a_commit_whose_answer_was_lost_is_found(
    recorder: Recorder, reader: Reader
) -> None:
    """The server commits, and the connection is cut before the answer arrives."""

    class Cut:
        def __init__(self, call: Call) -> None:
            self.call = call

        async def fetchrow(self, *values: object, timeout: float) -> None:
            await self.call.fetchrow(*values, timeout=timeout)
            raise asyncpg.ConnectionDoesNotExistError("cut")

    await recorder.append(unit("table-a"))
    for number in range(5):
        waiting = recorder.submit(unit(f"table-{number}", 2))
        assert recorder._call is not None
        recorder._call = Cut(recorder._call)  # type: ignore[assignment]  # cannot be timed really
        assert await waiting == (2 * number + 2, 2 * number + 3)
        assert len(await reader.stream(f"table-{number}")) == 2


async def test_killing_backends_at_random_leaves_every_answer_true(
    recorder: Recorder, reader: Reader, link: Connection
) -> None:
    rng = random.Random(5)
    answers: dict[str, object] = {}

    async def play(name: str) -> None:
        head, head_hash = 0, b""
        for _ in range(40):
            each = append(name, 1, head, head_hash)
            try:
                await recorder.append(Unit((each,)))
            except StoreUnavailable as error:
                answers[f"{name} {head + 1}"] = error
                assert len(await reader.stream(name)) == head
                continue
            assert each.index is not None
            head, head_hash = head + 1, each.index.head_hash
        events = await reader.stream(name)
        assert [e.originator_version for e in events] == list(range(1, head + 1))

    players = [asyncio.ensure_future(play(f"table-{n}")) for n in range(8)]
    for _ in range(25):
        await asyncio.sleep(rng.random() * 0.1)
        await link.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'logbuch recorder' AND datname = current_database()"
        )
    await asyncio.gather(*players)


async def test_cancelled_callers_break_nothing(recorder: Recorder, reader: Reader) -> None:
    rng = random.Random(7)
    for turn in range(30):
        tasks = [
            asyncio.ensure_future(recorder.append(unit(f"table-{turn}-{n}", 2))) for n in range(8)
        ]
        for _ in range(rng.randrange(6)):
            await asyncio.sleep(0)
        await asyncio.sleep(rng.random() * 0.004)
        for task in tasks[::2]:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)

        for n, outcome in enumerate(outcomes):
            stored = await reader.stream(f"table-{turn}-{n}")
            if n % 2:
                assert not isinstance(outcome, BaseException)
            if isinstance(outcome, tuple):
                assert len(stored) == 2
            else:
                assert len(stored) in (0, 2)


async def test_older_epoch_is_fenced_off(
    recorder: Recorder, reader: Reader, link: Connection
) -> None:
    await link.execute("INSERT INTO partitions VALUES (4, 2, 'me', now())")
    assert await recorder.append(unit("table-a", lease=Lease(4, 2)))

    for lease in (Lease(4, 1), Lease(4, 3), Lease(5, 1)):
        with pytest.raises(NotOwner):
            await recorder.append(unit("table-b", lease=lease))
    assert await reader.stream("table-b") == []


async def test_one_unit_that_cannot_be_stored_harms_no_other(
    recorder: Recorder, reader: Reader
) -> None:
    bad_text = StoredEvent("table-bad", 1, "topic\0", b"{}")
    bad_head = append("table-far")
    assert bad_head.index is not None
    outcomes = await asyncio.gather(
        recorder.append(unit("table-a")),
        recorder.append(Unit((Append("table-bad", 0, (bad_text,), None),))),
        recorder.append(Unit((replace(bad_head, index=bad_head.index._replace(partition=2**40)),))),
        recorder.append(unit("table-b")),
        return_exceptions=True,
    )

    assert isinstance(outcomes[0], tuple)
    assert isinstance(outcomes[3], tuple)
    assert isinstance(outcomes[1], ValueError)
    assert isinstance(outcomes[2], ValueError)
    assert len(await reader.notifications(0)) == 2


async def test_no_database_is_told_at_once() -> None:
    async with Recorder("postgresql://x@127.0.0.1:1/none") as recorder:
        with pytest.raises(StoreUnavailable):
            await recorder.append(unit("table-a"))


async def test_closing_stores_what_waits(log_url: str, reader: Reader) -> None:
    async with Recorder(log_url) as recorder:
        waiting = [recorder.submit(unit(f"table-{n}")) for n in range(20)]
    assert sorted(await asyncio.gather(*waiting)) == [(n,) for n in range(1, 21)]
    with pytest.raises(StoreUnavailable):
        recorder.submit(unit("table-late"))
    assert await reader.max_position() == 20


async def test_index_rows_are_found_by_status_partition_and_wake(
    recorder: Recorder, reader: Reader
) -> None:
    for name, partition, wake_ms, status in (
        ("table-a", 1, 500, "gathering"),
        ("table-b", 1, 300, "playing"),
        ("table-c", 1, None, "finished"),
        ("table-d", 2, 100, "gathering"),
    ):
        each = append(name, partition=partition, wake_ms=wake_ms, status=status)
        await recorder.append(Unit((each,)))

    def names(rows: list[IndexRow]) -> list[str]:
        return [row.stream for row in rows]

    assert names(await reader.awake(1)) == ["table-b", "table-a"]
    assert names(await reader.awake(1, 300)) == ["table-b"]
    assert names(await reader.index_rows(status=["gathering"])) == ["table-a", "table-d"]
    assert names(await reader.index_rows(partition=1, limit=2)) == ["table-a", "table-b"]
    assert names(await reader.index_rows(after="table-b")) == ["table-c", "table-d"]
    whole = {name: len(events) async for name, events in reader.streams(["table-a", "table-d"])}
    assert whole == {"table-a": 1, "table-d": 1}
