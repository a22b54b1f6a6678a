"""The table of results in the strategies' page, made of the files that are checked in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from services.bot.arena.result import Pace, Result, read, renewing
from services.kit.console.failure import Failure

PAGE: Final = Path(__file__).parents[1] / "strategies" / "README.md"
BEGIN: Final = "<!-- written by `logbuch arena --table` -->\n"
END: Final = "<!-- end of the table -->\n"


def renewed(page: str, files: Iterable[Path]) -> str:
    """Give the page with the table of these results; raises Failure if its place is not marked."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise Failure(f"{PAGE} does not mark where the table stands")
    results = [(file, read(file)) for file in files]
    rows = [_row(result) for _, result in results]
    commands = [renewing(result, file) for file, result in results]
    table = "\n".join([_HEAD, *rows, "", "```", *commands, "```", ""])
    return f"{before}{begin}{table}{end}{after}"


_HEAD = """\
| Game | Seats | A | B | Games | Wins of A | 95 % | ms of A | ms of B |
|---|--:|---|---|--:|--:|--:|--:|--:|"""


def _row(result: Result) -> str:
    cells = (
        result.title,
        str(result.seats),
        f"{result.a} {result.a_version}",
        f"{result.b} {result.b_version}",
        f"{result.games:,}",
        f"**{100 * result.a_share:.1f} %**",
        f"{100 * result.ci_low:.1f} to {100 * result.ci_high:.1f}",
        _pace(result.a_ms),
        _pace(result.b_ms),
    )
    return f"| {' | '.join(cells)} |"


def _pace(pace: Pace) -> str:
    return f"{pace.p50:g} / {pace.p99:g} / {pace.max:g}"
