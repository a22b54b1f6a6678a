"""How every service process runs: wait for the clusters, serve, drain, exit.

The process ends with 0 after an orderly stop and with 1 when something broke. It never tries to
live on with a closed bus connection or an unexpected exception: whoever supervises it starts a new
one, and everything that counts is in the log.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from importlib import metadata
from typing import Any, Final

import asyncpg
import structlog
import uvloop

from services.kit import logging, nats_bus
from services.kit.bus import BusError
from services.kit.settings import Settings, masked

WAIT_LOG_S: Final = 5.0
"""Seconds between two lines that say what is being waited for."""
DRAIN_S: Final = 10.0
"""Seconds that a service may take to finish what it has begun."""

log = structlog.get_logger(__name__)


class Stop(asyncio.Event):
    """Set when the service shall finish what it has begun and return.

    `fail` sets it because something broke: the process then ends with exit code 1.
    """

    failed: str = ""

    def fail(self, reason: str) -> None:
        """Stop because of `reason` (a constant, never the text of an exception)."""
        self.failed = self.failed or reason
        self.set()


Main = Callable[[Settings, Stop], Awaitable[None]]


def run_service(name: str, main: Main, settings: Settings) -> int:
    """Run a service until SIGTERM, SIGINT or a failure; returns the exit code of the process.

    `main` serves until its event is set and then finishes what it has begun, within DRAIN_S.
    """
    logging.configure(name)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_serve(name, main, settings))


async def _serve(name: str, main: Main, settings: Settings) -> int:
    stop = Stop()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _stopped_by, stop, number)
    log.info("service_starting", pid=os.getpid())
    clusters_up = asyncio.create_task(_wait_for_clusters(settings))
    if not await _first(clusters_up, stop):
        return 0
    clusters_up.result()
    async with _control(name, settings, stop):
        log.info("service_started", pid=os.getpid())
        serving = asyncio.ensure_future(main(settings, stop))
        await _first(serving, stop)
        await _drain(serving, stop)
    log.info("service_stopped", reason=stop.failed or "asked to")
    return 1 if stop.failed else 0


async def _first(task: "asyncio.Future[None]", stop: Stop) -> bool:
    """True when the task ended, False when the service was stopped before; that cancels nothing."""
    stopped = asyncio.create_task(stop.wait())
    either: list[asyncio.Future[Any]] = [task, stopped]
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    return task.done()


async def _drain(serving: "asyncio.Future[None]", stop: Stop) -> None:
    """Let the service finish within bounds; say what broke."""
    if not stop.is_set() and serving.done() and serving.exception() is None:
        stop.fail("returned without being asked to")
    done, _ = await asyncio.wait([serving], timeout=DRAIN_S)
    if not done:
        stop.fail("not drained in time")
        serving.cancel()
        await asyncio.wait([serving], timeout=1.0)
    elif not serving.cancelled() and (error := serving.exception()) is not None:
        log.error("service_failed", exc_info=error)
        stop.fail("an unexpected exception")


def _stopped_by(stop: Stop, number: signal.Signals) -> None:
    log.info("service_stopping", signal=number.name)
    stop.set()


@asynccontextmanager
async def _control(name: str, settings: Settings, stop: Stop) -> AsyncIterator[None]:
    """A connection beside the service's own: it answers `$SRV.PING` and notices a lost bus."""
    bus = await nats_bus.connect(
        settings.nats_url,
        name=f"{name}-control",
        inbox=f"_INBOX_{name}_control",
        on_closed=lambda: stop.fail("the bus connection was closed"),
    )
    try:
        await bus.register_service(name, metadata.version("logbuch"))
        yield
    finally:
        await bus.close()


async def _wait_for_clusters(settings: Settings) -> None:
    """Return when PostgreSQL and NATS both take connections; one line every WAIT_LOG_S till then."""
    await _wait_for("PostgreSQL", settings.database_url, _reach_database)
    await _wait_for("NATS", settings.nats_url, _reach_bus)


async def _wait_for(what: str, url: str, reach: Callable[[str], Awaitable[None]]) -> None:
    loop = asyncio.get_running_loop()
    begun, said = loop.time(), float("-inf")
    while True:
        try:
            await reach(url)
        except (OSError, TimeoutError, asyncpg.PostgresError, BusError) as error:
            if loop.time() - said >= WAIT_LOG_S:
                said = loop.time()
                log.warning(
                    "waiting",
                    reason=f"{what} does not answer at {masked(url)}",
                    error=type(error).__name__,
                    wait_s=round(loop.time() - begun),
                )
            await asyncio.sleep(0.2)
        else:
            return


async def _reach_database(url: str) -> None:
    link = await asyncpg.connect(url, timeout=5)
    with suppress(TimeoutError):
        await link.close(timeout=5)


async def _reach_bus(url: str) -> None:
    bus = await nats_bus.connect(url, "probe", "_INBOX_probe", lambda: None, wait_s=1.0)
    await bus.close()
