"""The real PostgreSQL and NATS for every test that wants them, started once per run."""

import itertools
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest
import pytest_asyncio
from psycopg import sql

from deploy.embedded.supervisor import Stack, running_stack
from services.kit.store.database import Database
from services.kit.store.migrate import migrate
from services.kit.store.reader import Reader
from services.kit.store.recorder import Recorder
from tests.entrance import Entrance, config_with_master, doorkeeping

_databases = itertools.count(1)


@pytest.fixture(scope="session")
def stack_dir() -> Iterator[Path]:
    """A data directory that the unprivileged PostgreSQL can enter, unlike pytest's own."""
    path = Path(tempfile.mkdtemp(prefix="logbuch-test-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def stack(stack_dir: Path) -> AsyncIterator[Stack]:
    """PostgreSQL and NATS of this test run; they die with it, however it ends."""
    config = config_with_master(stack_dir)
    async with running_stack(stack_dir / "data", config=config) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def doorkeeper(stack: Stack) -> AsyncIterator[None]:
    """Somebody who lets players in to the bus, for one module: the gateway's tests have another."""
    async with doorkeeping(stack):
        yield


@pytest.fixture
async def entrance(stack: Stack, doorkeeper: None) -> AsyncIterator[Entrance]:  # noqa: ARG001
    """Make connections to the bus, closed after the test."""
    entrance = Entrance(stack)
    yield entrance
    await entrance.close()


@pytest.fixture(scope="session")
def nats_url(stack: Stack) -> str:
    return stack.nats_url


@pytest.fixture
def database_url(stack: Stack) -> Iterator[str]:
    """An empty database for one test."""
    yield from fresh_database(stack)


@pytest.fixture
async def log_url(database_url: str) -> str:
    """A database with our schema and an empty log."""
    await migrate(database_url)
    return database_url


@pytest.fixture
async def recorder(log_url: str) -> AsyncIterator[Recorder]:
    async with Recorder(log_url) as recorder:
        yield recorder


@pytest.fixture
async def reader(log_url: str) -> AsyncIterator[Reader]:
    async with Database(log_url) as database:
        yield Reader(database)


@pytest.fixture(scope="module")
def module_database_url(stack: Stack) -> Iterator[str]:
    """An empty database for the tests of one module."""
    yield from fresh_database(stack)


def fresh_database(stack: Stack) -> Iterator[str]:
    name = f"test_{next(_databases)}"
    with psycopg.connect(stack.database_url, autocommit=True) as link:
        link.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    yield stack.database_url.rpartition("/")[0] + f"/{name}"
    with psycopg.connect(stack.database_url, autocommit=True) as link:
        link.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
