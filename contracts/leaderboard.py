"""The leaderboard over the bus: ask on `leaderboard.<player>.<game>`, get a `Leaderboard` or a `Rejected`."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from contracts.replies import Rejected

LINES_MAX = 100
Period: TypeAlias = Literal["today", "week", "all"]
"""Which entries count: those since midnight, since Monday (both in Europe/Berlin), or all."""


class LeaderboardQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How many of the best are wanted; `{}` asks for the first twenty of all time.

    `player` asks for the line of one player besides: places are public, so anybody's.
    """

    limit: Annotated[int, Meta(ge=1, le=LINES_MAX)] = 20
    period: Period = "all"
    player: Annotated[str, Meta(max_length=40)] = ""


class LeaderboardLine(Struct, frozen=True):
    """A player's place: `points` is the sum of his entries, `games` their number.

    Players with equal points share the better place and the next ones are skipped (1, 1, 3).
    """

    place: int
    player: str
    points: int
    games: int


class Leaderboard(Struct, frozen=True, tag="leaderboard"):
    """The best of a game, in order, as of log position `position`.

    `since` is the first moment of the period in ms since the epoch, 0 for all time; entries count by
    the time at which their game ended. `own` is the line of the player who was asked for, null if he
    has no entry in the period.
    """

    game: str
    position: str
    lines: tuple[LeaderboardLine, ...]
    period: Period = "all"
    since: int = 0
    own: LeaderboardLine | None = None


LeaderboardReply: TypeAlias = Leaderboard | Rejected

_DECODER = msgspec.json.Decoder(LeaderboardReply)


def decode_leaderboard(data: bytes) -> LeaderboardReply:
    """Give the answer; raises msgspec.DecodeError when it is none."""
    return _DECODER.decode(data)
