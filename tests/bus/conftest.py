"""A NATS server of this folder's own, which its tests may stop, start and wipe."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest

from services.kit import nats_bus
from tests.bus.harness import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("nats")
    server = Server(data)
    server.start()
    yield server
    server.stop()


Connect = Callable[..., Awaitable[nats_bus.NatsBus]]


@pytest.fixture
async def connect(server: Server) -> AsyncIterator[Connect]:
    """Make clients that are closed after the test."""
    made: list[nats_bus.NatsBus] = []

    async def make(name: str = "service", user: str = "service") -> nats_bus.NatsBus:
        bus = await nats_bus.connect(
            server.url,
            name=name,
            inbox=f"_INBOX.{name}",
            on_closed=lambda: None,
            user=user,
            password=user,
        )
        made.append(bus)
        return bus

    yield make
    for bus in made:
        await bus.close()
