"""Data directories that the unprivileged PostgreSQL can enter, and the program as people call it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def place() -> Iterator[Path]:
    """A data directory that does not exist yet."""
    above = Path(tempfile.mkdtemp(prefix="logbuch-test-"))
    above.chmod(0o711)
    yield above / "data"
    shutil.rmtree(above, ignore_errors=True)


@pytest.fixture
def cli() -> Cli:
    """`logbuch WORD...` run to its end, without the addresses of this test run."""

    def run(*words: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "services", *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env=clean_env() | env,
        )

    return run


def clean_env() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("LOGBUCH_")}
