"""`logbuch arena`: how strong one computer player is against another."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from domain.games import GAMES
from domain.variants import label
from services.bot.arena.opponents import opponents
from services.bot.arena.result import Pace, Result, result_of, write
from services.bot.arena.series import Match, play
from services.bot.arena.times import SLOW_MS
from services.kit.console.arguments import number
from services.kit.console.failure import Failure
from services.kit.console.options import add_options
from services.kit.console.progress import Progress
from services.kit.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    known = "; ".join(f"{game}: {', '.join(opponents(game))}" for game in GAMES)
    add("--game", choices=sorted(GAMES), help="which game")
    add("--a", default="stark", metavar="NAME", help=f"who takes one seat (stark). {known}")
    add("--b", default="normal", metavar="NAME", help="who takes all others (normal)")
    games_help = "how many games (1000), rounded up so that A takes every seat in every deal"
    add("--games", type=number(1, 10_000_000), default=1000, metavar="N", help=games_help)
    add("--seats", type=number(2, 16), default=2, metavar="K", help="seats in each game (2)")
    add_options(parser)
    add("--seed", default="1", metavar="S", help="another series of deals (1)")
    cores_help = "how many processes play (as many as there are cores)"
    add("--cores", type=number(1, 1_000), metavar="N", help=cores_help)
    add("--deal", type=number(0, 10_000_000), metavar="N", help="play this one deal alone")
    add("--save", type=Path, metavar="FILE", help="keep the result with all outcomes in a file")
    parser.set_defaults(usage_error=parser.error)


def run(args: argparse.Namespace, _settings: Settings | None) -> int:
    """Play and print."""
    if args.game is None:
        args.usage_error("--game says what is to be played")
    _match(args)
    return 0


def _match(args: argparse.Namespace) -> None:
    if args.save is not None and not args.save.parent.is_dir():
        raise Failure(f"there is no directory {args.save.parent}")
    match = Match(
        game=args.game, options=args.options, seats=args.seats, a=args.a, b=args.b, seed=args.seed
    )
    deals = range(-(-args.games // args.seats))
    if args.deal is not None:
        deals = range(args.deal, args.deal + 1)
    with Progress("deals", len(deals)) as progress:
        result = result_of(match, progress.over(play(match, deals, args.cores)))
    if args.save is not None:
        args.save.write_text(write(result), encoding="utf-8")
    if args.json:
        print(json.dumps(_plain(result), indent=1, ensure_ascii=False))
    else:
        _print(result)


def _print(result: Result) -> None:
    variant = label(GAMES[result.game], result.options)
    print(f"{variant}, {result.seats} seats: {result.a} against {result.b}")
    of = f"{result.games:,} ({len(result.deals):,} deals, seed {result.seed})"
    share = f"{result.a_share:.2%} of the wins for {result.a}"
    between = f"{result.ci_low:.2%} to {result.ci_high:.2%} (95 %; equals: {1 / result.seats:.2%})"
    a, b = f"A {result.a}", f"B {result.b}"
    rows = [("games", of), ("share", share), ("interval", between)]
    rows += [(a, _pace(result.a_ms)), (b, _pace(result.b_ms))]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")


def _pace(pace: Pace) -> str:
    times = f"p50 {pace.p50:>8,.3f} ms  p99 {pace.p99:>8,.3f} ms  max {pace.max:>8,.3f} ms"
    return f"{times}  {pace.decisions:,} decisions, {pace.over_300:,} over {SLOW_MS} ms"


def _plain(result: Result) -> dict[str, Any]:
    plain = {"game": result.game, "options": result.options, "seats": result.seats}
    plain |= {"a": result.a, "b": result.b, "seed": result.seed, "games": result.games}
    plain |= {"a_share": result.a_share, "ci_low": result.ci_low, "ci_high": result.ci_high}
    for side, pace in (("a", result.a_ms), ("b", result.b_ms)):
        plain |= {f"{side}_ms_p50": pace.p50, f"{side}_ms_p99": pace.p99}
        plain |= {f"{side}_ms_max": pace.max, f"{side}_over_300_ms": pace.over_300}
        plain |= {f"{side}_decisions": pace.decisions}
    return plain
