"""The library and our recorder work on the same log."""

from collections.abc import Iterator
from contextlib import ExitStack
from unittest import TestCase
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from eventsourcing.persistence import IntegrityError
from eventsourcing.persistence import StoredEvent as LibraryEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from eventsourcing.tests import persistence as suite

from services.kit.store.facade import SyncRecorder
from services.kit.store.model import Conflict
from services.kit.store.reader import Reader
from services.kit.store.recorder import Recorder
from tests.store.conftest import unit


def ids(_case: TestCase) -> str:
    return str(uuid4())


class OurRecorder(suite.ApplicationRecorderTestCase[SyncRecorder]):
    """The library's own tests, over our recorder."""

    __test__ = False  # run below, with a database
    url = ""
    new_originator_id = ids

    def setUp(self) -> None:
        self.open = ExitStack()
        self.addCleanup(self.open.close)

    def create_recorder(self) -> SyncRecorder:
        return self.open.enter_context(SyncRecorder(self.url))


class OurOrder(suite.NonInterleavingNotificationIDsBaseCase):
    """The same for the order of positions."""

    __test__ = False  # run below, with a database
    url = ""
    new_originator_id = ids
    setUp = OurRecorder.setUp
    create_recorder = OurRecorder.create_recorder


SUITE = [
    *((OurRecorder, name) for name in dir(OurRecorder) if name.startswith("test_")),
    (OurRecorder, "optional_test_insert_subscribe"),
    (OurOrder, "test"),
]


@pytest.mark.parametrize(("case", "name"), SUITE, ids=lambda each: getattr(each, "__name__", each))
def test_suite_of_the_library(
    log_url: str, case: type[TestCase], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(case, "url", log_url)
    result = case(name).run()

    assert result is not None
    assert [text for _, text in [*result.failures, *result.errors]] == []
    assert result.testsRun == 1


@pytest.fixture
def stock(log_url: str) -> Iterator[PostgresApplicationRecorder]:
    where = urlsplit(log_url)
    with PostgresDatastore(
        where.path[1:],
        str(where.hostname),
        str(where.port),
        str(where.username),
        str(where.password),
        originator_id_type="text",
    ) as store:
        recorder = PostgresApplicationRecorder(store)
        recorder.create_table()
        yield recorder


async def test_stock_recorder_reads_what_we_wrote(
    stock: PostgresApplicationRecorder, recorder: Recorder
) -> None:
    ours = unit("table-a", 3)
    positions = await recorder.append(ours)

    rows = [tuple(row) for row in ours.appends[0].rows]
    read = stock.select_events("table-a")
    assert [(e.originator_id, e.originator_version, e.topic, e.state) for e in read] == rows
    told = stock.select_notifications(start=None, limit=10)
    assert tuple(n.id for n in told) == positions
    assert stock.max_notification_id() == positions[-1]


async def test_what_stock_wrote_conflicts_with_ours(
    stock: PostgresApplicationRecorder, recorder: Recorder, reader: Reader
) -> None:
    await recorder.append(unit("table-a", 2))
    stock.insert_events([LibraryEvent("table-a", 3, "t", b"{}")])
    stock.insert_events([LibraryEvent("table-b", 1, "t", b"{}")])

    with pytest.raises(Conflict) as conflict:
        await recorder.append(unit("table-a", 1, head=2))
    assert conflict.value.head == 3
    with pytest.raises(Conflict):
        await recorder.append(unit("table-b"))
    with pytest.raises(IntegrityError):
        stock.insert_events([LibraryEvent("table-a", 2, "t", b"{}")])
    assert [n.id for n in await reader.notifications(0)] == sorted(
        n.id for n in await reader.notifications(0)
    )
    assert len(await reader.notifications(0)) == 4


def test_events_of_two_streams_are_stored_all_or_none(log_url: str) -> None:
    with SyncRecorder(log_url) as ours:
        assert ours.insert_events([]) == []
        ours.insert_events([LibraryEvent("b", 1, "t", b"{}")])
        with pytest.raises(IntegrityError):
            ours.insert_events([LibraryEvent(stream, 1, "t", b"{}") for stream in "ab"])
        assert ours.select_events("a") == []
