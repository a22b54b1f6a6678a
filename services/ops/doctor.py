"""`logbuch doctor`: what is wrong with this installation and how to mend it.

Every check is made, whatever the others found; a failing one says what to do.
"""

import argparse
import asyncio
import json
import os
import platform
import re
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

import asyncpg
from nats.errors import Error as NatsError

from contracts.subjects import inbox
from deploy.embedded.account import unprivileged
from deploy.embedded.datadir import FREE_BYTES_MIN, is_free, kept_ports, why_not_ours
from deploy.embedded.nats import monitor, stores_durably
from services.kit import nats_bus
from services.kit.bus import BusError
from services.kit.settings import NATS_URL, Settings, SettingsError, data_dir, masked
from services.ops.service import SERVICES
from services.ops.up import PORT
from services.ops.web import readiness

PYTHON_MIN: Final = (3, 11)
_PING_S = 2.0


class Check(NamedTuple):
    """One finding: `detail` says what was seen or, when not ok, how to mend it."""

    name: str
    ok: bool
    detail: str


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare no arguments beyond those of every command."""


async def run(args: argparse.Namespace, _settings: Settings | None) -> int:
    """Print all findings; returns 1 when one is not ok."""
    place = data_dir(args.data)
    checks = [_python(), _wheels(), _data(place), _disk(place)]
    settings: Settings | None = None
    try:
        settings = Settings.load(args.data)
    except SettingsError as error:
        checks += [_port_free(), Check("running", ok=False, detail=str(error))]
    else:
        checks += [check async for check in _system(settings)]
    if args.json:
        _print_json(settings, checks)
    else:
        _print_text(settings, checks)
    return 0 if all(check.ok for check in checks) else 1


async def _system(settings: Settings) -> AsyncIterator[Check]:
    async for check in _database(settings):
        yield check
    async for check in _bus(settings):
        yield check
    if settings.web_url:
        yield await _web(settings.web_url)


async def _web(web_url: str) -> Check:
    checks = await readiness(web_url)
    lacking = ", ".join(name for name, works in checks.items() if not works)
    mend = f"no {lacking}: see logs/gateway.log in the data directory"
    return Check("web", not lacking, mend if lacking else "people can log in and connect")


def _python() -> Check:
    ok = sys.version_info >= PYTHON_MIN
    mend = "" if ok else ": install python3.11 or newer, then `make clean setup`"
    return Check("python", ok, f"{platform.python_version()} in {sys.prefix}{mend}")


def _wheels() -> Check:
    found, lost = [], []
    for line in requires("logbuch") or ():
        match = re.match(r"[\w.-]+", line)
        name = match.group() if match else line
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            lost.append(name)
    if lost:
        return Check("wheels", ok=False, detail=f"{', '.join(lost)} missing: run `make setup`")
    return Check("wheels", ok=True, detail=", ".join(found))


def _data(place: Path) -> Check:
    there = _nearest(place)
    with suppress(OSError):  # then it is not writable either
        if reason := why_not_ours(place):
            return Check("data directory", ok=False, detail=reason)
    if not os.access(there, os.W_OK | os.X_OK) or not there.is_dir():
        mend = "give it to the user who runs this, or choose another with --data"
        return Check("data directory", ok=False, detail=f"{there} is not writable: {mend}")
    account = unprivileged()
    if account is not None and (shut := account.barrier(there)):
        mend = f"{account.name}, who runs PostgreSQL, cannot enter {shut}: choose another --data"
        return Check("data directory", ok=False, detail=mend)
    return Check("data directory", ok=True, detail=str(place))


def _disk(place: Path) -> Check:
    free = shutil.disk_usage(_nearest(place)).free
    ok = free >= FREE_BYTES_MIN
    mend = "" if ok else f", {FREE_BYTES_MIN // 2**20} MB needed: make room"
    return Check("disk", ok, f"{free // 2**20} MB free{mend}")


def _nearest(place: Path) -> Path:
    """The directory itself, or the nearest one above it that exists."""
    return next(path for path in (place, *place.parents) if path.exists())


def _port_free() -> Check:
    ok = is_free(PORT)
    mend = "free" if ok else "taken by another program: choose another with `up --port`"
    return Check("port", ok, f"{PORT} is {mend}")


async def _database(settings: Settings) -> AsyncIterator[Check]:
    try:
        link = await asyncpg.connect(settings.database_url, timeout=5)
    except (OSError, TimeoutError, ValueError, asyncpg.PostgresError) as error:
        mend = "see logs/postgres.log in the data directory, or check LOGBUCH_DATABASE_URL"
        yield Check("postgresql", ok=False, detail=f"no connection ({_short(error)}): {mend}")
        return
    try:
        yield Check("postgresql", ok=True, detail=await link.fetchval("SHOW server_version"))
        for name in ("fsync", "synchronous_commit"):
            value = await link.fetchval(f"SHOW {name}")
            mend = "" if value != "off" else ": set it to on, acknowledged moves can be lost"
            yield Check(name, value != "off", f"{value}{mend}")
        yield await _schema(link)
    finally:
        await link.close()


async def _schema(link: "asyncpg.Connection[asyncpg.Record]") -> Check:
    known = {file.name for file in (files("deploy") / "migrations").iterdir()}
    known = {name for name in known if name.endswith(".sql")}
    try:
        applied = {row["name"] for row in await link.fetch("SELECT name FROM schema_migrations")}
    except asyncpg.UndefinedTableError:
        applied = set()
    if lacking := sorted(known - applied):
        mend = f"{', '.join(lacking)} not applied: restart `logbuch up` or any service"
        return Check("schema", ok=False, detail=mend)
    if strange := sorted(applied - known):
        mend = f"{', '.join(strange)} unknown here: take the newer release of Logbuch"
        return Check("schema", ok=False, detail=mend)
    return Check("schema", ok=True, detail=f"{len(known)} migrations")


async def _bus(settings: Settings) -> AsyncIterator[Check]:
    try:
        login = settings.login("ops")
    except SettingsError as error:
        yield Check("nats", ok=False, detail=str(error))
        return
    try:
        bus = await nats_bus.connect(
            settings.nats_url, "doctor", inbox("ops"), lambda: None, wait_s=2.0, **login
        )
    except BusError as error:
        mend = "see logs/nats.log in the data directory, or check LOGBUCH_NATS_URL"
        yield Check("nats", ok=False, detail=f"{_short(error)}: {mend}")
        return
    try:
        seen = bus.client.connected_server_version
        yield Check("nats", ok=True, detail=f"{seen.major}.{seen.minor}.{seen.patch}")
        yield await _jetstream(bus)
        yield await _durable(settings)
        for check in await asyncio.gather(*(_service(bus, name) for name in SERVICES)):
            yield check
    finally:
        await bus.close()


async def _jetstream(bus: nats_bus.NatsBus) -> Check:
    try:
        account = await bus.client.jetstream().account_info()
    except (NatsError, TimeoutError) as error:
        mend = "switch it on in the server's configuration"
        return Check("jetstream", ok=False, detail=f"no answer ({_short(error)}): {mend}")
    return Check("jetstream", ok=True, detail=f"{account.streams} streams")


async def _durable(settings: Settings) -> Check:
    if os.environ.get(NATS_URL):
        return Check("sync_always", ok=True, detail="not visible here: the cluster's own matter")
    page = await monitor(kept_ports(settings.data).get("nats_http", 0), "varz")
    if page is not None and stores_durably(page):
        return Check("sync_always", ok=True, detail="on")
    mend = "off: set `sync_interval: always` in deploy/nats.conf and restart `logbuch up`"
    return Check("sync_always", ok=False, detail=mend)


async def _service(bus: nats_bus.NatsBus, name: str) -> Check:
    try:
        info = json.loads(await bus.request(f"$SRV.PING.{name}", b"", _PING_S))
    except BusError:
        mend = f"no answer: see logs/{name}.log, or start `logbuch service {name}`"
        return Check(name, ok=False, detail=mend)
    return Check(name, ok=True, detail=f"answers, version {info.get('version', '?')}")


def _short(error: BaseException) -> str:
    return masked(" ".join(str(error).split())) or type(error).__name__


def _print_json(settings: Settings | None, checks: list[Check]) -> None:
    report = {
        "database_url": settings and settings.database_url,
        "nats_url": settings and settings.nats_url,
        "web_url": settings and settings.web_url,
        "socket_url": settings and settings.socket_url,
        "checks": [check._asdict() for check in checks],
    }
    print(json.dumps(report, indent=1, ensure_ascii=False))


def _print_text(settings: Settings | None, checks: list[Check]) -> None:
    if settings is not None:
        for name, url in (
            ("database", settings.database_url),
            ("bus", settings.nats_url),
            ("web", settings.web_url),
            ("clients", settings.socket_url),
        ):
            print(f"      {name:<19} {masked(url) if url else 'none'}")
    for check in checks:
        print(f"{'ok  ' if check.ok else 'BAD '}  {check.name:<19} {check.detail}")
