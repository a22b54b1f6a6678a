"""How every service process runs: wait for the clusters, serve, drain, exit.

The process ends with 0 after an orderly stop and with 1 when something broke. It never tries to
live on with a closed bus connection or an unexpected exception: whoever supervises it starts a new
one, and everything that counts is in the log.
"""

import asyncio
import gc
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib import metadata
from typing import Any, Final, NamedTuple

import structlog
import uvloop

from contracts.subjects import inbox
from services.kit import logging, nats_bus
from services.kit.bus import BusError
from services.kit.settings import Settings, masked

WAIT_LOG_S: Final = 5.0
"""Seconds between two lines that say what is being waited for."""
GC_THRESHOLD: Final = (50_000, 20, 50)
"""States and facts are trees of untracked structs: the collector has little to find, so it may
look seldom (Python's own thresholds cost the table service a tenth of its time)."""
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


class Need(NamedTuple):
    """A cluster that a service cannot start without; `reach` tells whether it answers now."""

    what: str
    url: str
    reach: Callable[[str], Awaitable[bool]]


def run_service(name: str, main: Main, settings: Settings, needs: Sequence[Need] = ()) -> int:
    """Run a service until SIGTERM, SIGINT or a failure; returns the exit code of the process.

    NATS and `needs` are waited for first. `main` serves until its event is set and then finishes
    what it has begun, within DRAIN_S.
    """
    logging.configure(name)
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLD)
    reach_bus = partial(_reach_bus, name, settings.login(name))
    everything = (*needs, Need("NATS", settings.nats_url, reach_bus))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_serve(name, main, settings, everything))


async def _serve(name: str, main: Main, settings: Settings, needs: Sequence[Need]) -> int:
    stop = Stop()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, _stopped_by, stop, number)
    log.info("service_starting", pid=os.getpid())
    living = asyncio.create_task(_live(name, main, settings, stop, needs))
    await _first(living, stop)
    await _drain(living, stop)
    log.info("service_stopped", reason=stop.failed or "asked to")
    return 1 if stop.failed else 0


async def _live(
    name: str, main: Main, settings: Settings, stop: Stop, needs: Sequence[Need]
) -> None:
    for need in needs:
        if not await _reached(need, stop):
            return
    async with _control(name, settings, stop):
        log.info("service_started", pid=os.getpid())
        await main(settings, stop)


async def _first(task: "asyncio.Task[None]", stop: Stop) -> None:
    """Return when the task ended or the service was told to stop; that cancels nothing."""
    stopped = asyncio.create_task(stop.wait())
    either: list[asyncio.Future[Any]] = [task, stopped]
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()


async def _drain(living: "asyncio.Task[None]", stop: Stop) -> None:
    """Let the service finish within bounds; say what broke."""
    if not stop.is_set() and living.done() and living.exception() is None:
        stop.fail("returned without being asked to")
    done, _ = await asyncio.wait([living], timeout=DRAIN_S)
    if not done:
        stop.fail("not drained in time")
        living.cancel()
        await asyncio.wait([living], timeout=1.0)
    elif not living.cancelled() and (error := living.exception()) is not None:
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
        inbox=inbox(name),
        on_closed=lambda: stop.fail("the bus connection was closed"),
        **settings.login(name),
    )
    try:
        await bus.register_service(name, metadata.version("logbuch"))
        yield
    finally:
        await bus.close()


async def _reached(need: Need, stop: Stop) -> bool:
    """True when the cluster answers, False when the service was stopped before.

    One line every WAIT_LOG_S says what is being waited for.
    """
    loop = asyncio.get_running_loop()
    begun, said = loop.time(), float("-inf")
    while not stop.is_set():
        if await need.reach(need.url):
            return True
        if loop.time() - said >= WAIT_LOG_S:
            said = loop.time()
            log.warning(
                "waiting",
                reason=f"{need.what} does not answer at {masked(need.url)}",
                wait_s=round(loop.time() - begun),
            )
        await asyncio.sleep(0.2)
    return False


async def _reach_bus(name: str, login: dict[str, str], url: str) -> bool:
    try:
        bus = await nats_bus.connect(
            url, f"{name}-probe", inbox(name), lambda: None, wait_s=1.0, **login
        )
    except BusError as error:
        if "authorization" in str(error).lower():
            log.error("bus_login_refused", reason="the bus does not know this user and password")  # noqa: TRY400
        return False
    await bus.close()
    return True
