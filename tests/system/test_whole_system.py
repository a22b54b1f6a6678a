"""The promises of the issue, tried on the system as an operator runs it."""

import os
import signal
import time

import psycopg
import pytest

from services.kit.settings import Settings
from tests.system.conftest import System, finish, wait_until

PEOPLE = ("--people", "2", "--min-game-s", "0")


def simulation(tables: int, seed: int, *more: str) -> tuple[str, ...]:
    words = ("simulate", "--game", "speeddive", "--tables", str(tables), "--seats", "4")
    return (*words, "--seed", str(seed), *more)


def owners(system: System) -> dict[str, int]:
    """How many partitions each living table service owns."""
    with psycopg.connect(Settings.load(system.data).database_url) as link:
        rows = link.execute(
            "SELECT owner, count(*) FROM partitions WHERE partition < 32"
            " AND alive_at > clock_timestamp() - interval '3 seconds' GROUP BY owner"
        ).fetchall()
    return dict(rows)


def all_fine(system: System, report: dict[str, object], tables: int) -> None:
    assert (report["games"], report["finished"], report["errors"]) == (tables, tables, 0)
    assert report["acks_missing"] == 0
    verified = system.run("verify", "--all")
    assert verified["tables"] == verified["clean"] >= tables
    assert verified["findings"] == []


def test_games_are_finished_and_every_table_is_clean(system: System) -> None:
    report = system.run(*simulation(20, 7))

    all_fine(system, report, 20)


def test_games_for_a_stake_leave_all_taler_where_they_belong(system: System) -> None:
    report = system.run(*simulation(6, 9, *PEOPLE, "--stake", "100"))

    all_fine(system, report, 6)
    assert report["stake"] == 100
    # Nobody has paid but those who played, each from an account of his own; and the house.
    assert report["taler"]["accounts"] >= 6 + 12 + 1
    assert report["taler"]["findings"] == []


def test_leaderboards_are_the_same_after_a_rebuild(system: System) -> None:
    all_fine(system, system.run(*simulation(8, 8, *PEOPLE)), 8)
    # The board follows the log; the games are over, so it comes to rest.
    wait_until(
        "every game is on the board",
        lambda: system.attempt("ledger", "check").returncode == 0,
    )

    rebuilt = system.run("ledger", "rebuild")

    assert rebuilt["equal"]
    assert rebuilt["entries"] >= 16
    assert system.run("ledger", "leaderboard", "speeddive")["lines"]


@pytest.mark.parametrize("name", ["table", "bot", "gateway", "nats", "postgres"])
def test_a_killed_process_costs_nothing_but_time(system: System, name: str) -> None:
    running = system.begin(*simulation(60, 30 + len(name), *PEOPLE))
    wait_until("games run", lambda: bool(system.run("tables", "--status", "playing")["tables"]))
    before = system.pid(name)

    os.kill(before, signal.SIGKILL)

    all_fine(system, finish(running), 60)
    assert system.pid(name) != before


def test_a_stopped_owner_is_replaced_and_harms_nobody_when_it_goes_on(system: System) -> None:
    second = system.service("table")
    wait_until("both own their share", lambda: sorted(owners(system).values()) == [16, 16])
    running = system.begin(*simulation(60, 41, *PEOPLE))
    wait_until("games run", lambda: bool(system.run("tables", "--status", "playing")["tables"]))

    os.kill(second.pid, signal.SIGSTOP)
    stopped_at = time.monotonic()
    wait_until("one owns all", lambda: list(owners(system).values()) == [32], within_s=6)
    report = finish(running)
    time.sleep(max(0.0, stopped_at + 20 - time.monotonic()))
    os.kill(second.pid, signal.SIGCONT)

    all_fine(system, report, 60)
    wait_until("both own their share", lambda: sorted(owners(system).values()) == [16, 16])
    all_fine(system, system.run(*simulation(10, 42, *PEOPLE)), 10)

    second.kill()
    wait_until("one owns all", lambda: list(owners(system).values()) == [32], within_s=6)


def test_running_games_go_on_after_stop_and_start(system: System) -> None:
    running = system.begin(*simulation(60, 51, *PEOPLE))
    wait_until("games run", lambda: bool(system.run("tables", "--status", "playing")["tables"]))

    system.stop()
    system.start()

    all_fine(system, finish(running), 60)
