"""Who looks at a table, and what they are sent: each seat its own view, spectators the public one.

Views go only to people who are there. Presence here is a saving, not a fact: whoever has sent a
command lately is there, and after a change of owner everybody is for a while.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from contracts import subjects
from contracts.views import Feed, NumberedFact, table_view
from domain.kernel import Seat
from domain.table.state import Table, place_of, seat_of
from domain.table.visibility import seen
from services.kit.bus import Bus
from services.kit.clock import now_ms
from services.table.loaded import Loaded

PRESENT_MS = 60_000
"""A person is sent views for so long after his last command; a client resumes to stay."""

_ENCODER = msgspec.json.Encoder()


class StoredFact(msgspec.Struct, frozen=True, gc=False):
    """A fact with its number, time (ms) and hash (hex), as the owner knows it."""

    number: int
    at: int
    hash: str
    fact: Any


class Audience:
    """The people at one table and its spectators."""

    def __init__(self, bus: Bus) -> None:
        """Begin with nobody there."""
        self._bus = bus
        self._until: dict[str, int] = {}
        self._watched_until = 0

    def here(self, player: str, table: Table) -> None:
        """Note that a person is there: at the table, or if he has no seat as a spectator."""
        until = now_ms() + PRESENT_MS
        if _sits(table, player):
            self._until[player] = until
        else:
            self._watched_until = until

    def expect_all(self, table: Table) -> None:
        """After a change of owner, take everybody for present."""
        until = now_ms() + PRESENT_MS
        sitting = table.seats or tuple(each for each in table.places if each is not None)
        for occupant in sitting:
            if occupant.kind != "computer" and not occupant.left:
                self._until[occupant.player] = until
        self._watched_until = until

    def tell(self, loaded: Loaded, facts: Sequence[StoredFact] = ()) -> None:
        """Send everybody who is there the new facts as he may see them, and his view."""
        now, table = now_ms(), loaded.table
        for player in self._present(now):
            if _sits(table, player):
                feed = feed_for(loaded, facts, seat_of(table, player))
                self._bus.publish(subjects.view(player, table.table_id), _ENCODER.encode(feed))
        if self._watched_until > now:
            feed = feed_for(loaded, facts, None)
            self._bus.publish(subjects.watch(table.table_id), _ENCODER.encode(feed))

    def repeat_head(self, loaded: Loaded) -> None:
        """Send the number of the newest fact, so that whoever is behind notices."""
        now, table = now_ms(), loaded.table
        present = self._present(now)
        if not present and self._watched_until <= now:
            return
        data = _ENCODER.encode(Feed(table.table_id, table.version, loaded.head_hash.hex(), now))
        for player in present:
            self._bus.publish(subjects.view(player, table.table_id), data)
        if self._watched_until > now:
            self._bus.publish(subjects.watch(table.table_id), data)

    def _present(self, now: int) -> list[str]:
        gone = [player for player, until in self._until.items() if until <= now]
        for player in gone:
            del self._until[player]
        return list(self._until)


def feed_for(loaded: Loaded, facts: Sequence[StoredFact], seat: Seat | None) -> Feed:
    """Give a seat (None: a spectator) the facts as it may see them, and its view."""
    game, table = loaded.game, loaded.table
    assert game is not None, "only an opened table is shown"
    numbered = tuple(
        NumberedFact(each.number, each.at, each.hash, seen(game, each.fact, seat)) for each in facts
    )
    view = table_view(game, table, loaded.waiting, seat)
    head = loaded.head_hash.hex()
    return Feed(table.table_id, table.version, head, now_ms(), numbered, view)


def _sits(table: Table, player: str) -> bool:
    return seat_of(table, player) is not None or (
        not table.seats and place_of(table, player) is not None
    )
