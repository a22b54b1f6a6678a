"""`logbuch trial`: acceptance trials against a running system, here or on a staging cluster."""

from __future__ import annotations

import argparse
import importlib
from types import ModuleType
from typing import Final

from services.kit.settings import Settings
from services.ops.trials.report import show

_TRIALS: Final = {
    "race": "two people want the last seat, the start, the rematch: never two get it, never none",
    "crowd": "a full house that misbehaves while services are killed: nothing is lost",
    "curious": "a player with a good ticket tries everything that is not his: he gets nothing",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments, of every trial its own."""
    trials = parser.add_subparsers(dest="trial", required=True, metavar="NAME")
    for name, text in _TRIALS.items():
        trial = trials.add_parser(name, help=text, description=text)
        _module(name).add_arguments(trial)


async def run(args: argparse.Namespace, settings: Settings) -> int:
    """Run one trial and print what it came to; returns 1 when a check failed."""
    report = await _module(args.trial).run(args, settings)
    show(report, as_json=args.json)
    return 0 if report.ok else 1


def _module(trial: str) -> ModuleType:
    return importlib.import_module(f"services.ops.trials.{trial}")
