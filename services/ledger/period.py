"""Where today and this week begin: in German time, where the players are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from contracts.leaderboard import Period

_ZONE: Final = ZoneInfo("Europe/Berlin")


def begin_of(period: Period, at_ms: int) -> int:
    """Give the first moment (ms since the epoch) of the period that holds `at_ms`; 0 for all time.

    A day begins at midnight and a week with Monday (ISO 8601); both may be an hour longer or shorter.
    """
    if period == "all":
        return 0
    day = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(_ZONE).date()
    if period == "week":
        day -= timedelta(days=day.weekday())
    midnight = datetime(day.year, day.month, day.day, tzinfo=_ZONE)
    return int(midnight.timestamp()) * 1000
