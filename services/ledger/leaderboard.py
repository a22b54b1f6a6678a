"""The leaderboards as a read model.

A player's points are the *sum* of his entries. The seed speaks of the points that a game brings and
of -10 for leaving; only a sum makes the -10 cost something, the best single game would forget it.
Equal sums share a place; within it stands first who has had his sum for longer (by log position).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from contracts.leaderboard import Leaderboard, LeaderboardLine, LeaderboardQuery
from domain.table.events import GameFinished, PlayerLeft
from services.kit.follow import Link, LogFact, Telling, checkpoint
from services.ledger.entries import BoardEntry, entries_of
from services.ledger.period import begin_of

_STORE = """
INSERT INTO leaderboard_entries (table_id, player, game, points, rank, at_ms, position)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (table_id, player) DO NOTHING
"""
_ALL = """
SELECT table_id, player, game, points, rank, at_ms, position FROM leaderboard_entries
ORDER BY position, player
"""
# The place is counted over the sums, so that it stays right whatever the limit is.
_BOARD = """
WITH sums AS (
    SELECT player, sum(points)::bigint AS points, count(*) AS games, max(position) AS last
    FROM leaderboard_entries WHERE game = $1 AND at_ms >= $2 GROUP BY player
), board AS (
    SELECT rank() OVER by_points AS place, player, points, games,
        row_number() OVER (ORDER BY points DESC, last, player) AS nr
    FROM sums WINDOW by_points AS (ORDER BY points DESC)
)
SELECT place, player, points, games FROM board
WHERE $3::bigint IS NULL OR nr <= $3 OR player = $4 ORDER BY nr
"""
_encode = msgspec.json.Encoder().encode


class LeaderboardModel:
    """Keeps the entries; idempotent by (table, player), where the first entry counts."""

    name = "ledger"
    facts: tuple[type, ...] = (PlayerLeft, GameFinished)
    tables = ("leaderboard_entries",)

    async def apply(self, link: Link, facts: Sequence[LogFact]) -> Sequence[Telling]:
        """Store the entries that follow from the facts; there is nobody to tell."""
        entries = [entry for fact in facts for entry in entries_of(fact)]
        await link.executemany(_STORE, entries)
        return ()


async def board(link: Link, game: str, query: LeaderboardQuery, now_ms: int) -> Leaderboard:
    """Give the best of a game in the period of the query that holds `now_ms`, and one's own line."""
    position = await checkpoint(link, LeaderboardModel.name)
    since = begin_of(query.period, now_ms)
    rows = await link.fetch(_BOARD, game, since, query.limit, query.player)
    lines = [LeaderboardLine(*row) for row in rows]
    own = next((line for line in lines if line.player == query.player), None)
    best = tuple(lines[: query.limit])
    return Leaderboard(game, str(position), best, query.period, since, own)


async def canonical(link: Link) -> bytes:
    """Give every board and every entry as JSON text: equal content is equal text."""
    entries = [BoardEntry(*row) for row in await link.fetch(_ALL)]
    games = sorted({entry.game for entry in entries})
    boards = {
        game: [tuple(row) for row in await link.fetch(_BOARD, game, 0, None, "")] for game in games
    }
    return _encode({"boards": boards, "entries": entries})
