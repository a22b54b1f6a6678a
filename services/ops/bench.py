"""`logbuch bench`: what this machine reaches, beside other ways of doing the same."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import msgspec

from services.kit.console.arguments import number
from services.kit.console.failure import Failure
from services.kit.settings import Settings
from services.ops.bench_append import bench_append
from services.ops.bench_moves import bench_moves
from services.ops.bench_recover import bench_recover
from services.ops.bench_replay import bench_replay
from services.ops.bench_rules import bench_rules
from services.ops.measure import Measure

ALL = ("append", "moves", "replay", "rules")
WHAT = (*ALL, "recover")
"""`recover` kills a service and leaves its tables behind: only when named, on data to throw away."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("what", nargs="*", metavar="WHAT", help=f"some of {', '.join(WHAT)} ({', '.join(ALL)})")
    tables_help = "recover: live tables, 1 to 100,000 (10000)"
    add("--tables", type=number(1, 100_000), default=10_000, metavar="N", help=tables_help)
    add("--seconds", type=_seconds, default=5.0, metavar="S", help="for each measurement (5)")
    add("--profile", action="store_true", help="moves: also processor time by program")
    parser.set_defaults(usage_error=parser.error)


async def run(args: argparse.Namespace, settings: Settings | None) -> int:
    """Measure and print."""
    unknown = [each for each in args.what if each not in WHAT]
    if unknown:
        args.usage_error(f"there is no bench {unknown[0]!r}: choose from {', '.join(WHAT)}")
    measures: list[Measure] = []
    for what in args.what or ALL:
        found = await _measure(what, settings, args)
        measures += found
        if not args.json:
            _print(found)
    if args.json:
        print(msgspec.json.format(msgspec.json.encode(measures), indent=1).decode())
    return 0


async def _measure(what: str, settings: Settings | None, args: argparse.Namespace) -> list[Measure]:
    if what == "rules":
        return bench_rules(args.seconds)
    if settings is None:
        raise Failure(f"`bench {what}` needs a running Logbuch: `bench rules` alone does not")
    if what == "append":
        return await bench_append(settings.database_url, args.seconds)
    if what == "replay":
        return await bench_replay(settings.database_url, args.seconds)
    if what == "recover":
        return await bench_recover(settings, args.tables)
    return await bench_moves(settings, args.seconds, profile=args.profile)


def _print(measures: Sequence[Measure]) -> None:
    for each in measures:
        beside = "  ".join(f"{name} {value:,.1f}" for name, value in each.baselines.items())
        print(f"{each.name:<36} {each.value:>12,.1f} {each.unit:<12} {beside}".rstrip(), flush=True)


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3_600:  # noqa: PLR2004 - said in the message
        raise argparse.ArgumentTypeError(f"{word!r} is no number of seconds up to 3600")
    return seconds
