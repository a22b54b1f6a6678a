"""The log of a run as checkers read it: decoded once, folded after every fact."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from contracts import topics
from contracts.envelope import Stored, chain_hash
from contracts.subjects import stream_of
from domain.games import GAMES
from domain.kernel import AnyGame, Waiting
from domain.table.decider import awaited
from domain.table.events import TableOpened
from domain.table.state import Table, fold
from services.kit.store import chain
from tests.world.store import StoreServer

ENDED = frozenset({"finished", "cancelled"})


class Logged(Struct, frozen=True, gc=False):
    """One fact of a table, with its envelope and chain hash (hex)."""

    version: int
    topic: str
    stored: Stored
    hash: str
    fact: Any


class TableLog:
    """One table: `states[n]` is the table after fact number n.

    `heads` are the numbers at which an append ended: only there somebody is awaited.
    """

    def __init__(self, table: str) -> None:
        self.table = table
        self.facts: list[Logged] = []
        self.states: list[Table] = [Table(table)]
        self.heads: list[int] = []
        self.salts: set[str] = set()
        self._game: AnyGame | None = None

    @property
    def game(self) -> AnyGame:
        assert self._game is not None, "the table was not opened"
        return self._game

    @property
    def state(self) -> Table:
        """The table as it is now."""
        return self.states[-1]

    @property
    def ended(self) -> bool:
        return self.state.phase in ENDED

    def waiting(self, version: int) -> Waiting[Any] | None:
        """Who was awaited after a fact."""
        return awaited(self.game, self.states[version])

    def hash(self, version: int) -> str | None:
        """The hash of a fact, None when there is no such fact."""
        return self.facts[version - 1].hash if 0 < version <= len(self.facts) else None

    def read_on(self, server: StoreServer) -> None:
        """Take in what was appended since."""
        stream = stream_of(self.table)
        rows = server.streams.get(stream, ())
        self.heads = server.heads.get(stream, [])
        for row in rows[len(self.facts) :]:
            stored = chain.decode(row)
            fact = topics.decode(row.topic, stored.data)
            if isinstance(fact, TableOpened):
                self._game = GAMES[fact.game]
            self.states.append(fold(self.game, self.state, [(stored.at, fact)]))
            self.salts.add(stored.salt)
            logged = Logged(row.originator_version, row.topic, stored, chain_hash(*row).hex(), fact)
            self.facts.append(logged)


class History:
    """All tables of the log."""

    def __init__(self, server: StoreServer) -> None:
        self._server = server
        self._tables: dict[str, TableLog] = {}

    def of(self, table: str) -> TableLog:
        """Return what the log holds of a table at this moment."""
        log = self._tables.get(table)
        if log is None:
            log = self._tables[table] = TableLog(table)
        log.read_on(self._server)
        return log

    def all(self) -> list[TableLog]:
        """Return every table of the log at this moment, in the order of their opening."""
        prefix = stream_of("")
        streams = [each for each in list(self._server.streams) if each.startswith(prefix)]
        return [self.of(stream.removeprefix(prefix)) for stream in streams]
