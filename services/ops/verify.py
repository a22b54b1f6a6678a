"""`logbuch verify`: whether the log is what was written, and follows from the rules."""

from __future__ import annotations

import argparse
import json
from typing import Any

import msgspec
from msgspec import Struct

from contracts.subjects import account_stream, is_table_id, seat_stream
from services.kit.console.failure import Failure
from services.kit.console.progress import Progress
from services.kit.settings import Settings
from services.kit.store.database import Database
from services.ops.verification.accounts import Accounts, check_accounts
from services.ops.verification.seats import Seats, check_seats
from services.ops.verification.source import accounts, moment, snapshots, table_ids
from services.ops.verification.stream import Checked, Finding, check_table


class Report(Struct, frozen=True):
    """What was checked and found; `not_rerun` counts tables under rules of another version.

    Accounts and where people sit (`seats`, one stream for each of them) are checked with all tables;
    a finding about one has its stream for a `table`.
    """

    tables: int
    clean: int
    findings: list[Finding]
    events: int
    not_rerun: int
    accounts: int = 0
    seats: int = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("table", nargs="?", metavar="TABLE", help="id of one table")
    which.add_argument("--all", action="store_true", help="every table, account and seat")


async def run(args: argparse.Namespace, settings: Settings) -> int:
    """Check and print; returns 1 when something was found."""
    async with Database(settings.database_url, name="verify") as database:
        report = await verify(database, None if args.all else args.table)
    if args.json:
        print(json.dumps(_plain(report), indent=1, ensure_ascii=False))
    else:
        _print(report)
    return 1 if report.findings else 0


async def verify(database: Database, table: str | None) -> Report:
    """Check one table, or all; raises Failure when there is no such table."""
    if table is not None and not is_table_id(table):
        raise Failure(f"{table!r} is no table id; `logbuch tables` lists them")
    tables = await table_ids(database) if table is None else [table]
    checked: list[Checked] = []
    found = 0
    with Progress("tables", len(tables)) as progress:
        async for name, index, events in snapshots(database, tables):
            if table is not None and index is None and not events:
                raise Failure(f"there is no table {table}; `logbuch tables` lists them")
            checked.append(check_table(name, index, events))
            found += checked[-1].finding is not None
            progress.show(len(checked), f"{found} findings")
    findings = [each.finding for each in checked if each.finding is not None]
    clean = len(checked) - len(findings)
    of_accounts, of_seats = Accounts(0, 0, []), Seats(0, 0, [])
    if table is None:
        async with moment(database) as connection:
            of_accounts = await check_accounts(accounts(connection))
            of_seats = await check_seats(connection)
    return Report(
        len(checked),
        clean,
        findings + of_accounts.findings + of_seats.findings,
        sum(each.events for each in checked) + of_accounts.events + of_seats.events,
        sum(not each.rules_rerun for each in checked),
        of_accounts.accounts,
        of_seats.people,
    )


def _plain(report: Report) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(report)
    return plain


def _print(report: Report) -> None:
    for each in report.findings:
        print(f"{each.table}  event {each.version:<5} {each.kind:<12} {each.detail}")
    print(f"{report.tables:,} tables, {report.events:,} events: {report.clean:,} tables clean")
    if report.accounts:
        wrong = _wrong(report, account_stream(""))
        clean = report.accounts - wrong
        sums = ", and they add up to zero" if not wrong else ""
        print(f"{report.accounts:,} accounts: {clean:,} clean{sums}")
    if report.seats:
        clean = report.seats - _wrong(report, seat_stream(""))
        print(f"{report.seats:,} people's seats: {clean:,} clean")
    if report.not_rerun:
        print(f"{report.not_rerun:,} tables have rules of another version, which were not re-run")


def _wrong(report: Report, prefix: str) -> int:
    return sum(each.table.startswith(prefix) for each in report.findings)
