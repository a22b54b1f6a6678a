"""What holds for every file of the repository."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
LINES_MAX = 400
SOURCES = {".py", ".sql", ".toml", ".conf", ".ts", ".sh"}
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
# A home directory, a work directory or a temporary file: true on one machine only.
MACHINE_PATH = re.compile(r"(?<![\w./])/(?:home/\w|root/|work/|Users/\w|tmp/\w)")


def tracked() -> list[Path]:
    listing = ["git", "ls-files", "-z"]
    try:
        names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in names.stdout.split("\0") if name]
    return [file for file in files if file.is_file()]


def texts() -> list[tuple[str, str]]:
    """Path within the repository and content of every text file but generated ones."""
    found = []
    for file in tracked():
        if file.name == "uv.lock":
            continue
        try:
            found.append((str(file.relative_to(ROOT)), file.read_text("utf-8")))
        except UnicodeDecodeError:
            continue
    return found


def test_no_source_file_is_long() -> None:
    long = {
        name: text.count("\n")
        for name, text in texts()
        if Path(name).suffix in SOURCES and text.count("\n") > LINES_MAX
    }
    assert long == {}


def test_no_file_names_a_place_of_one_machine() -> None:
    named = [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if MACHINE_PATH.search(line) and not name.startswith("tests/tidy/")
    ]
    assert named == []


def test_every_file_has_a_telling_name() -> None:
    empty = [
        str(file.relative_to(ROOT))
        for file in tracked()
        if {file.stem.lower(), *(part.lower() for part in file.relative_to(ROOT).parts)}
        & EMPTY_NAMES
    ]
    assert empty == []
