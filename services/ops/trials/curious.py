"""Not built yet."""

import argparse

from services.kit.settings import Settings
from services.ops.trials.report import Report, Sheet


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """Declare the trial's arguments."""


async def run(_args: argparse.Namespace, _settings: Settings) -> Report:
    """Run the trial."""
    return Sheet("curious").report()
