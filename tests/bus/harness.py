"""A NATS server for one folder of tests, and how they wait."""

import asyncio
import signal
import socket
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

from services.kit import nats_bus
from services.kit.bus import NoResponder

BINARY = Path(sysconfig.get_path("scripts")) / "nats-server"


class Server:
    """A nats-server on one port that keeps its data from start to start."""

    def __init__(self, data: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"nats://127.0.0.1:{self.port}"
        self.config = data / "nats.conf"
        self.config.write_text(
            f'listen: "127.0.0.1:{self.port}"\n'
            f'jetstream {{ store_dir: "{data}", sync_interval: always }}\n'
            "accounts { P { jetstream: enabled, users: ["
            " { user: service, password: service }, { user: player, password: player,"
            ' permissions: { publish: ["cmd.p_anna.>"], subscribe: ["_INBOX.p_anna.>"] } } ] } }\n'
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [BINARY, "-c", self.config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    async def say(self, *lines: bytes) -> None:
        """Speak to the server as a client that keeps to no rules; returns when it was heard."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        login = b'CONNECT {"user":"service","pass":"service","headers":true,"verbose":false}\r\n'
        writer.write(login + b"".join(lines) + b"PING\r\n")
        while not (line := await reader.readline()).startswith(b"PONG"):
            assert line.startswith(b"INFO"), line
        writer.close()
        await writer.wait_closed()

    def stop(self) -> None:
        if self._process is not None:
            self.kill()


async def eventually(condition: Callable[[], bool], wait_s: float = 20.0) -> None:
    """Return once the condition holds, looking again and again; for what has no event to await."""
    async with asyncio.timeout(wait_s):
        while not condition():  # noqa: ASYNC110 - a condition of another process
            await asyncio.sleep(0.01)


async def request_until_answered(
    bus: nats_bus.NatsBus, subject: str, data: bytes, wait_s: float = 20.0
) -> bytes:
    """Repeat a request for as long as nobody can have received it."""
    async with asyncio.timeout(wait_s):
        while True:
            try:
                return await bus.request(subject, data, 5)
            except NoResponder:
                await asyncio.sleep(0.02)
