"""`logbuch up`: PostgreSQL, NATS and the services, started in order and kept running."""

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Coroutine
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from contracts.subjects import inbox
from deploy.embedded.datadir import DataDir, is_free
from deploy.embedded.errors import StackError
from deploy.embedded.nats import Nats
from deploy.embedded.postgres import Postgres
from deploy.embedded.process import Child, Program
from deploy.embedded.supervisor import Say, Step, Supervisor
from services.kit import nats_bus
from services.kit.bus import BusError
from services.kit.settings import (
    DATA,
    DATABASE_URL,
    HTTP,
    NATS_URL,
    SECRETS,
    SOCKET_URL,
    WEB_URL,
    Settings,
    configured,
    data_dir,
    masked,
    secrets_file,
)
from services.kit.store.migrate import migrate
from services.ops.service import GATEWAY, SERVICES
from services.ops.web import readiness

PORT: Final = 8080
_READY_MAX_S = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "--port", type=_port, default=PORT, help=f"where players find it, by HTTP ({PORT})"
    )


def run(args: argparse.Namespace, _settings: Settings | None) -> int:
    """Run everything until SIGTERM or Ctrl-C; returns the exit code.

    Raises StackError when something cannot be started; what was started before is stopped.
    """
    return asyncio.run(_up(data_dir(args.data), args.port, _lines(as_json=args.json), args.json))


async def _up(path: Path, port: int, say: Say, as_json: bool) -> int:  # noqa: FBT001
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    data = DataDir(path)
    try:
        say("data", "opened", str(path))
        plan, where = await asyncio.to_thread(_plan, data, port)
        supervisor = Supervisor(data, where, say)
        try:
            if await _before(stop, supervisor.bring_up(plan)):
                _greet(path, where, as_json=as_json)
                await stop.wait()
        finally:
            await supervisor.bring_down()
    finally:
        data.close()
    return 0


async def _before(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> bool:
    """True when the work was done before the stop, False when it was broken off by it."""
    doing, stopped = asyncio.create_task(work), asyncio.create_task(stop.wait())
    await asyncio.wait([doing, stopped], return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if doing.done():
        await doing
        return True
    doing.cancel()
    await asyncio.wait([doing])
    return False


def _plan(data: DataDir, port: int) -> tuple[list[Program | Step], dict[str, str | None]]:
    """What to start, and the addresses that every other command needs."""
    plan: list[Program | Step] = []
    database_url, nats_url = configured()
    socket_url, secrets = os.environ.get(SOCKET_URL), secrets_file(data.path)
    if not is_free(port):  # first, because it is the likelier trouble and costs nothing
        raise StackError(f"port {port} is taken by another program: choose another with --port")
    if not nats_url:
        nats = Nats(data)
        nats_url, socket_url, secrets = nats.url, nats.socket_url, nats.secrets
        plan.append(nats.program())
    if not database_url:
        postgres = Postgres(data)
        database_url = postgres.url
        plan.insert(0, postgres.program())
    url = database_url
    where = {
        "database_url": database_url,
        "nats_url": nats_url,
        "web_url": f"http://127.0.0.1:{port}",
        "socket_url": socket_url,
        "secrets": str(secrets),
    }

    async def bring_schema_up_to_date() -> str:
        names = await migrate(url)
        return ", ".join(names) if names else "up to date"

    plan.append(Step("schema", bring_schema_up_to_date))
    env = {
        DATABASE_URL: database_url,
        NATS_URL: nats_url,
        SECRETS: str(secrets),
        WEB_URL: os.environ.get(WEB_URL) or where["web_url"] or "",
        SOCKET_URL: socket_url or "",
        HTTP: f"127.0.0.1:{port}",
        DATA: str(data.path),
        "PYTHONUNBUFFERED": "1",
    }
    settings = Settings(data.path, database_url, nats_url, where["web_url"], secrets=secrets)
    settings.login("ops")  # better now than when the services fail
    plan += [_service(data, name, env, settings) for name in SERVICES]
    return plan, where


def _service(data: DataDir, name: str, env: dict[str, str], settings: Settings) -> Program:
    async def ready(child: Child) -> None:
        await _answers(child, settings)
        if name == GATEWAY:
            await _lets_in(child, settings)

    return Program(
        name=name,
        argv=(sys.executable, "-m", "services", "service", name),
        log=data.log(name),
        stop_s=20.0,  # more than a service takes to drain
        env=env,
        ready=ready,
    )


async def _answers(child: Child, settings: Settings) -> None:
    """Return when the service answers on the bus; raises StackError when it will not."""
    name = child.program.name
    try:
        async with asyncio.timeout(_READY_MAX_S):
            bus = await nats_bus.connect(
                settings.nats_url, "up", inbox("ops"), lambda: None, **settings.login("ops")
            )
            try:
                while not await _pong(bus, name):
                    if child.exited:
                        raise StackError(f"{name} ended at its start: see {child.program.log}")
                    await asyncio.sleep(0.05)
            finally:
                await bus.close()
    except (TimeoutError, BusError):
        raise StackError(f"{name} does not answer: see {child.program.log}") from None


async def _lets_in(child: Child, settings: Settings) -> None:
    """Return when people can log in; raises StackError when they cannot."""
    try:
        async with asyncio.timeout(_READY_MAX_S):
            while not all((await readiness(settings.web_url or "")).values()):
                if child.exited:
                    raise StackError(f"the gateway ended at its start: see {child.program.log}")
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise StackError(f"the gateway lets nobody in: see {child.program.log}") from None


async def _pong(bus: nats_bus.NatsBus, name: str) -> bool:
    try:
        await bus.request(f"$SRV.PING.{name}", b"", 1.0)
    except BusError:
        return False
    return True


def _lines(*, as_json: bool) -> Say:
    """How events are told: aligned for people, or a JSON object a line."""

    def for_people(name: str, event: str, detail: str) -> None:
        now = datetime.now().astimezone().strftime("%H:%M:%S")
        print(f"{now}  {name:<9} {event:<8} {detail}", flush=True)

    def for_machines(name: str, event: str, detail: str) -> None:
        print(json.dumps({"program": name, "event": event, "detail": detail}), flush=True)

    return for_machines if as_json else for_people


def _greet(path: Path, where: dict[str, str | None], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"event": "up", **where}), flush=True)
        return
    here = "" if path == data_dir(None) else f" --data {path}"
    clients = where["socket_url"] or masked(where["nats_url"] or "")
    print(
        f"\nLogbuch is up at {where['web_url']}; clients get tickets there and connect to {clients}\n"
        "Try it in a second terminal:\n"
        f"  {_program()} simulate --game speeddive --tables 50 --seats 4 --seed 7{here}\n"
        f"Data is kept in {path}; Ctrl-C stops everything and loses nothing.\n",
        flush=True,
    )


def _program() -> str:
    called = Path(sys.argv[0]).absolute()
    here = Path.cwd()
    return str(called.relative_to(here) if called.is_relative_to(here) else called)


def _port(word: str) -> int:
    if not word.isdecimal() or not 0 < int(word) < 2**16:
        raise argparse.ArgumentTypeError(f"{word!r} is no port number (1 to 65535)")
    return int(word)
