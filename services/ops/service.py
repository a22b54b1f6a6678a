"""`logbuch service NAME`: one service as a process of its own, against the configured clusters."""

import argparse
import importlib
from typing import Final

from services.kit.settings import Settings
from services.kit.skeleton import Need, run_service
from services.kit.store.migrate import migrate
from services.kit.store.model import StoreUnavailable

GATEWAY: Final = "gateway"
SERVICES: Final = (GATEWAY, "table", "bot", "lobby", "ledger")
"""In the order in which they are started."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("name", choices=SERVICES)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Run the service until it is told to stop; returns the exit code."""
    name: str = args.name
    main = importlib.import_module(f"services.{name}.service").main
    database = Need("PostgreSQL", settings.database_url, _schema_is_current)
    needs = () if name == "bot" else (database,)  # the bot service never sees the log
    return run_service(name, main, settings, needs)


async def _schema_is_current(database_url: str) -> bool:
    """Bring the schema up to date; False while the database does not answer."""
    try:
        await migrate(database_url)
    except StoreUnavailable:
        return False
    return True
