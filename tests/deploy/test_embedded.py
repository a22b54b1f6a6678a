"""PostgreSQL and NATS as our own children: start, stop, crash, leftovers and refusals."""

import asyncio
import json
import os
import signal
import socket
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import nats
import nats.errors
import pytest
from nats.aio.client import Client

from deploy.embedded import process
from deploy.embedded.account import unprivileged
from deploy.embedded.datadir import DataDir
from deploy.embedded.errors import StackError
from deploy.embedded.nats import Nats
from deploy.embedded.postgres import Postgres
from deploy.embedded.process import Program
from deploy.embedded.secrets import USERS, keep_secrets
from deploy.embedded.supervisor import Stack, Supervisor, running_stack
from services.kit.credentials import load

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root must drop its rights")


class Events:
    """What a supervisor said, and the wait for it to say something."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []
        self._counts: dict[tuple[str, str], asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(0)
        )

    def say(self, name: str, event: str, _detail: str) -> None:
        self.seen.append((name, event))
        self._counts[name, event].release()

    async def wait(self, name: str, event: str) -> None:
        async with asyncio.timeout(60):
            await self._counts[name, event].acquire()


async def put(url: str, value: int) -> None:
    link = await asyncpg.connect(url)
    await link.execute("CREATE TABLE IF NOT EXISTS kept (value int)")
    await link.execute("INSERT INTO kept VALUES ($1)", value)
    await link.close()


async def kept(url: str) -> list[int]:
    link = await asyncpg.connect(url)
    rows = await link.fetch("SELECT value FROM kept ORDER BY value")
    await link.close()
    return [row["value"] for row in rows]


async def as_table(stack: Stack) -> Client:
    login = load(stack.secrets).login("table")
    return await nats.connect(stack.nats_url, inbox_prefix=b"_INBOX.table", **login)


async def test_secrets_are_only_added(place: Path) -> None:
    data = DataDir(place)
    data.write("secrets.json", json.dumps({"passwords": {"table": "mine", "gone": "x"}}))
    path = keep_secrets(data)
    once = path.read_text()

    assert load(path).passwords.keys() == set(USERS)
    assert load(path).passwords["table"] == "mine"
    assert keep_secrets(data).read_text() == once
    data.write("secrets.json", "{")
    with pytest.raises(StackError, match="cannot be read"):
        keep_secrets(data)
    data.close()


async def test_nobody_comes_in_without_being_known(place: Path) -> None:
    """Nor while nobody answers for the door: then the server lets in its own users alone."""
    async with running_stack(place) as stack:
        for login in ({}, {"user": "table", "password": "no"}, {"token": "x"}):
            with pytest.raises((nats.errors.Error, TimeoutError)):
                await nats.connect(
                    stack.nats_url, allow_reconnect=False, connect_timeout=0.5, **login
                )
        await (await as_table(stack)).close()


async def test_state_and_addresses_survive_a_stop(place: Path) -> None:
    async with running_stack(place) as first:
        await put(first.database_url, 1)
        secrets = first.secrets.read_text()
        link = await as_table(first)
        await link.jetstream().add_stream(name="LOGBUCH", subjects=["log.>"])
        await link.jetstream().publish("log.kept.x", b"1")
        await link.close()
    assert not (place / "run.json").exists()

    async with running_stack(place) as second:
        assert (second.database_url, second.nats_url, second.socket_url) == (
            first.database_url,
            first.nats_url,
            first.socket_url,
        )
        assert second.secrets.read_text() == secrets
        assert second.secrets.stat().st_mode & 0o777 == 0o600
        assert await kept(second.database_url) == [1]
        link = await as_table(second)
        assert (await link.jetstream().get_last_msg("LOGBUCH", "log.kept.x")).data == b"1"
        await link.close()


async def test_killed_servers_are_started_again_with_their_data(place: Path) -> None:
    events = Events()
    async with running_stack(place, events.say) as stack:
        await events.wait("postgres", "started")
        await events.wait("nats", "started")
        await put(stack.database_url, 7)
        before = stack.supervisor.pids
        for pid in before.values():
            os.kill(pid, signal.SIGKILL)
        await events.wait("postgres", "started")
        await events.wait("nats", "started")

        assert await kept(stack.database_url) == [7]
        await (await as_table(stack)).close()
        announced = json.loads((place / "run.json").read_text())["pids"]
        assert announced == {"up": os.getpid(), **stack.supervisor.pids}
        assert not set(before.values()) & set(announced.values())
    assert events.seen[-2:] == [("nats", "stopped"), ("postgres", "stopped")]


async def test_a_server_left_by_a_crashed_run_is_taken_over(place: Path) -> None:
    data = DataDir(place)
    leftovers = [
        await process.start(program) for program in (Postgres(data).program(), Nats(data).program())
    ]
    for leftover in leftovers:
        await leftover.program.ready(leftover)
    data.close()

    async with running_stack(place) as stack:
        assert all(leftover.exited for leftover in leftovers) or [
            await leftover.wait() for leftover in leftovers
        ]
        await put(stack.database_url, 1)


@pytest.mark.parametrize("owner", [1, os.getpid(), 2**22 - 1])
async def test_a_stale_pid_file_does_not_keep_us_from_starting(place: Path, owner: int) -> None:
    async with running_stack(place) as stack:
        await put(stack.database_url, 1)
    (place / "postgres" / "postmaster.pid").write_text(f"{owner}\n{place}/postgres\n")
    (place / "nats" / "nats.pid").write_text(f"{owner}\n")

    async with running_stack(place) as stack:
        assert await kept(stack.database_url) == [1]


@as_root
def test_root_runs_postgresql_under_another_account(stack: Stack) -> None:
    account = unprivileged()
    assert account is not None
    postmaster = Path(f"/proc/{stack.supervisor.pids['postgres']}")
    assert postmaster.stat().st_uid == account.uid != 0


async def test_other_people_of_this_machine_stay_outside(stack: Stack) -> None:
    for login in ("logbuch", "logbuch:guess", "postgres"):
        url = f"postgresql://{login}@127.0.0.1:{stack.database_url.rpartition(':')[2]}"
        with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError):
            await asyncpg.connect(url, passfile="/nonexistent")
    for name in ("run.json", "postgres.password"):
        assert (stack.data / name).stat().st_mode & 0o777 == 0o600


async def test_acknowledged_means_on_disk(stack: Stack) -> None:
    link = await asyncpg.connect(stack.database_url)
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        assert await link.fetchval(f"SHOW {setting}") == "on"
    await link.close()


async def test_a_program_that_keeps_dying_is_tried_again(place: Path) -> None:
    events = Events()
    data = DataDir(place)
    supervisor = Supervisor(data, {}, events.say)
    await supervisor.bring_up([Program("brief", ("/bin/sh", "-c", "exit 3"), data.log("brief"))])
    for _ in range(3):
        await events.wait("brief", "died")
    await supervisor.bring_down()
    data.close()


async def test_a_program_that_does_not_listen_is_killed(place: Path) -> None:
    events = Events()
    data = DataDir(place)
    deaf = Program(
        "deaf",
        ("/bin/sleep", "600"),
        data.log("deaf"),
        stop=signal.SIGCONT,  # which it does not mind
        stop_s=0.1,
    )
    supervisor = Supervisor(data, {}, events.say)
    await supervisor.bring_up([deaf])
    await supervisor.bring_down()
    data.close()
    assert events.seen == [("deaf", "started"), ("deaf", "killed")]


async def test_data_of_another_version_is_left_alone(place: Path) -> None:
    async with running_stack(place):
        pass
    (place / "postgres" / "PG_VERSION").write_text("12\n")
    with pytest.raises(StackError, match="was written by PostgreSQL 12 and this is 18"):
        async with running_stack(place):
            pass


async def test_a_lost_password_is_told(place: Path) -> None:
    async with running_stack(place):
        pass
    (place / "postgres.password").unlink()
    with pytest.raises(StackError, match=r"postgres\.password is missing"):
        async with running_stack(place):
            pass


@as_root
async def test_a_directory_closed_to_postgresql_is_told(place: Path) -> None:
    place.parent.chmod(0o700)
    with pytest.raises(StackError, match=f"cannot enter {place.parent}: choose another"):
        async with running_stack(place):
            pass


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["logs"],  # a first start was cut short
        ["lost+found"],
        ["lock", "logs", "notes.txt"],
        ["ports.json", "notes.txt"],
    ],
)
def test_an_empty_or_own_directory_is_taken(place: Path, names: list[str]) -> None:
    place.mkdir()
    for name in names:
        folder = name in {"logs", "lost+found"}
        (place / name).mkdir() if folder else (place / name).touch()
    DataDir(place).close()
    DataDir(place).close()


async def test_a_kept_port_that_is_taken_is_replaced(place: Path) -> None:
    data = DataDir(place)
    kept_port = data.port("postgres")
    assert data.port("postgres") == kept_port
    with socket.create_server(("127.0.0.1", kept_port)):
        assert data.port("postgres") != kept_port
    data.close()


@pytest.fixture
def small_disk(place: Path) -> Iterator[Path]:
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300m,mode=711", "tmpfs", str(place)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting a small disk needs root")
    yield place / "data"
    subprocess.run(["umount", "--lazy", str(place)], check=True)


async def test_a_full_disk_is_told(small_disk: Path) -> None:
    ballast = small_disk.parent / "ballast"
    ballast.write_bytes(b"x" * (100 * 2**20))
    with pytest.raises(StackError, match=r"is full .*: make room"):
        DataDir(small_disk)


async def test_a_disk_that_fills_up_while_the_database_is_made_is_told(small_disk: Path) -> None:
    data = DataDir(small_disk)
    (small_disk.parent / "ballast").write_bytes(b"x" * (285 * 2**20))
    with pytest.raises(StackError, match=r"the disk .*is full: make room"):
        Postgres(data)
    assert not (small_disk / "postgres").exists()
    data.close()
