"""`logbuch arena`: how strong one computer player is against another."""

from __future__ import annotations

import argparse
import json
import math
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import msgspec

from domain.games import GAMES
from services.bot.arena.match import Pairing, Played, play_deal
from services.bot.strategies import strategy_of
from services.kit.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("--game", choices=sorted(GAMES), required=True)
    add("--a", default="stark")
    add("--b", default="normal")
    add("--games", type=int, default=1000)
    add("--seats", type=int, default=2)
    add("--options", default="")
    add("--seed", default="1")
    add("--cores", type=int, default=None)


def _deal(args: argparse.Namespace, deal: int) -> Played:
    game = GAMES[args.game]
    options = msgspec.convert(
        dict(pair.split("=") for pair in filter(None, args.options.split(","))),
        game.options_type,
        strict=False,
    )
    pairing = Pairing(
        game,
        options,
        args.seats,
        strategy_of(args.game, args.a),
        strategy_of(args.game, args.b),
        args.seed,
    )
    return play_deal(pairing, deal)


def run(args: argparse.Namespace, _settings: Settings | None) -> int:
    """Play and print."""
    deals = args.games // args.seats
    plain = argparse.Namespace(**{k: v for k, v in vars(args).items() if not callable(v)})
    with ProcessPoolExecutor(args.cores) as pool:
        played = list(pool.map(partial(_deal, plain), range(deals), chunksize=4))
    means = [sum(shares) / args.seats for shares, _, _ in played]
    mean = sum(means) / deals
    deviation = math.sqrt(sum((each - mean) ** 2 for each in means) / max(1, deals - 1))
    half = 1.96 * deviation / math.sqrt(deals)
    a_ns = sorted(ns for _, a, _ in played for ns in a)
    b_ns = sorted(ns for _, _, b in played for ns in b)
    print(
        json.dumps(
            {
                "games": deals * args.seats,
                "a_share": round(mean, 4),
                "ci_low": round(mean - half, 4),
                "ci_high": round(mean + half, 4),
                "a_ms_p50": a_ns[len(a_ns) // 2] / 1e6,
                "a_ms_p99": a_ns[len(a_ns) * 99 // 100] / 1e6,
                "a_ms_max": a_ns[-1] / 1e6,
                "b_ms_p99": b_ns[len(b_ns) * 99 // 100] / 1e6,
            }
        )
    )
    return 0
