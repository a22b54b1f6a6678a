"""One supervisor starts the programs in order, keeps them running and stops them in reverse."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from deploy.embedded.datadir import DataDir
from deploy.embedded.errors import StackError
from deploy.embedded.nats import CONFIG, Nats
from deploy.embedded.postgres import Postgres
from deploy.embedded.process import Child, Program, start

Say = Callable[[str, str, str], None]  # program, event, detail: one line of the operator's log

BACK_OFF_S: Final = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
STEADY_S: Final = 10.0  # a program that ran this long starts again without back-off


@dataclass(frozen=True)
class Step:
    """Work between two starts that is done once, such as bringing the schema up to date."""

    name: str
    work: Callable[[], Awaitable[str]]  # returns the detail for the log


class Supervisor:
    """Runs programs until told to stop; a program that ends before is started again."""

    def __init__(self, data: DataDir, where: Mapping[str, str | None], say: Say) -> None:
        """Watch over programs of `data`; `where` holds the URLs that run.json announces."""
        self._data = data
        self._where = where
        self._say = say
        self._children: dict[str, Child] = {}
        self._keepers: dict[str, asyncio.Task[None]] = {}

    @property
    def pids(self) -> dict[str, int]:
        """Process id by program name, as they run now."""
        return {name: child.pid for name, child in self._children.items()}

    async def bring_up(self, plan: Sequence[Program | Step]) -> None:
        """Start everything in order, each when the one before it is ready.

        Raises StackError at the first that cannot start; `bring_down` ends the others.
        """
        for part in plan:
            if isinstance(part, Step):
                self._say(part.name, "done", await part.work())
                continue
            try:
                await self._start(part)
            except StackError:
                await self._end(part.name)
                raise
            self._keepers[part.name] = asyncio.create_task(self._keep(part))

    async def bring_down(self) -> None:
        """Stop everything in reverse order, each within its bound."""
        for name in reversed(list(self._children)):
            if keeper := self._keepers.pop(name, None):
                keeper.cancel()
                await asyncio.wait([keeper])
            await self._end(name)

    async def _start(self, program: Program) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        child = await start(program)
        self._children[program.name] = child
        self._announce()
        await program.ready(child)
        detail = f"pid {child.pid}, {loop.time() - begun:.1f} s"
        self._say(program.name, "started", f"{detail}, {program.note}".rstrip(", "))

    async def _end(self, name: str) -> None:
        child = self._children.pop(name, None)
        if child is None:
            return
        dead = child.exited
        by_itself = await child.stop()
        if not dead:
            self._say(name, "stopped" if by_itself else "killed", f"pid {child.pid}")

    async def _keep(self, program: Program) -> None:
        """Start the program again whenever it ends; back off while it keeps ending."""
        loop = asyncio.get_running_loop()
        fails, since = 0, loop.time()
        while True:
            child = self._children[program.name]
            code = await child.wait()
            fails = 0 if loop.time() - since > STEADY_S else fails
            pause = BACK_OFF_S[min(fails, len(BACK_OFF_S) - 1)]
            again = f"again in {pause} s" if pause else "starting it again"
            self._say(program.name, "died", f"pid {child.pid}, {_ending(code)}: {again}")
            await asyncio.sleep(pause)
            fails, since = fails + 1, loop.time()
            try:
                await self._start(program)
            except StackError as error:
                self._say(program.name, "failed", str(error))
                await self._children[program.name].stop()

    def _announce(self) -> None:
        pids = {"up": os.getpid(), **self.pids}
        run: dict[str, Any] = {**self._where, "pids": pids}
        self._data.announce(run)


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


@dataclass(frozen=True)
class Stack:
    """A running PostgreSQL and NATS."""

    data: Path
    database_url: str
    nats_url: str
    socket_url: str
    secrets: Path
    supervisor: Supervisor


@asynccontextmanager
async def running_stack(
    path: Path, say: Say = lambda _name, _event, _detail: None, config: Path = CONFIG
) -> AsyncIterator[Stack]:
    """PostgreSQL and NATS alone, on free ports, for as long as the context is open.

    Raises StackError when one of them cannot start.
    """
    data = DataDir(path)
    try:
        postgres, nats = await asyncio.to_thread(lambda: (Postgres(data), Nats(data, config)))
        where = {"database_url": postgres.url, "nats_url": nats.url, "socket_url": nats.socket_url}
        supervisor = Supervisor(data, where, say)
        try:
            await supervisor.bring_up([postgres.program(), nats.program()])
            yield Stack(
                data.path, postgres.url, nats.url, nats.socket_url, nats.secrets, supervisor
            )
        finally:
            await supervisor.bring_down()
    finally:
        data.close()
