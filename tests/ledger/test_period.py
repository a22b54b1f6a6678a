"""Leaderboards of today and this week, in German time, and one's own place on them."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from contracts.leaderboard import Leaderboard, LeaderboardLine, LeaderboardQuery, Period
from services.kit.store.database import Database
from services.ledger.leaderboard import board
from services.ledger.period import begin_of

BERLIN = ZoneInfo("Europe/Berlin")


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp() * 1000)


@pytest.mark.parametrize(
    ("at", "day", "week"),
    [
        ("2026-03-11 00:00:00", "2026-03-11", "2026-03-09"),
        ("2026-03-11 23:59:59", "2026-03-11", "2026-03-09"),
        ("2026-03-09 00:00:00", "2026-03-09", "2026-03-09"),
        ("2026-03-08 23:59:59", "2026-03-08", "2026-03-02"),
        # The clocks go forward on 2026-03-29 and back on 2026-10-25, both Sundays.
        ("2026-03-29 12:00:00", "2026-03-29", "2026-03-23"),
        ("2026-10-25 12:00:00", "2026-10-25", "2026-10-19"),
        ("2027-01-01 00:30:00", "2027-01-01", "2026-12-28"),
    ],
)
def test_days_and_weeks_begin_at_german_midnight(at: str, day: str, week: str) -> None:
    assert begin_of("today", ms(at)) == ms(day)
    assert begin_of("week", ms(at)) == ms(week)
    assert begin_of("all", ms(at)) == 0


NOW = ms("2026-03-11 15:00:00")  # a Wednesday
ENTRIES = [
    ("p_old", 500, "2026-03-08 23:59:59"),
    ("p_anna", 20, "2026-03-08 23:59:59"),
    ("p_anna", 30, "2026-03-09 00:00:00"),
    ("p_ben", 30, "2026-03-10 23:59:59"),
    ("p_ben", -10, "2026-03-11 00:00:00"),
    ("p_carl", -10, "2026-03-11 14:59:59"),
    ("p_dora", 7, "2026-03-11 14:59:59"),
]


@pytest.fixture
async def entries(database: Database) -> None:
    rows = [(f"t{n}", *entry[:2], ms(entry[2]), n) for n, entry in enumerate(ENTRIES)]
    async with database.connection() as link:
        await link.executemany(
            "INSERT INTO leaderboard_entries VALUES ($1, $2, 'speeddive', $3, 1, $4, $5)", rows
        )


async def ask(database: Database, *query: object) -> Leaderboard:
    async with database.connection() as link:
        return await board(link, "speeddive", LeaderboardQuery(*query), NOW)  # type: ignore[arg-type]


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize(
    ("period", "lines"),
    [
        ("today", [(1, "p_dora", 7, 1), (2, "p_ben", -10, 1), (2, "p_carl", -10, 1)]),
        (
            "week",
            [(1, "p_anna", 30, 1), (2, "p_ben", 20, 2), (3, "p_dora", 7, 1), (4, "p_carl", -10, 1)],
        ),
        (
            "all",
            [
                (1, "p_old", 500, 1),
                (2, "p_anna", 50, 2),
                (3, "p_ben", 20, 2),
                (4, "p_dora", 7, 1),
                (5, "p_carl", -10, 1),
            ],
        ),
    ],
)
async def test_only_games_of_the_period_count(
    database: Database, period: Period, lines: list[tuple[int, str, int, int]]
) -> None:
    got = await ask(database, 100, period)

    assert list(got.lines) == [LeaderboardLine(*line) for line in lines]
    assert (got.period, got.since, got.own) == (period, begin_of(period, NOW), None)


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize(
    ("limit", "period", "player", "own"),
    [
        (1, "today", "p_carl", (2, "p_carl", -10, 1)),
        (1, "week", "p_anna", (1, "p_anna", 30, 1)),
        (2, "all", "p_dora", (4, "p_dora", 7, 1)),
        (100, "today", "p_anna", None),
        (100, "all", "p_nobody", None),
    ],
)
async def test_the_own_place_counts_though_it_lies_behind_the_limit(
    database: Database,
    limit: int,
    period: Period,
    player: str,
    own: tuple[int, str, int, int] | None,
) -> None:
    got = await ask(database, limit, period, player)

    assert got.own == (LeaderboardLine(*own) if own else None)
    assert got.lines == (await ask(database, limit, period)).lines
    assert len(got.lines) <= limit


async def test_today_is_read_by_its_index_alone(database: Database) -> None:
    """A hundred thousand old entries: what was played today is found without them."""
    async with database.connection() as link:
        await link.execute(
            "INSERT INTO leaderboard_entries SELECT 't' || n, 'p_' || n % 1000, 'speeddive', n % 9,"
            " 1, n, n FROM generate_series(1, 100000) AS n"
        )
        await link.execute("ANALYZE leaderboard_entries")
        plan = "\n".join(
            row[0]
            for row in await link.fetch(
                "EXPLAIN SELECT player, sum(points) FROM leaderboard_entries"
                " WHERE game = 'speeddive' AND at_ms >= 99990 GROUP BY player"
            )
        )
    assert "leaderboard_entries_recent" in plan
    assert "Seq Scan" not in plan
