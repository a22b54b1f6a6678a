"""`logbuch service NAME`: one service as a process of its own, against the configured clusters."""

import argparse
import importlib
from typing import Final

from services.kit.settings import Settings
from services.kit.skeleton import Stop, run_service
from services.kit.store.migrate import migrate

SERVICES: Final = ("table", "bot", "lobby", "ledger")
"""In the order in which they are started."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("name", choices=SERVICES)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Run the service until it is told to stop; returns the exit code."""
    name: str = args.name
    serve = importlib.import_module(f"services.{name}.service").main

    async def main(settings: Settings, stop: Stop) -> None:
        if name != "bot":  # which never sees the log
            await migrate(settings.database_url)
        await serve(settings, stop)

    return run_service(name, main, settings)
