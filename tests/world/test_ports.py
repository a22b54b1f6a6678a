"""The world's ports have the functions of the real ones, by name and parameters."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from services.kit.bus import Bus
from services.kit.feed import FeedReader, FeedWriter
from services.kit.nats_bus import NatsBus
from services.kit.nats_feed import NatsFeedReader, NatsFeedWriter
from services.kit.store.leases import Leases
from services.kit.store.news import News
from services.kit.store.projection import Projection
from services.kit.store.reader import Reader
from services.kit.store.recorder import Recorder
from tests.world.bus import WorldBus
from tests.world.feed import WorldFeedReader, WorldFeedWriter
from tests.world.leases import WorldLeases, WorldProjection
from tests.world.store import WorldNews, WorldReader, WorldRecorder


def is_bus(nats: NatsBus, world: WorldBus) -> tuple[Bus, Bus]:
    """Type-check: both are a bus."""
    return nats, world


def is_writer(nats: NatsFeedWriter, world: WorldFeedWriter) -> tuple[FeedWriter, FeedWriter]:
    """Type-check: both write the feed."""
    return nats, world


def is_reader(nats: NatsFeedReader, world: WorldFeedReader) -> tuple[FeedReader, FeedReader]:
    """Type-check: both read the feed."""
    return nats, world


def functions(of: type) -> dict[str, Callable[..., Any]]:
    return {
        name: function
        for name, function in inspect.getmembers(of, inspect.isfunction)
        if not name.startswith("_") or name in ("__aenter__", "__aexit__")
    }


@pytest.mark.parametrize(
    ("real", "twin"),
    [
        (Bus, WorldBus),
        (Bus, NatsBus),
        (FeedWriter, WorldFeedWriter),
        (FeedReader, WorldFeedReader),
        (Recorder, WorldRecorder),
        (Reader, WorldReader),
        (News, WorldNews),
        (Leases, WorldLeases),
        (Projection, WorldProjection),
    ],
)
def test_a_twin_takes_what_the_real_one_takes(real: type, twin: type) -> None:
    had = functions(twin)

    for name, function in functions(real).items():
        wanted = inspect.signature(function).parameters.values()
        given = inspect.signature(had[name]).parameters.values()
        assert [(p.name, p.kind, p.default) for p in given] == [
            (p.name, p.kind, p.default) for p in wanted
        ], name
        assert inspect.iscoroutinefunction(had[name]) == inspect.iscoroutinefunction(function)
