"""Records are checked by file and line; a finished table's record runs again to the same end."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from domain.games import GAMES
from domain.kernel import Over
from domain.records.run import run as run_record
from domain.records.text import parse
from services.kit.console.failure import Failure
from services.kit.settings import Settings
from services.ops import record
from tests.ops.conftest import Store
from tests.ops.tables import Played, finished, running

GOOD = 'game = "speeddive"\nseats = 2\nplay = "expect phase = round"\n'
BAD = 'game = "speeddive"\nseats = 2\nplay = "expect phase = bilanz"\n'


def parsed(*words: object) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    record.add_arguments(parser)
    return parser.parse_args([str(word) for word in words])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "good.toml").write_text(GOOD)
    (tmp_path / "deep" / "bad.toml").write_text(BAD)
    (tmp_path / "no.txt").write_text("not looked at in a directory")
    return tmp_path


async def test_a_directory_is_searched_and_failures_name_the_line(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await record.run(parsed("--json", "check", files), None) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["records"] == 2
    assert report["passed"] == 1
    assert report["games"] == {name: 2 * (name == "speeddive") for name in GAMES}
    (failed,) = report["failed"]
    assert failed["file"] == str(files / "deep" / "bad.toml")
    assert failed["line"] == 3
    assert failed["detail"] == "phase is round, expected bilanz"


async def test_people_get_aligned_lines_and_a_sum(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await record.run(parsed("check", files / "good.toml"), None) == 0
    *counts, total = capsys.readouterr().out.splitlines()
    assert total == "1 records, 1 passed, 0 failed"
    assert [line.split() for line in counts] == [
        [name, "1" if name == "speeddive" else "0"] for name in GAMES
    ]
    assert await record.run(parsed("check", files / "deep" / "bad.toml"), None) == 1
    assert "bad.toml:3  phase is round, expected bilanz" in capsys.readouterr().out


async def test_what_is_no_text_fails_as_a_record(files: Path) -> None:
    (files / "good.toml").write_bytes(b"\xff\xfe")
    report = record.check_files([files / "good.toml"])
    assert report.failed[0].detail == "this file is not UTF-8 text"


@pytest.mark.parametrize("name", ["nowhere.toml", "empty"])
async def test_a_place_without_records_is_one_clear_line(files: Path, name: str) -> None:
    (files / "empty").mkdir()
    with pytest.raises(Failure, match=r"there (is no file|are no records)"):
        await record.run(parsed("check", files / name), None)


async def test_a_finished_table_is_written_and_runs_again_to_the_same_end(
    settings: Settings, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    played = finished(4)
    await store([played])
    assert await record.run(parsed("from", played.table.table_id), settings) == 0
    again = run_record(parse(capsys.readouterr().out))
    assert again.state == played.table.play
    assert isinstance(again.waiting, Over)
    assert played.table.result is not None
    assert again.waiting.scores == played.table.result.scores


async def test_a_running_table_keeps_its_cards(settings: Settings, store: Store) -> None:
    played = running(5)
    await store([played])
    with pytest.raises(Failure, match="is not over"):
        await record.run(parsed("from", played.table.table_id), settings)


async def test_a_table_without_a_game_has_no_record(settings: Settings, store: Store) -> None:
    gathering = Played(6)
    await store([gathering])
    with pytest.raises(Failure, match="there is no table"):
        await record.run(parsed("from", gathering.table.table_id), settings)
    with pytest.raises(Failure, match="is no table id"):
        await record.run(parsed("from", "nonsense"), settings)
