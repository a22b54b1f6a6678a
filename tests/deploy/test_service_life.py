"""How a service process lives: settings, log lines, orderly and other ends."""

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import nats
import pytest
import structlog

from deploy.embedded.supervisor import Stack
from services.kit import logging
from services.kit.clock import clock_from, now_ms
from services.kit.credentials import load
from services.kit.settings import Settings, SettingsError, masked
from tests.deploy.conftest import clean_env

SERVICE = """
import sys
from services.kit.settings import Settings
from services.kit.skeleton import run_service

async def main(settings, stop):
    if "{way}" == "raise":
        raise KeyError("Sog 7")
    if "{way}" == "fail":
        stop.fail("the bus connection was closed")
    if "{way}" != "return":
        await stop.wait()

sys.exit(run_service("lobby", main, Settings.load(None)))
"""


async def start(stack: Stack, way: str, **env: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SERVICE.replace("{way}", way),
        stdout=subprocess.PIPE,
        env=clean_env()
        | {"LOGBUCH_DATABASE_URL": stack.database_url, "LOGBUCH_NATS_URL": stack.nats_url}
        | {"LOGBUCH_SECRETS": str(stack.secrets)}
        | env,
    )


async def line(service: asyncio.subprocess.Process, event: str) -> dict[str, object]:
    """The next log line of this event."""
    assert service.stdout is not None
    async with asyncio.timeout(30):
        async for raw in service.stdout:
            said: dict[str, object] = json.loads(raw)
            if said["event"] == event:
                return said
    raise AssertionError(f"the service ended before {event}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_it_answers_on_the_bus_and_stops_in_order(
    stack: Stack, number: signal.Signals
) -> None:
    service = await start(stack, "serve")
    await line(service, "service_started")
    link = await nats.connect(
        stack.nats_url, inbox_prefix=b"_INBOX.ops", **load(stack.secrets).login("ops")
    )
    pong = json.loads((await link.request("$SRV.PING.lobby", timeout=5)).data)
    await link.close()
    assert (pong["name"], pong["version"]) == ("lobby", "0.1.0")

    service.send_signal(number)
    assert (await line(service, "service_stopped"))["reason"] == "asked to"
    assert await service.wait() == 0


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("raise", "an unexpected exception"),
        ("fail", "the bus connection was closed"),
        ("return", "returned without being asked to"),
    ],
)
async def test_what_breaks_ends_the_process_with_1(stack: Stack, way: str, reason: str) -> None:
    service = await start(stack, way)
    assert service.stdout is not None
    out = await service.stdout.read()
    assert await service.wait() == 1
    lines = [json.loads(raw) for raw in out.splitlines()]
    assert lines[-1]["reason"] == reason
    assert b"Sog" not in out


async def test_it_waits_for_the_clusters_and_says_so(stack: Stack) -> None:
    service = await start(stack, "serve", LOGBUCH_NATS_URL="nats://127.0.0.1:1")
    said = await line(service, "waiting")
    assert said["reason"] == "NATS does not answer at nats://127.0.0.1:1"
    service.terminate()
    assert await service.wait() == 0


@pytest.fixture
def out() -> io.StringIO:
    stream = io.StringIO()
    logging.dropped.clear()
    logging.configure("sample", stream)
    return stream


def test_unlisted_keys_are_dropped_and_counted(out: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(table="17-ab", hand=["Sog 7"]):
        structlog.get_logger().info("moved", version=3, card="Sog 7")
    said = json.loads(out.getvalue())
    assert {"event": "moved", "service": "sample", "table": "17-ab", "version": 3}.items() <= (
        said.items()
    )
    assert "Sog" not in out.getvalue()
    assert logging.dropped == {"hand": 1, "card": 1}


def test_an_exception_is_logged_by_type_and_place(out: io.StringIO) -> None:
    hand: dict[str, int] = {}
    try:
        hand["Sog 7"]
    except KeyError:
        structlog.get_logger().exception("broke")
    said = json.loads(out.getvalue())
    assert said["error"] == "KeyError"
    assert "test_an_exception_is_logged_by_type_and_place" in said["exception"]
    assert "Sog" not in out.getvalue()


def test_the_clock_can_be_replaced() -> None:
    with clock_from(lambda: 17):
        assert now_ms() == 17
    assert now_ms() > 1_700_000_000_000


def test_settings_come_from_the_running_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("LOGBUCH_")]:
        monkeypatch.delenv(name)
    with pytest.raises(SettingsError, match="no Logbuch is running in"):
        Settings.load(tmp_path)

    pids = {"up": os.getpid()}
    run = {"database_url": "d", "nats_url": "n", "web_url": "w", "socket_url": "s", "pids": pids}
    (tmp_path / "run.json").write_text(json.dumps(run))
    secrets = tmp_path / "secrets.json"
    settings = Settings.load(tmp_path)
    assert settings == Settings(tmp_path, "d", "n", "w", "s", secrets, pids)
    with pytest.raises(SettingsError, match=r"secrets\.json cannot be read .* LOGBUCH_SECRETS"):
        settings.login("ops")
    secrets.write_text('{"passwords": {"ops": "x"}}')
    assert settings.login("ops") == {"user": "ops", "password": "x"}
    assert "x" not in repr(settings.credentials).replace("***", "")
    with pytest.raises(SettingsError, match="no password for the user 'table'"):
        settings.login("table")

    monkeypatch.setenv("LOGBUCH_NATS_URL", "nats://other")
    monkeypatch.setenv("LOGBUCH_DATA", str(tmp_path))
    assert Settings.load(None).nats_url == "nats://other"


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("postgresql://me:secret@host:1/db", "postgresql://me:***@host:1/db"),
        ("nats://host:4222", "nats://host:4222"),
        ("nats://token@host", "nats://***@host"),
        ("no answer at nats://me:secret@host: why?", "no answer at nats://me:***@host: why?"),
    ],
)
def test_passwords_are_masked(url: str, seen: str) -> None:
    assert masked(url) == seen
