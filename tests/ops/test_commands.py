"""Every command of the program can be called."""

import errno
from pathlib import Path

import pytest

from services.__main__ import COMMANDS, _parse, error_line, main


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"usage: logbuch {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ("--json", "--data", "tables", "tables", "--limit", "3"),
        ("--data", "tables", "tables", "--json", "--limit", "3"),
        ("tables", "--limit", "3", "--data=tables", "--json"),
    ],
)
def test_what_every_command_has_may_stand_before_it_or_behind(words: tuple[str, ...]) -> None:
    args = _parse(list(words))
    assert (args.json, args.data, args.limit) == (True, Path("tables"), 3)


def test_what_stands_before_a_command_with_verbs_counts() -> None:
    args = _parse(["--json", "ledger", "check"])
    assert (args.json, args.data, args.verb) == (True, None, "check")


def test_a_full_disk_below_the_output_is_no_matter_of_connections() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    assert error_line(full) == "the output cannot be written: No space left on device"
    refused = ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
    assert error_line(refused).startswith("no connection: ")
