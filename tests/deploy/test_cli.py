"""The program `logbuch`: one clear line for every trouble, and `up` as an operator knows it."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from deploy.embedded.supervisor import Stack
from services.__main__ import COMMANDS, error_line
from tests.deploy.conftest import Cli, clean_env


class Up:
    """A running `logbuch up` and the lines it prints."""

    def __init__(self, place: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = str(probe.getsockname()[1])
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "services",
                "up",
                "--json",
                "--data",
                str(place),
                "--port",
                port,
            ],
            stdout=subprocess.PIPE,
            text=True,
            env=clean_env(),
        )
        self.place = place
        self.wait("event", "up")

    def wait(self, key: str, value: str) -> dict[str, str]:
        """The next line with this value."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            said: dict[str, str] = json.loads(line)
            if said.get(key) == value:
                return said
        raise AssertionError(f"up ended before it said {key}={value}")

    @property
    def run(self) -> dict[str, object]:
        run: dict[str, object] = json.loads((self.place / "run.json").read_text())
        return run

    @property
    def pids(self) -> dict[str, int]:
        pids = self.run["pids"]
        assert isinstance(pids, dict)
        return pids


@pytest.fixture
def up(place: Path) -> Iterator[Up]:
    running = Up(place)
    yield running
    running.process.terminate()
    running.process.wait(60)


def wait_for_end(pid: int) -> None:
    """Wait for a process that need not be our child."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended, _, _ = select.select([handle], [], [], 60)
    os.close(handle)
    assert ended, f"process {pid} lives on"


def one_line(text: str) -> str:
    assert text.count("\n") == 1
    assert "Traceback" not in text
    return text


def test_up_serves_restarts_and_stops(up: Up, cli: Cli) -> None:
    database_url = str(up.run["database_url"])
    with psycopg.connect(database_url) as link:
        link.execute("SELECT 1 FROM stored_events")
    killed = up.pids["postgres"]
    os.kill(killed, signal.SIGKILL)
    while up.wait("event", "started")["program"] != "postgres":
        pass
    assert up.pids["postgres"] != killed
    with psycopg.connect(database_url) as link:
        link.execute("SELECT 1 FROM stored_events")

    second = cli("up", "--data", up.place)
    assert second.returncode == 1
    assert f"running in {up.place} already (process {up.process.pid})" in one_line(second.stderr)

    report = json.loads(cli("doctor", "--json", "--data", up.place).stdout)
    assert report["database_url"] == database_url
    found = {check["name"]: check["ok"] for check in report["checks"]}
    for name in ("python", "wheels", "data directory", "postgresql", "fsync", "schema"):
        assert found[name], name
    for name in ("nats", "jetstream", "sync_always", "gateway", "web"):
        assert found[name], name
    password = database_url.partition("logbuch:")[2].partition("@")[0]
    assert password not in cli("doctor", "--data", up.place).stdout

    up.process.send_signal(signal.SIGINT)
    assert up.process.wait(60) == 0
    assert not (up.place / "run.json").exists()


def test_a_killed_up_leaves_nothing_behind_and_starts_again(place: Path, cli: Cli) -> None:
    first = Up(place)
    pids = first.pids
    first.process.kill()
    first.process.wait(60)
    for pid in pids.values():
        wait_for_end(pid)

    told = cli("service", "bot", "--data", place)
    assert told.returncode == 1
    assert "no Logbuch is running in" in one_line(told.stderr)

    second = Up(place)
    second.process.terminate()
    assert second.process.wait(60) == 0


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("frobnicate",),
        ("up", "--port", "99999"),
        ("up", "--port", "many"),
        ("up", "extra"),
        ("service",),
        ("service", "kitchen"),
        ("doctor", "--loud"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(cli: Cli, words: tuple[str, ...]) -> None:
    told = cli(*words)
    assert told.returncode == 2
    assert "--help)" in one_line(told.stderr)


def test_help_names_every_command(cli: Cli) -> None:
    text = cli("--help").stdout
    assert [name for name in COMMANDS if f"    {name} " not in text] == []


@pytest.mark.parametrize("words", [("service", "table"), ("service", "bot")])
def test_without_a_system_the_line_says_how_to_start_one(
    cli: Cli, place: Path, words: tuple[str, ...]
) -> None:
    told = cli(*words, "--data", place)
    assert told.returncode == 1
    assert f"no Logbuch is running in {place}: start it with `make up`" in one_line(told.stderr)

    told = cli(*words, "--json", LOGBUCH_DATA=str(place))
    assert told.returncode == 1
    assert f"no Logbuch is running in {place}" in json.loads(told.stdout)["error"]


def test_a_place_that_cannot_be_written_is_told(cli: Cli, place: Path) -> None:
    place.write_text("a file is no directory")
    told = cli("up", "--data", place / "data")
    assert told.returncode == 1
    assert "is not writable (Not a directory): " in one_line(told.stderr)

    report = json.loads(cli("doctor", "--json", "--data", place / "data").stdout)
    assert "is not writable" in next(
        check["detail"] for check in report["checks"] if check["name"] == "data directory"
    )


def test_a_data_directory_that_is_a_file_is_told(cli: Cli, place: Path) -> None:
    place.write_text("a file is no directory")
    told = cli("up", "--data", place)
    assert told.returncode == 1
    line = f"logbuch: {place} is a file, no directory: choose another directory with --data\n"
    assert one_line(told.stderr) == line


def test_a_directory_of_somebody_else_is_left_alone(cli: Cli, place: Path) -> None:
    place.mkdir()
    (place / "diary.txt").write_text("mine")
    told = cli("up", "--data", place)
    assert told.returncode == 1
    assert f"{place} holds other things ('diary.txt' for one)" in one_line(told.stderr)
    assert [each.name for each in place.iterdir()] == ["diary.txt"]

    report = json.loads(cli("doctor", "--json", "--data", place).stdout)
    data = next(check for check in report["checks"] if check["name"] == "data directory")
    assert not data["ok"]
    assert "holds other things" in data["detail"]


def test_output_that_cannot_be_written_is_one_line(place: Path) -> None:
    with Path("/dev/full").open("w") as full:
        told = subprocess.run(
            [sys.executable, "-m", "services", "doctor", "--json", "--data", str(place)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=clean_env(),
        )
    assert told.returncode == 1
    assert one_line(told.stderr) == (
        "logbuch: the output cannot be written: No space left on device\n"
    )


@pytest.mark.parametrize("words", [("tables",), ("up",)])
def test_an_address_that_is_none_is_told_without_repeating_it(
    cli: Cli, place: Path, words: tuple[str, ...]
) -> None:
    told = cli(*words, "--data", place, LOGBUCH_DATABASE_URL="secret@127.0.0.1/logbuch")
    assert told.returncode == 1
    assert "LOGBUCH_DATABASE_URL is no address of the form postgresql://host:port/" in told.stderr
    assert "secret" not in one_line(told.stderr)


def test_a_taken_port_is_told(cli: Cli, place: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = cli("up", "--data", place, "--port", str(taken.getsockname()[1]))
    assert told.returncode == 1
    assert "is taken by another program: choose another with --port" in one_line(told.stderr)


def test_doctor_without_a_system_says_so(cli: Cli, place: Path) -> None:
    told = cli("doctor", "--json", "--data", place)
    assert told.returncode == 1
    report = json.loads(told.stdout)
    assert report["database_url"] is None
    running = next(check for check in report["checks"] if check["name"] == "running")
    assert "start it with `make up`" in running["detail"]


def test_doctor_names_a_dead_cluster_and_hides_passwords(cli: Cli, place: Path) -> None:
    told = cli(
        "doctor",
        "--data",
        place,
        LOGBUCH_DATABASE_URL="postgresql://me:hush@127.0.0.1:1/logbuch",
        LOGBUCH_NATS_URL="nats://me:hush@127.0.0.1:1",
    )
    assert told.returncode == 1
    assert "BAD   postgresql" in told.stdout
    assert "BAD   nats" in told.stdout
    assert "hush" not in told.stdout


def test_doctor_names_missing_migrations(cli: Cli, stack: Stack, database_url: str) -> None:
    told = cli(
        "doctor",
        "--json",
        LOGBUCH_DATABASE_URL=database_url,
        LOGBUCH_NATS_URL=stack.nats_url,
        LOGBUCH_SECRETS=str(stack.secrets),
    )
    found = {check["name"]: check for check in json.loads(told.stdout)["checks"]}
    assert "0001_stored_events.sql" in found["schema"]["detail"]
    assert not found["table"]["ok"]
    assert "start `logbuch service table`" in found["table"]["detail"]


def test_an_unexpected_error_is_named_by_its_type_alone() -> None:
    assert "KeyError" in error_line(KeyError("Sog 7"))
    assert "Sog" not in error_line(KeyError("Sog 7"))
