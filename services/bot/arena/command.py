"""`logbuch arena`: how strong one computer player is against another."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from domain.games import GAMES
from services.bot.arena.opponents import opponents
from services.bot.arena.page import PAGE, renewed
from services.bot.arena.result import (
    Pace,
    Result,
    files_in,
    read,
    renewing,
    result_of,
    shown,
    write,
)
from services.bot.arena.sampling import Change, changes, drawn, outdated
from services.bot.arena.series import SEED, Deal, Match, is_seed, play
from services.bot.arena.times import SLOW_MS
from services.kit.console.arguments import number
from services.kit.console.options import add_options
from services.kit.console.progress import Progress
from services.kit.settings import Settings

CHANGES_SHOWN = 5
_WITH = {
    "sample": ("files", "seed", "cores"),
    "table": (),
    "game": ("a", "b", "games", "seats", "options", "seed", "cores", "deal", "save"),
}
"""What can be asked for, and the arguments that count with it."""
_DEFAULTS = {"a": "stark", "b": "normal", "games": 1000, "seats": 2, "options": {}, "seed": "1"}
"""Put in after it is known which arguments are given."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    known = "; ".join(f"{game}: {', '.join(opponents(game))}" for game in GAMES)
    add("--game", choices=sorted(GAMES), help="which game")
    add("--a", metavar="NAME", help=f"who takes one seat (stark). {known}")
    add("--b", metavar="NAME", help="who takes all others (normal)")
    games_help = "how many games (1000), rounded up so that A takes every seat in every deal"
    add("--games", type=number(1, 10_000_000), metavar="N", help=games_help)
    add("--seats", type=number(2, 16), metavar="K", help="seats in each game (2)")
    add_options(parser)
    add("--seed", type=_seed, metavar="S", help="another series of deals, another draw (1)")
    cores_help = "how many processes play (as many as there are cores)"
    add("--cores", type=number(1, 1_000), metavar="N", help=cores_help)
    add("--deal", type=number(0, 10_000_000), metavar="N", help="play this one deal, not --games")
    add("--save", type=Path, metavar="FILE", help="keep the result with all outcomes in a file")
    sample_help = "play N drawn games of each FILE again and compare (all that are checked in)"
    add("--sample", type=number(1, 10_000_000), metavar="N", help=sample_help)
    add("--table", action="store_true", help="write the results into the strategies' page")
    add("files", nargs="*", type=Path, metavar="FILE", help="with --sample: results to check")
    parser.set_defaults(usage_error=parser.error, options=None, table=None)


def _seed(word: str) -> str:
    if not is_seed(word):
        raise argparse.ArgumentTypeError(f"{word[:40]!r} is not {SEED}")
    return word


def run(args: argparse.Namespace, _settings: Settings | None) -> int:
    """Play, play again or write the table; returns 1 when a result does not come again."""
    task = _task(args)
    for name, value in _DEFAULTS.items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    if task == "sample":
        return _sample(args)
    if task == "table":
        PAGE.write_text(renewed(PAGE.read_text("utf-8"), files_in(())), "utf-8")
        print(f"written: {shown(PAGE)}")
    else:
        _match(args)
    return 0


def _task(args: argparse.Namespace) -> str:
    """What is asked for; nothing that is given may go unused.

    Only `--deal` may be put behind the command of a match, to look at one deal of it.
    """
    names = dict.fromkeys([*_WITH, *(name for each in _WITH.values() for name in each)])
    given = [name for name in names if getattr(args, name) not in (None, [])]
    tasks = [name for name in given if name in _WITH]
    if not tasks:
        args.usage_error("choose one of --game, --sample and --table")
    task = tasks[0]
    if unused := [name for name in given if name not in (task, *_WITH[task])]:
        words = ", ".join("FILE" if name == "files" else f"--{name}" for name in unused)
        args.usage_error(f"--{task} does not go with {words}")
    if args.deal is not None and args.save is not None:
        args.usage_error("--deal does not go with --save: a kept result begins with deal 0")
    return task


def _match(args: argparse.Namespace) -> None:
    if args.save is not None:
        _try_place(args.save)
    match = Match(
        game=args.game, options=args.options, seats=args.seats, a=args.a, b=args.b, seed=args.seed
    )
    deals = range(-(-args.games // args.seats))
    if args.deal is not None:
        deals = range(args.deal, args.deal + 1)
    done = 0

    def counted() -> Iterator[Deal]:
        nonlocal done
        for done, deal in enumerate(play(match, deals, args.cores), 1):  # noqa: B007 - told below
            yield deal

    try:
        with Progress("deals", len(deals)) as progress:
            result = result_of(match, progress.over(counted()))
    except KeyboardInterrupt:
        games = f"{done * match.seats:,} of {len(deals) * match.seats:,} games"
        print(f"logbuch: interrupted after {games}, nothing is kept", file=sys.stderr)
        raise
    if args.json:
        print(json.dumps(_plain(result), indent=1, ensure_ascii=False))
    else:
        _print(result, args.deal)
    if args.save is not None:
        args.save.write_text(write(result), encoding="utf-8")


def _try_place(file: Path) -> None:
    """Fail before hours of playing if the result could not be kept there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    place = file.resolve()
    new = not place.exists()
    with place.open("ab"):  # leaves what is there
        pass
    if new:
        place.unlink()


def _print(result: Result, deal: int | None) -> None:
    print(f"{result.title}, {result.seats} seats: {result.a} against {result.b}")
    deals = f"{len(result.deals):,} deals" if deal is None else f"deal {deal} alone"
    of = f"{result.games:,} ({deals}, seed {result.seed})"
    share = f"{_percent(result.a_share)} of the wins for {result.a}"
    between = f"{_percent(result.ci_low)} to {_percent(result.ci_high)} (95 %)"
    between += f"; equals would share {_percent(1 / result.seats)}"
    a, b = f"A {result.a}", f"B {result.b}"
    rows = [("games", of), ("share", share), ("interval", between)]
    rows += [(a, _pace(result.a_ms)), (b, _pace(result.b_ms))]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _pace(pace: Pace) -> str:
    named = (("mean", pace.mean), ("p50", pace.p50), ("p99", pace.p99), ("max", pace.max))
    times = "  ".join(f"{name} {ms:>8,.3f}" for name, ms in named)
    return f"{times} ms  {pace.decisions:,} decisions, {pace.over_300:,} over {SLOW_MS} ms"


def _plain(result: Result) -> dict[str, Any]:
    plain = {"game": result.game, "options": result.options, "seats": result.seats}
    plain |= {"a": result.a, "b": result.b, "seed": result.seed, "games": result.games}
    plain |= {"a_share": result.a_share, "ci_low": result.ci_low, "ci_high": result.ci_high}
    for side, pace in (("a", result.a_ms), ("b", result.b_ms)):
        plain |= {f"{side}_ms_mean": pace.mean}
        plain |= {f"{side}_ms_p50": pace.p50, f"{side}_ms_p99": pace.p99}
        plain |= {f"{side}_ms_max": pace.max, f"{side}_over_300_ms": pace.over_300}
        plain |= {f"{side}_decisions": pace.decisions}
    return plain


def _sample(args: argparse.Namespace) -> int:
    files = files_in(args.files)
    results = {file: read(file) for file in files}
    width = max((len(shown(file)) for file in files), default=0)
    lines: list[dict[str, Any]] = []
    for file, result in results.items():
        deals = drawn(result, args.sample, args.seed)
        old = outdated(result)
        found = [] if old else changes(result, deals, _again(result, deals, args.cores))
        games = 0 if old else len(deals) * result.seats
        lines.append(
            {
                "file": shown(file),
                "games": games,
                "outdated": old,
                "changed": [each._asdict() for each in found],
            }
        )
        if not args.json:
            words = _compared(result, games, old, found)
            again = f"; run again: {renewing(result, file)}" if old or found else ""
            print(f"{shown(file):<{width}}  {words}{again}", flush=True)
    wrong = sum(bool(line["outdated"] or line["changed"]) for line in lines)
    if args.json:
        print(json.dumps({"files": lines}, indent=1, ensure_ascii=False))
    else:
        print(f"{len(lines)} results, {wrong} not as the present strategies play")
    return 1 if wrong else 0


def _again(result: Result, deals: list[int], cores: int | None) -> Iterator[Deal]:
    with Progress(result.title, len(deals)) as progress:
        yield from progress.over(play(result, deals, cores))


def _compared(result: Result, games: int, old: str | None, found: list[Change]) -> str:
    if old is not None:
        return old
    if not found:
        return f"{games:,} of {result.games:,} games came out as they are stored"
    first = "; ".join(f"deal {c.deal} was {c.stored}, is {c.now}" for c in found[:CHANGES_SHOWN])
    deals = games // result.seats
    return f"{len(found)} of {deals} deals came out otherwise ({first}): a strategy has changed"
