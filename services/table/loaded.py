"""A table as its owner holds it in memory: only a saving of time, the store decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from contracts.envelope import chain_hash
from domain.kernel import AnyGame, Pause, Waiting
from domain.table.decider import awaited
from domain.table.state import Table
from services.kit.store import chain
from services.kit.store.model import StoredEvent
from services.kit.tables import table_of_rows


class Receipts:
    """Which commands the table has accepted: what a repeat is measured by.

    Holds a number for a number: the key is a hash of (player, command id), so a hit must be looked
    up in the store before it is believed.
    """

    def __init__(self) -> None:
        self._first: dict[int, int] = {}

    def note(self, player: str, command_id: str, version: int) -> None:
        """Remember that the command's first fact is number `version`."""
        self._first.setdefault(hash((player, command_id)), version)

    def first(self, player: str, command_id: str) -> int | None:
        """Give the number of what may be the first fact of this very command."""
        return self._first.get(hash((player, command_id)))


class Loaded:
    """The fold of a stream, with what its owner needs beside the state."""

    def __init__(self, table_id: str) -> None:
        """Hold a table that nobody has opened."""
        self.game: AnyGame | None = None
        self.table = Table(table_id)
        self.waiting: Waiting[Any] | None = None
        self.head_hash = b""
        """Of fact number `table.version`; empty before the first."""
        self.receipts = Receipts()

    @property
    def passes_time(self) -> bool:
        """Whether time alone may change the table."""
        return self.table.phase in {"gathering", "starting"} or isinstance(self.waiting, Pause)

    def load(self, rows: Sequence[StoredEvent]) -> None:
        """Take in the stored events from number 1 on; raises chain.Undecodable."""
        if not rows:
            return
        self.game, self.table = table_of_rows(self.table.table_id, rows)
        self.waiting = awaited(self.game, self.table)
        self.head_hash = chain_hash(*rows[-1])
        for row in rows:
            stored = chain.decode(row)
            if stored.command_id:
                self.receipts.note(stored.by, stored.command_id, row.originator_version)
