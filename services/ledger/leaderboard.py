"""The leaderboards as a read model.

A player's points are the *sum* of his entries. The seed speaks of the points that a game brings and
of -10 for leaving; only a sum makes the -10 cost something, the best single game would forget it.
Equal sums share a place; within it stands first who has had his sum for longer (by log position).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from contracts.leaderboard import Leaderboard, LeaderboardLine
from domain.table.events import GameFinished, PlayerLeft
from services.kit.follow import Link, LogFact, Telling, checkpoint
from services.ledger.entries import BoardEntry, entries_of

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
SELECT rank() OVER (ORDER BY sum(points) DESC), player, sum(points)::bigint, count(*)
FROM leaderboard_entries WHERE game = $1 GROUP BY player
ORDER BY sum(points) DESC, max(position), player LIMIT $2
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


async def board(link: Link, game: str, limit: int | None = None) -> Leaderboard:
    """Give the best of a game, all of them without a limit."""
    position = await checkpoint(link, LeaderboardModel.name)
    rows = await link.fetch(_BOARD, game, limit)
    return Leaderboard(game, str(position), tuple([LeaderboardLine(*row) for row in rows]))


async def canonical(link: Link) -> bytes:
    """Give every board and every entry as JSON text: equal content is equal text."""
    entries = [BoardEntry(*row) for row in await link.fetch(_ALL)]
    games = sorted({entry.game for entry in entries})
    boards = {game: (await board(link, game)).lines for game in games}
    return _encode({"boards": boards, "entries": entries})
