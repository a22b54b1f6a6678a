"""What the tests of Speeddrill share."""

from __future__ import annotations

from domain.records.run import check


def plays(seats: int, setup: str, moves: str, head: str = "") -> None:
    """Hold a record to its word: `setup` one field a line, `moves` one a line."""
    fields = "\n".join(f"setup.{line.strip()}" for line in setup.strip().splitlines())
    source = f'game = "speeddrill"\nseats = {seats}\n{head}\n{fields}\nplay = """\n{moves}\n"""\n'
    failure = check(source, "test")
    assert failure is None, f"{source.splitlines()[failure.line - 1]}: {failure.detail}"
