"""`logbuch trial race` on the system as an operator runs it, with real tickets over WebSocket."""

from __future__ import annotations

from tests.system.conftest import System

TIMES = 24


def test_nobody_loses_a_race_to_the_system(system: System) -> None:
    report = system.run("trial", "race", "--times", str(TIMES))

    assert (report["trial"], report["failed"], report["findings"]) == ("race", 0, [])
    # Each race is a check, and each of its tables in the log: a rematch has two.
    assert report["passed"] == TIMES + TIMES + TIMES // 3
    assert report["figures"]["races"] == "last seat 8, start 8, rematch 8"
    # Nothing stays open, and the Taler of the races for a stake are where they belong.
    open_ones = system.run("tables", "--status", "gathering", "--status", "playing")
    assert open_ones["tables"] == []
    assert system.run("verify", "--all")["findings"] == []
