"""The whole system as an operator starts it, with the program's own commands."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

UP = "Logbuch is up"


class System:
    """One `logbuch up` and what can be done to it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._up: subprocess.Popen[str] | None = None
        self._others: list[subprocess.Popen[str]] = []

    def start(self) -> None:
        self._up = self._popen("up", "--port", str(self.port))
        assert self._up.stdout is not None
        too_late = threading.Timer(60, self._up.kill)
        too_late.start()
        said = []
        for line in self._up.stdout:
            said.append(line)
            if UP in line:
                too_late.cancel()
                return
        raise AssertionError("not up: " + "".join(said))

    def stop(self) -> None:
        for other in self._others:
            other.send_signal(signal.SIGCONT)
            other.terminate()
            other.wait(20)
        self._others.clear()
        if self._up is not None:
            self._up.terminate()
            assert self._up.wait(60) == 0
            self._up = None

    def service(self, name: str) -> "subprocess.Popen[str]":
        """Start one more process of a service."""
        process = self._popen("service", name)
        self._others.append(process)
        return process

    def pid(self, name: str) -> int:
        run = json.loads((self.data / "run.json").read_text())
        return int(run["pids"][name])

    def run(self, *words: str, timeout: float = 120) -> Any:
        """Run a command to its end and give its JSON; any exit code but 0 fails the test."""
        done = self.attempt(*words, timeout=timeout)
        assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout)

    def attempt(self, *words: str, timeout: float = 120) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self._argv(*words, "--json"),
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
            env=clean_env(),
        )

    def begin(self, *words: str) -> "subprocess.Popen[str]":
        """Begin a command with JSON output; `finish` gives what it said."""
        return self._popen(*words, "--json")

    def _argv(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "services", *words, "--data", str(self.data)]

    def _popen(self, *words: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self._argv(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=clean_env(),
        )


def finish(process: "subprocess.Popen[str]", timeout: float = 180) -> Any:
    said, _ = process.communicate(timeout=timeout)
    assert process.returncode == 0, said
    return json.loads(said)


def wait_until(what: str, holds: Callable[[], bool], within_s: float = 30) -> None:
    until = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < until, f"{what}: not within {within_s} s"
        time.sleep(0.1)


def clean_env() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not re.match("LOGBUCH_", key)}


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    above = Path(tempfile.mkdtemp(prefix="logbuch-test-"))
    above.chmod(0o711)
    running = System(above / "data")
    running.start()
    yield running
    running.stop()
    shutil.rmtree(above, ignore_errors=True)
