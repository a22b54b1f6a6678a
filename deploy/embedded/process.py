"""Child processes: started from a description, and never outliving their parent."""

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from deploy.embedded.account import Account
from deploy.embedded.errors import StackError

_PR_SET_PDEATHSIG = 1
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


async def _ready_at_once(_child: "Child") -> None:
    """Nothing to wait for."""


def _nothing_to_clear() -> None:
    """Nothing was left behind."""


@dataclass(frozen=True)
class Program:
    """What to run, and what must hold before and after its start.

    `clear` removes what a crashed predecessor left and runs before every start. `ready` returns
    when the started child serves, and raises StackError when it will not.
    """

    name: str
    argv: tuple[str, ...]
    log: Path
    env: Mapping[str, str] = field(default_factory=dict)
    account: Account | None = None
    stop: signal.Signals = signal.SIGTERM
    stop_s: float = 15.0
    orphan: signal.Signals = signal.SIGKILL
    clear: Callable[[], None] = _nothing_to_clear
    ready: Callable[["Child"], Awaitable[None]] = _ready_at_once
    note: str = ""


class Child:
    """A running program."""

    def __init__(self, program: Program, process: asyncio.subprocess.Process) -> None:
        self.program = program
        self.pid = process.pid
        self._process = process

    @property
    def exited(self) -> bool:
        """Tell whether the process has ended."""
        return self._process.returncode is not None

    async def wait(self) -> int:
        """The exit code, once the process has ended; negative: the signal that killed it."""
        return await self._process.wait()

    async def stop(self) -> bool:
        """End the process, by force when it does not go in time; True when it went by itself."""
        with suppress(ProcessLookupError):
            self._process.send_signal(self.program.stop)
        try:
            async with asyncio.timeout(self.program.stop_s):
                await self._process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
            return False
        return True

    def last_words(self) -> str:
        """The last line of the program's log that tells why it ended, "" when there is none."""
        with self.program.log.open("rb") as log:
            log.seek(max(0, os.fstat(log.fileno()).st_size - 4096))
            lines = log.read().decode(errors="replace").splitlines()
        telling = [line for line in lines if "FATAL" in line or "PANIC" in line or "[FTL]" in line]
        return next(iter(reversed(telling or lines)), "").strip()


async def start(program: Program) -> Child:
    """Start the program; it serves when `program.ready` returns.

    Raises StackError when the program cannot be executed.
    """
    await asyncio.to_thread(program.clear)
    parent = os.getpid()

    def between_fork_and_exec() -> None:
        if program.account is not None:
            program.account.become()
        if _prctl is not None:  # after the change of user, which would clear it
            _prctl(_PR_SET_PDEATHSIG, int(program.orphan))
            if os.getppid() != parent:
                os._exit(1)

    try:
        with program.log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *program.argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env={**os.environ, **program.env},
                start_new_session=True,  # Ctrl-C is for the supervisor, which stops in order
                preexec_fn=between_fork_and_exec,
            )
    except (OSError, subprocess.SubprocessError) as error:
        raise StackError(f"{program.name} cannot be started: {error}") from error
    return Child(program, process)


def command_of(pid: int) -> str:
    """The command line of a process, "" when there is no such process."""
    file = Path(f"/proc/{pid}/cmdline")
    if Path("/proc/self").exists():
        with suppress(OSError):
            return file.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        return ""
    listing = ["ps", "-o", "command=", "-p", str(pid)]
    return subprocess.run(listing, capture_output=True, text=True, check=False).stdout.strip()


def end_leftover(pid: int, words: tuple[str, ...], polite: signal.Signals, wait_s: float) -> bool:
    """End a process that an earlier run left, if its command line has all the words.

    Returns False when no such process lives (the id may belong to somebody else by now).
    """

    def lives() -> bool:
        command = command_of(pid)
        return all(word in command for word in words)

    if not lives():
        return False
    for what, until in ((polite, time.monotonic() + wait_s), (signal.SIGKILL, None)):
        with suppress(ProcessLookupError):
            os.kill(pid, what)
        while lives() and (until is None or time.monotonic() < until):
            time.sleep(0.05)
        if not lives():
            break
    return True
