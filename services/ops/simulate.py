"""`logbuch simulate`: whole games through the real bus, played by test players and computers."""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, get_args

import msgspec
from msgspec import Struct

from domain.games import GAMES
from domain.table.events import Stake, Tempo
from services.kit.client import Ack, Counts, PlayerClient, counts
from services.kit.console.arguments import number
from services.kit.console.options import add_options
from services.kit.console.progress import Progress
from services.kit.settings import Settings
from services.kit.store.model import StoreError
from services.ops.players import door
from services.ops.simulation.acks import missing_acks
from services.ops.simulation.plan import Plan, fault, strengths_of
from services.ops.simulation.play import Outcome, play_table
from services.ops.simulation.taler import TalerCheck, check_taler

STARTING_MAX = 16
"""Tables that are opened and filled at the same time."""
ERRORS_SHOWN = 10
_MEASURED = frozenset({"move", "weiter"})


class Report(Struct, frozen=True):
    """What a simulation came to; times are from a person's command to its answer, in ms.

    `moves` counts all of them, people's and computers'. `acks_missing` is None when the log could
    not be asked. `taler` is what the check of all accounts found after games for a stake, None when there
    was none or the log could not be asked.
    """

    games: int
    finished: int
    errors: int
    moves: int
    facts: int
    seconds: float
    moves_per_s: float
    p50_ms: float
    p99_ms: float
    repeats: int
    resumes: int
    refusals: dict[str, int]
    acks: int
    acks_missing: int | None
    failed: list[dict[str, Any]]
    tables: list[str]
    stake: int = 0
    taler: TalerCheck | None = None

    @property
    def ok(self) -> bool:
        """Whether every game was finished, and no acknowledgement or Taler was lost."""
        lost = self.acks_missing or (self.taler is not None and self.taler.findings)
        return self.finished == self.games and not self.errors and not lost


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("--game", required=True, choices=sorted(GAMES), help="which game")
    tables_help = "how many games, 1 to 100,000 (1)"
    add("--tables", type=number(1, 100_000), default=1, metavar="N", help=tables_help)
    add("--seats", type=number(1, 16), default=2, metavar="K", help="seats at each table (2)")
    add("--people", type=number(1, 16), default=1, metavar="P", help="of which test players (1)")
    add_options(parser)
    strength_help = "of the computers, in turn: leicht, normal, stark (normal)"
    add("--strength", type=_strengths, default=("normal",), metavar="S,...", help=strength_help)
    stake_help = "Taler that each person puts into the pot of each game (0)"
    add("--stake", type=int, choices=get_args(Stake), default=0, help=stake_help)
    add("--seed", type=int, default=1, metavar="S", help="what people choose by (1)")
    min_help = "shortest game for the leaderboard, in seconds (90)"
    add("--min-game-s", type=number(0, 86_400), metavar="S", help=min_help)
    tempo_help = "of the computers: normal, schnell, or sofort for no pauses (sofort)"
    add("--tempo", choices=get_args(Tempo), default="sofort", help=tempo_help)
    parser.set_defaults(usage_error=parser.error)


async def run(args: argparse.Namespace, settings: Settings) -> int:
    """Play the games and print the summary; returns 1 when anything went wrong."""
    plan = Plan(
        game=args.game,
        tables=args.tables,
        seats=args.seats,
        people=args.people,
        options=args.options,
        strengths=args.strength,
        seed=args.seed,
        min_game_s=args.min_game_s,
        tempo=args.tempo,
        stake=args.stake,
    )
    if (reason := fault(plan)) is not None:
        args.usage_error(reason)
    report = await simulate(plan, settings)
    if args.json:
        print(json.dumps(_plain(report), indent=1, ensure_ascii=False))
    else:
        _print(report)
    return 0 if report.ok else 1


async def simulate(plan: Plan, settings: Settings) -> Report:
    """Play all tables at once and say what came of it."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    async with test_players(plan.players, settings, plan.stall_s) as (clients, counted):
        outcomes = await _play_all(plan, clients, counted)
        seconds = loop.time() - begun
        acks = [ack for client in clients.values() for ack in client.acks]
    missing: list[Ack] | None
    try:
        missing = await missing_acks(settings.database_url, acks)
    except (StoreError, OSError):
        missing = None
    report = _report(outcomes, counted, len(acks), missing, seconds)
    if not plan.stake:
        return report
    played = [each.table for each in outcomes if not each.error]
    taler: TalerCheck | None
    try:
        taler = await check_taler(settings.database_url, played)
    except (StoreError, OSError):
        taler = None
    return msgspec.structs.replace(report, stake=plan.stake, taler=taler)


async def _play_all(plan: Plan, clients: dict[str, PlayerClient], counted: Counts) -> list[Outcome]:
    starting = asyncio.Semaphore(STARTING_MAX)
    tasks = [
        asyncio.create_task(play_table(plan, number, clients, starting))
        for number in range(plan.tables)
    ]
    try:
        with Progress("games", plan.tables) as progress:
            waiting = set(tasks)
            while waiting:
                _, waiting = await asyncio.wait(
                    waiting, timeout=0.2, return_when=asyncio.FIRST_COMPLETED
                )
                failed = sum(bool(task.result().error) for task in tasks if task.done())
                note = f"{len(counted.answered_s):,} commands, {failed} failed"
                progress.show(plan.tables - len(waiting), note)
    except asyncio.CancelledError:
        acks = [ack for client in clients.values() for ack in client.acks]
        left = unfinished(acks, [task.result() for task in tasks if task.done()])
        print(f"logbuch: interrupted; {left:,} tables are left unfinished", file=sys.stderr)
        raise
    return [task.result() for task in tasks]


def unfinished(acks: Iterable[Ack], outcomes: Iterable[Outcome]) -> int:
    """Count the tables that were opened and, as far as is known, are not over."""
    opened = {ack.table for ack in acks}
    return len(opened - {each.table for each in outcomes if not each.error})


@asynccontextmanager
async def test_players(
    players: tuple[str, ...], settings: Settings, patience_s: float
) -> AsyncIterator[tuple[dict[str, PlayerClient], Counts]]:
    """Lend one connected client per player, with shared counts."""
    counted = counts()
    clients: dict[str, PlayerClient] = {}
    async with door(settings) as entrance, AsyncExitStack() as stack:
        for player in players:
            bus = await entrance.connect(player)
            client = PlayerClient(bus, player, patience_s=patience_s, shared=counted)
            clients[player] = await stack.enter_async_context(client)
        yield clients, counted


def _report(
    outcomes: list[Outcome],
    counted: Counts,
    acks: int,
    missing: list[Ack] | None,
    seconds: float,
) -> Report:
    failed = [each for each in outcomes if each.error]
    moves = sum(each.moves for each in outcomes)
    answered = [took * 1000 for verb, took in counted.answered_s if verb in _MEASURED]
    cuts = statistics.quantiles(answered, n=100) if len(answered) > 1 else [0.0] * 99
    lost = [_lost(ack) for ack in (missing or [])[:ERRORS_SHOWN]]
    return Report(
        games=len(outcomes),
        finished=len(outcomes) - len(failed),
        errors=len(failed),
        moves=moves,
        facts=sum(each.facts for each in outcomes),
        seconds=round(seconds, 2),
        moves_per_s=round(moves / seconds, 1),
        p50_ms=round(cuts[49], 2),
        p99_ms=round(cuts[98], 2),
        repeats=counted.repeats,
        resumes=counted.resumes,
        refusals=dict(Counter(counted.refused)),
        acks=acks,
        acks_missing=None if missing is None else len(missing),
        failed=[{"table": each.table, "error": each.error} for each in failed] + lost,
        tables=[each.table for each in outcomes],
    )


def _lost(ack: Ack) -> dict[str, Any]:
    return {"table": ack.table, "error": f"acknowledged fact {ack.last} ({ack.verb}) is not there"}


def _plain(report: Report) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(report)
    if report.taler is not None:
        plain["taler"] = report.taler._asdict()
    return plain


def _print(report: Report) -> None:
    missing = "not checked" if report.acks_missing is None else f"{report.acks_missing:,} missing"
    refused = ", ".join(f"{code} {count}" for code, count in sorted(report.refusals.items()))
    rows = (
        ("games", f"{report.games:,}"),
        ("finished", f"{report.finished:,}"),
        ("errors", f"{report.errors:,}"),
        ("moves", f"{report.moves:,} in {report.seconds:.1f} s ({report.facts:,} facts)"),
        ("moves/s", f"{report.moves_per_s:,.0f}"),
        ("p50", f"{report.p50_ms:.1f} ms"),
        ("p99", f"{report.p99_ms:.1f} ms"),
        ("repeats", f"{report.repeats:,} commands, {report.resumes:,} resumes"),
        ("refusals", refused or "none"),
        ("acks", f"{report.acks:,}, {missing} in the log"),
    )
    for name, value in rows:
        print(f"{name:<9} {value}")
    if report.stake:
        print(f"{'Taler':<9} {_conserved(report.taler)}")
    for each in report.failed[:ERRORS_SHOWN]:
        print(f"  {each['table'] or 'not opened'}: {each['error']}")
    if (more := len(report.failed) - ERRORS_SHOWN) > 0:
        print(f"  and {more} more")


def _conserved(taler: TalerCheck | None) -> str:
    if taler is None:
        return "not checked"
    if not taler.findings:
        return f"conserved: {taler.accounts:,} accounts add up to 0, every pot was paid out"
    more = f", and {len(taler.findings) - 1} more" if len(taler.findings) > 1 else ""
    return f"NOT conserved: {taler.findings[0]}{more}"


def _strengths(word: str) -> tuple[str, ...]:
    try:
        return strengths_of(word)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
