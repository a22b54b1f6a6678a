"""The leaderboard over the bus: ask on `leaderboard.<game>`, get a `Leaderboard` or a `Rejected`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct

from contracts.replies import Rejected

LINES_MAX = 100


class LeaderboardQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How many of the best are wanted; `{}` asks for the first twenty."""

    limit: Annotated[int, Meta(ge=1, le=LINES_MAX)] = 20


class LeaderboardLine(Struct, frozen=True):
    """A player's place: `points` is the sum of his entries, `games` their number.

    Players with equal points share the better place and the next ones are skipped (1, 1, 3).
    """

    place: int
    player: str
    points: int
    games: int


class Leaderboard(Struct, frozen=True, tag="leaderboard"):
    """The best of a game, in order, as of log position `position`."""

    game: str
    position: str
    lines: tuple[LeaderboardLine, ...]


LeaderboardReply: TypeAlias = Leaderboard | Rejected

_DECODER = msgspec.json.Decoder(LeaderboardReply)


def decode_leaderboard(data: bytes) -> LeaderboardReply:
    """Give the answer; raises msgspec.DecodeError when it is none."""
    return _DECODER.decode(data)
