"""What must hold after a crowd has played: of its tables, its people's knowledge, Taler and places."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from contracts.envelope import chain_hash
from contracts.leaderboard import LeaderboardLine
from contracts.subjects import account_stream, stream_of
from domain.account.events import Booked, pot_of
from domain.entering import LEAVER_POINTS, seat_points
from domain.table.events import GameFinished, PlayerLeft
from domain.table.state import ENDED
from services.kit.bus import BusError
from services.kit.client import Ack
from services.kit.console.progress import Progress
from services.kit.settings import Settings
from services.kit.store.chain import Undecodable
from services.kit.store.database import Database
from services.kit.store.reader import Reader
from services.kit.tables import facts_of
from services.ops.simulation.acks import missing_acks
from services.ops.trials.crowd_visitor import HASH_BYTES, Heard
from services.ops.trials.report import Sheet
from services.ops.verification.source import Snapshot, snapshots
from services.ops.verification.stream import check_table

OVER_S: Final = 180.0
"""So long tables may go on that everybody has left: a held place is held for two minutes."""
CAUGHT_UP_S: Final = 60.0
"""Within so long the ledger has come to the end of the log."""
_LOOK_S: Final = 0.5
_OPEN: Final = "SELECT count(*) FROM log_index WHERE stream = ANY ($1) AND status <> ALL ($2)"

Ask: TypeAlias = Callable[[str, str], Awaitable[LeaderboardLine | None]]
"""Gives a player's own line of the leaderboard of a game; raises BusError."""
Entries: TypeAlias = dict[tuple[str, str], list[int]]
"""The points of each entry, by player and game."""


class Evidence(NamedTuple):
    """What is known from outside: the tables that may have been opened, and what people were told."""

    tables: frozenset[str]
    players: tuple[str, ...]
    acks: Sequence[Ack]
    heard: Sequence[Heard]


async def wait_for_the_end(url: str, tables: frozenset[str], within_s: float = OVER_S) -> None:
    """Return when all these tables are over, or after so long; raises StoreUnavailable."""
    until = asyncio.get_running_loop().time() + within_s
    streams = [stream_of(table) for table in tables]
    async with Database(url, name="trial") as database:
        while asyncio.get_running_loop().time() < until:
            async with database.connection() as link:
                if not await link.fetchval(_OPEN, streams, list(ENDED)):
                    return
            await asyncio.sleep(_LOOK_S)


async def check(
    evidence: Evidence, settings: Settings, ask: Ask, sheet: Sheet, within_s: float = CAUGHT_UP_S
) -> Counter[str]:
    """Check everything, and count the finished games by their name; raises StoreUnavailable."""
    url = settings.database_url
    heard: dict[str, list[Heard]] = defaultdict(list)
    for each in evidence.heard:
        heard[each.table].append(each)
    finished: Counter[str] = Counter()
    entries: Entries = defaultdict(list)
    lost = Counter(ack.table for ack in await missing_acks(url, evidence.acks))
    acked = {ack.table for ack in evidence.acks}
    async with Database(url, name="trial") as database:
        with Progress("tables checked", len(evidence.tables)) as progress:
            done = 0
            async for snapshot in snapshots(database, sorted(evidence.tables)):
                done += 1
                progress.show(done)
                if snapshot.events or snapshot.table in acked:
                    of_table(sheet, snapshot, heard[snapshot.table], lost[snapshot.table])
                    finished.update(_enter(entries, snapshot))
                await asyncio.sleep(0)
        until = asyncio.get_running_loop().time() + within_s
        await _pots(sheet, Reader(database), evidence.tables, until)
    await _boards(sheet, evidence.players, entries, ask, until)
    await _books(sheet, settings)
    return finished


def of_table(sheet: Sheet, snapshot: Snapshot, heard: Sequence[Heard], lost: int) -> None:
    """Check one table: it is over and sound, and everybody was told what is stored."""
    table, index, events = snapshot
    status = "not in the log" if index is None else index.status
    detail = f"the table is {status}"
    sheet.check(holds=status in ENDED, what="the table has ended", where=table, detail=detail)
    detail = f"{lost} acknowledgements are not in the log"
    sheet.check(holds=not lost, what="what was acknowledged is stored", where=table, detail=detail)
    if not events:
        return
    found = check_table(table, index, events).finding
    detail = "" if found is None else f"fact {found.version}: {found.kind}, {found.detail}"
    sheet.check(holds=found is None, what="verify", where=table, detail=detail)
    hashes = [chain_hash(*event) for event in events]
    for each in heard:
        wrong = _wrong(each, hashes)
        where = f"{table}, {each.player}"
        sheet.check(holds=not wrong, what="what was heard is stored", where=where, detail=wrong)


def _wrong(heard: Heard, stored: Sequence[bytes]) -> str:
    """Say what somebody heard otherwise than it is stored, "" when nothing."""
    count = heard.passed + len(heard.hashes) // HASH_BYTES
    if count > len(stored):
        return f"he heard of {count} facts, stored are {len(stored)}"
    for at, known in enumerate(stored[heard.passed : count]):
        if heard.hashes[at * HASH_BYTES :][:HASH_BYTES] != known:
            return f"fact {heard.passed + at + 1} came with another hash"
    # Who plays again looks at the new table: the fact that tells of it comes after the end.
    if heard.to_the_end and count < len(stored) - 1:
        return f"he heard of {count} of {len(stored)} facts, and did not leave"
    return ""


def _enter(entries: Entries, snapshot: Snapshot) -> list[str]:
    """Compute what a table brings to the leaderboards; give its game if that was finished."""
    if snapshot.row is None:
        return []
    game, finished = snapshot.row.game, list[str]()
    try:
        for at, fact in facts_of(snapshot.events):
            match fact:
                case PlayerLeft(player=player, others=True):
                    entries[player, game].append(LEAVER_POINTS)
                case GameFinished():
                    finished.append(game)
                    for each in seat_points(fact, at):
                        if not each.why_not:
                            entries[each.player, game].append(each.points)
    except Undecodable:
        pass  # which `verify` has told
    return finished


async def _pots(sheet: Sheet, reader: Reader, tables: frozenset[str], until: float) -> None:
    """See that no stake lies in the pot of any table, as soon as the ledger has caught up."""
    full = {account_stream(pot_of(table)): 0 for table in tables}
    while True:
        balances = {
            stream: fact.balance
            async for stream, events in reader.streams(list(full))
            for _, fact in facts_of(events)
            if isinstance(fact, Booked)
        }
        for stream in [stream for stream in full if not balances.get(stream)]:
            del full[stream]
        if not full or asyncio.get_running_loop().time() > until:
            break
        await asyncio.sleep(_LOOK_S)
    for table in sorted(tables):
        pot = account_stream(pot_of(table))
        detail = f"{balances.get(pot, 0)} Taler are still in the pot"
        sheet.check(holds=pot not in full, what="the pot is empty", where=table, detail=detail)


async def _boards(
    sheet: Sheet, players: Sequence[str], entries: Mapping[Any, list[int]], ask: Ask, until: float
) -> None:
    """Ask for everybody's place in each game that he played, and hold it against the log."""
    for player, game in sorted(entries):
        if player not in players:
            continue
        points = entries[player, game]
        wanted = (len(points), sum(points))
        told: tuple[int, int] | str = ""
        while told != wanted:
            try:
                line = await ask(player, game)
                told = (0, 0) if line is None else (line.games, line.points)
            except BusError as error:
                told = str(error)
            if asyncio.get_running_loop().time() > until:
                break
            if told != wanted:
                await asyncio.sleep(_LOOK_S)
        detail = f"games and points are {told}, but the log gives {wanted}"
        where = f"{game}, {player}"
        sheet.check(holds=told == wanted, what="leaderboard", where=where, detail=detail)


async def _books(sheet: Sheet, settings: Settings) -> None:
    """Let the ledger compare all accounts, stakes and leaderboards with the log, as operators do."""
    words = (*("ledger", "check", "--json"), "--data", str(settings.data))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "services", *words),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    said, _ = await process.communicate()
    found = books_findings(said)
    for finding in found:
        sheet.fail("ledger check", "ledger", finding)
    if not found:
        sheet.check(holds=True, what="ledger check", where="ledger", detail="")


def books_findings(said: bytes) -> list[str]:
    """Read what `ledger check --json` found."""
    try:
        report = json.loads(said)
    except ValueError:
        return ["`logbuch ledger check` said nothing"]
    if "error" in report:
        return [str(report["error"])]
    return list(map(str, report["findings"]))
