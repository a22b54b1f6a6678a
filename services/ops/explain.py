"""`logbuch explain`: accounts for a table's numbers, fact by fact."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from services.kit.settings import Settings
from services.kit.store.database import Database
from services.ops.explanation import clock, reckoning, score, stake
from services.ops.explanation.story import Story, load


class Topic(NamedTuple):
    """How one kind of number is explained: a Struct with `sound`, and its lines for people."""

    explain: Callable[[Database, Story], Awaitable[Any]]
    lines: Callable[[Any], list[str]]


TOPICS: Final[Mapping[str, Topic]] = {
    "clock": Topic(reckoning.explain, clock.lines),
    "score": Topic(score.explain, score.lines),
    "stake": Topic(stake.explain, stake.lines),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("table", metavar="TABLE", help="id of the table")
    parser.add_argument("topic", choices=tuple(TOPICS), help="what to account for")


async def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the account; returns 1 when it contradicts the rules."""
    topic = TOPICS[args.topic]
    async with Database(settings.database_url, name="explain") as database:
        explained = await topic.explain(database, await load(database, args.table))
    if args.json:
        print(msgspec.json.format(msgspec.json.encode(explained), indent=1).decode())
    else:
        print("\n".join(topic.lines(explained)))
    return 0 if explained.sound else 1
