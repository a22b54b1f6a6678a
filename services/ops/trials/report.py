"""What a trial came to: how many checks held, and what to look at where one did not."""

from __future__ import annotations

import json
from typing import Final

from msgspec import Struct, to_builtins

FINDINGS_SHOWN: Final = 20


class Finding(Struct, frozen=True):
    """A check that failed: `what` was tried, on which subject or table, and what happened."""

    what: str
    where: str
    detail: str


class Report(Struct, frozen=True):
    """`passed` and `failed` count checks; `figures` are for reading, with their units."""

    trial: str
    passed: int
    failed: int
    findings: tuple[Finding, ...]
    figures: dict[str, str]

    @property
    def ok(self) -> bool:
        """Whether every check held, and there was at least one."""
        return not self.failed and self.passed > 0


class Sheet:
    """Collects the checks of one trial."""

    def __init__(self, trial: str) -> None:
        """Begin without any check."""
        self._trial = trial
        self._passed = 0
        self._findings: list[Finding] = []
        self.figures: dict[str, str] = {}

    def check(self, *, holds: bool, what: str, where: str, detail: str) -> None:
        """Count a check; `detail` says what happened instead, and is only told when it failed."""
        if holds:
            self._passed += 1
        else:
            self.fail(what, where, detail)

    def fail(self, what: str, where: str, detail: str) -> None:
        """Note a check that failed."""
        self._findings.append(Finding(what, where, detail))

    def report(self) -> Report:
        """Give what it came to."""
        found = tuple(self._findings)
        return Report(self._trial, self._passed, len(found), found, dict(self.figures))


def show(report: Report, *, as_json: bool) -> None:
    """Print a report, for people or for programs."""
    if as_json:
        print(json.dumps(to_builtins(report), indent=1, ensure_ascii=False))
        return
    verdict = "passed" if report.ok else "FAILED"
    rows = {
        "trial": f"{report.trial}: {verdict}",
        "passed": f"{report.passed:,} checks",
        "failed": f"{report.failed:,} checks",
        **report.figures,
    }
    width = max(len(name) for name in rows)
    for name, value in rows.items():
        print(f"{name:<{width}}  {value}")
    for each in report.findings[:FINDINGS_SHOWN]:
        print(f"  {each.what} ({each.where}): {each.detail}")
    if (more := report.failed - FINDINGS_SHOWN) > 0:
        print(f"  and {more:,} more; --json lists all")
