"""Who looks at a table, and what they are sent: each seat its own view, spectators the public one.

Views go only to people who are there: whoever has sent a command lately, and after a change of
owner everybody for a while. Who is missed for long becomes a fact (domain/table/presence.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from contracts import subjects
from contracts.views import Feed, NumberedFact, table_view
from domain.kernel import Seat
from domain.table.absence import OFFLINE_MS
from domain.table.clocks import next_offline
from domain.table.state import Table, persons, place_of, seat_of
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
        self._seen: dict[str, int] = {}
        """When each person at the table last showed a sign (ms)."""
        self._watched_until = 0

    def here(self, player: str, table: Table, *, looks: bool = True) -> None:
        """Note that a person is there: at the table, or without a seat as a spectator if he `looks`."""
        now = now_ms()
        if _sits(table, player):
            self._seen[player] = now
        elif looks:
            self._watched_until = now + PRESENT_MS

    def expect_all(self, table: Table) -> None:
        """After a change of owner, take everybody for present."""
        now = now_ms()
        sitting = table.seats or tuple(each for each in table.places if each is not None)
        for occupant in sitting:
            if occupant.kind != "computer" and not occupant.left:
                self._seen[occupant.player] = now
        self._watched_until = now + PRESENT_MS

    def missed(self, table: Table, now: int) -> tuple[tuple[tuple[Seat, int], ...], int | None]:
        """Give the seats whose people are to be marked as offline, and when to look again (ms).

        Each seat with the time of its last sign; nobody where nobody would wait for him.
        """
        if next_offline(table) is None:
            return (), None
        marked = {each.seat for each in table.absent}
        signs = {
            seat: self._seen.setdefault(table.seats[seat].player, now)
            for seat in persons(table)
            if seat not in marked
        }
        signs = {seat: max(at, table.started_at) for seat, at in signs.items()}
        missed = tuple((seat, at) for seat, at in signs.items() if at + OFFLINE_MS <= now)
        return missed, min(at for at in signs.values()) + OFFLINE_MS

    def tell(self, loaded: Loaded, facts: Sequence[StoredFact] = ()) -> None:
        """Send everybody who is there the new facts as he may see them, and his view."""
        now, table = now_ms(), loaded.table
        self._seen = {each: at for each, at in self._seen.items() if _sits(table, each)}
        for player in self._present(now):
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
        return [player for player, at in self._seen.items() if at + PRESENT_MS > now]


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
