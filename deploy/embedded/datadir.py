"""The data directory: everything that an installation keeps, and who may use it now.

* `lock` is held by the running `up`; its text is that process's id
* `run.json` says where the running system is (secret: it holds the database password)
* `ports.json` has the ports, chosen once and kept, so that addresses survive restarts
* `secrets.json` has passwords and keys, see `deploy.embedded.secrets`
* `logs/` has one file per program
* `postgres/` and `nats/` are the data
"""

import errno
import fcntl
import json
import os
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deploy.embedded.errors import StackError

FREE_BYTES_MIN = 256 * 1024 * 1024
LOG_BYTES_MAX = 32 * 1024 * 1024
_OWN = frozenset({"lock", "ports.json", "postgres", "nats"})
"""Any of these tells that a directory is an installation's, whatever else lies in it."""
_HARMLESS = frozenset({"logs", "lost+found"})
"""What a first start that was cut short may have left, and what a fresh disk has."""


class DataDir:
    """A data directory that this process alone uses until `close`."""

    def __init__(self, path: Path) -> None:
        """Make and lock `path`.

        Raises StackError: not a directory of ours, not writable, too little space, or another
        `up` uses it.
        """
        self.path = path.absolute()
        try:
            if reason := why_not_ours(self.path):
                raise StackError(reason)
            # An unprivileged PostgreSQL must be able to walk through, but not to list.
            self.path.mkdir(parents=True, exist_ok=True, mode=0o711)
            self.logs = self._folder("logs")
            self._lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StackError(why_not_writable(self.path, error)) from error
        self._take_lock()
        try:
            self._check_space()
        except StackError:
            self.close()
            raise

    def _folder(self, name: str) -> Path:
        folder = self.path / name
        folder.mkdir(exist_ok=True, mode=0o700)
        return folder

    def _take_lock(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(self._lock, 32, 0).decode().strip()
            os.close(self._lock)
            raise StackError(
                f"a Logbuch is running in {self.path} already (process {owner}): "
                "use that one, or choose another directory with --data"
            ) from None
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, str(os.getpid()).encode(), 0)

    def _check_space(self) -> None:
        free = shutil.disk_usage(self.path).free
        if free < FREE_BYTES_MIN:
            raise StackError(
                f"the disk of {self.path} is full ({free // 2**20} MB free, "
                f"{FREE_BYTES_MIN // 2**20} MB needed): make room, "
                "or choose another directory with --data"
            )

    def write(self, name: str, text: str) -> None:
        """Replace a small file at once, readable by its owner alone; StackError when it fails."""
        fresh = self.path / f".{name}.new"
        try:
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
                f.write(text)
            fresh.replace(self.path / name)
        except OSError as error:
            raise StackError(why_not_writable(self.path, error)) from error

    def port(self, name: str) -> int:
        """The port kept for `name`; another free one when somebody else took it meanwhile."""
        ports = kept_ports(self.path)
        if name not in ports or not is_free(ports[name]):
            ports[name] = free_port()
            self.write("ports.json", json.dumps(ports))
        return ports[name]

    def log(self, name: str) -> Path:
        """The log file of a program; an overlong one is put aside first, so two are kept."""
        path = self.logs / f"{name}.log"
        if path.exists() and path.stat().st_size > LOG_BYTES_MAX:
            path.replace(path.with_suffix(".log.1"))
        return path

    def announce(self, run: Mapping[str, Any]) -> None:
        """Write where the running system is, for every other command."""
        self.write("run.json", json.dumps(run, indent=1) + "\n")

    def close(self) -> None:
        """Withdraw the announcement and let others use the directory."""
        (self.path / "run.json").unlink(missing_ok=True)
        os.close(self._lock)


def why_not_ours(path: Path) -> str | None:
    """One line when data must not be put into `path`, because something else is there; else None.

    Raises OSError when it cannot be looked into.
    """
    mend = "choose another directory with --data"
    if path.is_file():
        return f"{path} is a file, no directory: {mend}"
    if not path.is_dir():
        return None
    names = {each.name for each in path.iterdir()}
    if names & _OWN or names <= _HARMLESS:
        return None
    strange = min(names - _HARMLESS)
    return f"{path} holds other things ({strange!r} for one) and no data of Logbuch: {mend}"


def kept_ports(path: Path) -> dict[str, int]:
    """The ports of a data directory by name, empty when it has none yet."""
    try:
        ports: dict[str, int] = json.loads((path / "ports.json").read_text())
    except (OSError, ValueError):  # chosen again
        return {}
    return ports


def why_not_writable(path: Path, error: OSError) -> str:
    """One line for a failed write below `path`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of {path} is full: make room, or choose another directory with --data"
    return (
        f"the data directory {path} is not writable ({error.strerror}): "
        "give it to the user who runs this, or choose another directory with --data"
    )


def is_free(port: int) -> bool:
    """Tell whether a server could listen on this port of the loopback address now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port of the loopback address that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
