"""Benchmarks run and leave nothing behind; what they measure is not asserted."""

import os

import pytest

from services.__main__ import main
from services.kit.settings import Settings
from services.kit.store.database import Connection
from services.ops import bench_replay
from services.ops.bench_bounds import echoes_per_s, inserts_per_s
from services.ops.cpu import used_s


async def databases(link: Connection) -> set[str]:
    return {row[0] for row in await link.fetch("SELECT datname FROM pg_database")}


async def test_replay_is_measured_in_a_database_of_its_own(
    log_url: str, link: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_replay, "TABLES", 3)
    before = await databases(link)
    measures = await bench_replay.bench_replay(log_url, 0.01)
    assert [measure.unit for measure in measures] == ["facts/s", *["us/fact"] * 4]
    assert measures[0].value > 0  # the others are processor time, which has coarse ticks
    assert measures[0].baselines["stock recorder"] > 0
    assert await databases(link) == before


async def test_the_bounds_of_moves_are_measured(
    log_url: str, settings: Settings, link: Connection
) -> None:
    before = await databases(link)
    assert await echoes_per_s(settings, 4, 0.01) > 0
    assert await inserts_per_s(log_url, 4, 0.01) > 0
    assert await databases(link) == before


@pytest.mark.parametrize("tables", ["0", "-1", "100001", "many"])
def test_a_bench_without_tables_is_wrong_usage(
    tables: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bench", "recover", "--tables", tables])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "from 1 to 100,000" in said


def test_processor_time_is_told_by_program() -> None:
    used = used_s({"up": 1, "shell": os.getppid()})
    if used:  # there is a /proc
        assert used["client"] > 0
        assert "up" not in used
