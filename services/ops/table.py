"""`logbuch table`: end a table without a result, or let one that was stopped go on."""

from __future__ import annotations

import argparse
import json
from typing import Final

from contracts.replies import Accepted
from contracts.subjects import OPS, inbox, is_table_id
from domain.refusals import Refused
from services.kit import nats_bus
from services.kit.client import PlayerClient, Unanswered, accepted
from services.kit.console.failure import Failure
from services.kit.settings import Settings

_VERBS: Final = {"resume": "unsuspend", "void": "void"}
_PATIENCE_S: Final = 15.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, text in (
        ("resume", "let a table go on that was stopped after a fault"),
        ("void", "end a table without a result: stakes go back, the seed is revealed"),
    ):
        verb = verbs.add_parser(name, help=text, description=text)
        verb.add_argument("table", metavar="TABLE", help="id of the table")
        verb.add_argument(
            "--why",
            required=True,
            metavar="TEXT",
            help="the reason; everybody at the table reads it",
        )


async def run(args: argparse.Namespace, settings: Settings) -> int:
    """Carry it out and print what it came to."""
    done = await operate(settings, args.table, args.verb, args.why)
    if args.json:
        print(json.dumps({"table": done.table, "done": args.verb, "version": done.last}))
    elif args.verb == "void":
        print(f"{done.table} is void since fact {done.last}; stakes go back to who paid them")
    else:
        print(f"{done.table} goes on after fact {done.last}")
    return 0


async def operate(settings: Settings, table: str, verb: str, why: str) -> Accepted:
    """Have the table's owner do it; raises Failure, BusError, SettingsError."""
    if not is_table_id(table):
        raise Failure(f"{table!r} is no table id; `logbuch tables` lists them")
    if not why.strip():
        raise Failure("--why is empty; say what the people at the table shall read")
    bus = await nats_bus.connect(
        settings.nats_url, "table-command", inbox(OPS), lambda: None, **settings.login(OPS)
    )
    try:
        client = PlayerClient(bus, OPS, patience_s=_PATIENCE_S)
        return accepted(await client.send(table, _VERBS[verb], why=why.strip()))
    except Refused as refused:
        raise Failure(f"table {table}: {refused.sentence}") from None
    except Unanswered:
        sentence = f"nobody answers for table {table}; `logbuch doctor` tells whether it is served"
        raise Failure(sentence) from None
    finally:
        await bus.close()
