"""`logbuch ledger`: leaderboards, and whether they are what the log says."""

import argparse
from hashlib import sha256
from typing import Final

import msgspec

from contracts.leaderboard import LINES_MAX, Leaderboard, LeaderboardQuery, decode_leaderboard
from contracts.replies import Rejected
from contracts.subjects import inbox
from domain.games import GAMES
from domain.table.events import TableRules
from services.kit import nats_bus
from services.kit.bus import NoAnswer
from services.kit.rebuild import Outcome, rebuild
from services.kit.settings import Settings
from services.kit.store.migrate import migrate
from services.ledger.entries import MINIMUM_TIME
from services.ledger.leaderboard import LeaderboardModel, canonical

_ANSWER_S: Final = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verbs."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    board = verbs.add_parser("leaderboard", help="show the best of a game")
    board.add_argument("game", choices=tuple(GAMES))
    board.add_argument(
        "--limit", type=_limit, default=20, metavar="N", help=f"lines, 1 to {LINES_MAX} (20)"
    )
    verbs.add_parser("check", help="compare the leaderboards with the log; exit 1 if not")
    verbs.add_parser("rebuild", help="compute the leaderboards anew from the log")


async def run(args: argparse.Namespace, settings: Settings) -> int:
    """Carry out a verb; returns 1 when a leaderboard is not what the log says."""
    if args.verb == "leaderboard":
        return await _leaderboard(args, settings)
    await migrate(settings.database_url)
    outcome = await rebuild(
        settings.database_url, LeaderboardModel(), canonical, swap=args.verb == "rebuild"
    )
    return _tell(outcome, args)


async def _leaderboard(args: argparse.Namespace, settings: Settings) -> int:
    login = settings.login("ops")
    bus = await nats_bus.connect(settings.nats_url, "ops", inbox("ops"), lambda: None, **login)
    try:
        question = msgspec.json.encode(LeaderboardQuery(args.limit))
        answer = decode_leaderboard(
            await bus.request(f"leaderboard.{args.game}", question, _ANSWER_S)
        )
    finally:
        await bus.close()
    match answer:
        case Rejected(sentence=sentence):
            raise NoAnswer(sentence)
        case Leaderboard() if args.json:
            print(msgspec.json.encode(answer).decode())
        case Leaderboard(lines=()):
            print(f"no entries for {args.game} yet{_too_short(args.game)}")
        case Leaderboard(lines=lines):
            print(f"{'place':>5}  {'points':>7}  {'games':>5}  player")
            for line in lines:
                print(f"{line.place:>5}  {line.points:>7}  {line.games:>5}  {line.player}")
    return 0


def _too_short(game: str) -> str:
    seconds = TableRules(places=0).min_game_s
    return f" (games under {seconds} s are not entered)" if game in MINIMUM_TIME else ""


def _tell(outcome: Outcome, args: argparse.Namespace) -> int:
    before, count = (
        len(msgspec.json.decode(content)["entries"])
        for content in (outcome.living, outcome.computed)
    )
    if args.json:
        report = {
            "equal": outcome.equal,
            "entries_before": before,
            "entries": count,
            "position": str(outcome.position),
            "sha256": sha256(outcome.computed).hexdigest(),
        }
        print(msgspec.json.encode(report).decode())
    else:
        if not outcome.equal and args.verb == "rebuild":
            what = f"the leaderboards differed from the log ({before} entries before)"
            done = "; computed anew and swapped in"
        else:
            equal = "byte-equal to" if outcome.equal else "NOT"
            what = f"the leaderboards are {equal} what the log gives"
            done = ", computed anew and swapped in" if args.verb == "rebuild" else ""
        print(f"{what}{done}: {count} entries up to position {outcome.position}")
        if not outcome.equal and args.verb == "check":
            print("`logbuch ledger rebuild` puts it right")
    return 0 if outcome.equal else 1


def _limit(text: str) -> int:
    number = int(text)
    if not 1 <= number <= LINES_MAX:
        raise argparse.ArgumentTypeError(f"not in 1 to {LINES_MAX}: {text}")
    return number
