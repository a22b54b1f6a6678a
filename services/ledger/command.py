"""`logbuch ledger`: accounts and leaderboards, and whether they are what the log says."""

import argparse
from collections.abc import Callable
from hashlib import sha256
from typing import Final

import msgspec

from contracts.leaderboard import (
    LINES_MAX,
    Leaderboard,
    LeaderboardLine,
    LeaderboardQuery,
    Period,
    decode_leaderboard,
)
from contracts.replies import Rejected
from contracts.subjects import OPS, inbox, leaderboard
from domain.entering import MINIMUM_TIME
from domain.games import GAMES
from domain.table.events import TableRules
from services.kit import nats_bus
from services.kit.bus import NoAnswer
from services.kit.rebuild import Outcome
from services.kit.settings import Settings
from services.kit.store.database import Database
from services.kit.store.migrate import migrate
from services.ledger.checking import Check, check
from services.ledger.listing import accounts

_ANSWER_S: Final = 5.0
_ACCOUNTS_MAX: Final = 10_000
_PERIODS: Final[tuple[Period, ...]] = ("today", "week", "all")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verbs."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    board = verbs.add_parser("leaderboard", help="show the best of a game")
    add = board.add_argument
    add("game", choices=tuple(GAMES))
    add("--period", choices=_PERIODS, default="all", help="which games count (all)")
    add("--player", default="", metavar="PLAYER", help="show this player's place, too")
    lines = f"lines, 1 to {LINES_MAX} (20)"
    add("--limit", type=_limit(LINES_MAX), default=20, metavar="N", help=lines)
    listed = verbs.add_parser("accounts", help="show who has how many Taler")
    many = f"accounts, 1 to {_ACCOUNTS_MAX:,} (100)"
    listed.add_argument("--limit", type=_limit(_ACCOUNTS_MAX), default=100, metavar="N", help=many)
    verbs.add_parser("check", help="compare accounts and leaderboards with the log; exit 1 if not")
    verbs.add_parser("rebuild", help="compute accounts and leaderboards anew from the log")


async def run(args: argparse.Namespace, settings: Settings) -> int:
    """Carry out a verb; returns 1 when something is not what the log says."""
    match args.verb:
        case "leaderboard":
            return await _leaderboard(args, settings)
        case "accounts":
            return await _accounts(args, settings)
    await migrate(settings.database_url)
    swap = args.verb == "rebuild"
    checked = await check(settings.database_url, swap=swap)
    if args.json:
        print(msgspec.json.encode(_report(checked)).decode())
    else:
        _tell(checked, swap=swap)
    return 1 if checked.findings else 0


async def _leaderboard(args: argparse.Namespace, settings: Settings) -> int:
    login = settings.login("ops")
    bus = await nats_bus.connect(settings.nats_url, "ops", inbox("ops"), lambda: None, **login)
    try:
        question = msgspec.json.encode(LeaderboardQuery(args.limit, args.period, args.player))
        answer = decode_leaderboard(
            await bus.request(leaderboard(OPS, args.game), question, _ANSWER_S)
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
        case Leaderboard(lines=lines, own=own):
            print(f"{'place':>5}  {'points':>7}  {'games':>5}  player")
            for line in lines:
                _print_line(line)
            if own is not None and own not in lines:
                _print_line(own)
    return 0


def _print_line(line: LeaderboardLine) -> None:
    print(f"{line.place:>5}  {line.points:>7}  {line.games:>5}  {line.player}")


async def _accounts(args: argparse.Namespace, settings: Settings) -> int:
    url = settings.database_url
    async with Database(url, name="accounts") as database, database.connection() as link:
        listing = await accounts(link, args.limit)
    if args.json:
        print(msgspec.json.encode(listing).decode())
        return 0
    print(f"{'Taler':>12}  {'in pots':>8}  account")
    for line in listing.accounts:
        print(f"{line.balance:>12,}  {line.held:>8,}  {line.account}")
    if listing.more:
        print(f"these are {len(listing.accounts):,}, there are more: see --limit")
    print(f"{listing.count:,} accounts hold {listing.total:,} Taler together")
    return 0


def _too_short(game: str) -> str:
    seconds = TableRules(places=0).min_game_s
    return f" (games under {seconds} s are not entered)" if game in MINIMUM_TIME else ""


def _report(checked: Check) -> dict[str, object]:
    boards, recounted = checked.boards, checked.recounted
    before, count = _entries(boards)
    return {
        "equal": not checked.findings,
        "findings": checked.findings,
        "accounts": len(recounted.books.accounts),
        "holds": len(recounted.books.holds),
        "total": recounted.books.total,
        "entries_before": before,
        "entries": count,
        "position": str(boards.position),
        "sha256": sha256(boards.computed).hexdigest(),
    }


def _entries(boards: Outcome) -> tuple[int, int]:
    """How many entries there were, and how many the log gives."""
    living, computed = (
        len(msgspec.json.decode(content)["entries"]) for content in (boards.living, boards.computed)
    )
    return living, computed


def _tell(checked: Check, *, swap: bool) -> None:
    boards, recounted = checked.boards, checked.recounted
    for finding in checked.of_taler:
        print(finding)
    before, count = _entries(boards)
    if not boards.equal and swap:
        what = f"the leaderboards differed from the log ({before} entries before)"
        done = "; computed anew and swapped in"
    else:
        what = (
            f"the leaderboards are {'byte-equal to' if boards.equal else 'NOT'} what the log gives"
        )
        done = ", computed anew and swapped in" if swap else ""
    print(f"{what}{done}: {count} entries up to position {boards.position}")
    rows = len(recounted.differences)
    same = "are" if not rows else f"differ in {rows} rows from" if not swap else "differed from"
    again = ", computed anew and swapped in" if swap else ""
    books = recounted.books
    print(
        f"the accounts {same} what the log gives{again}: {len(books.accounts)} accounts, sum {books.total}"
    )
    if checked.findings and not swap:
        print("`logbuch ledger rebuild` puts right what is only computed")


def _limit(most: int) -> Callable[[str], int]:
    def limit(text: str) -> int:
        number = int(text)
        if not 1 <= number <= most:
            raise argparse.ArgumentTypeError(f"not in 1 to {most:,}: {text}")
        return number

    return limit
