"""A table at any fact of its history, as the operator, a seat or a spectator may see it.

The operator of a running game knows what all seats together know. What only the house knows (the
seed, the order of piles) he sees when the game is over and the seed revealed, not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from contracts import topics
from contracts.envelope import chain_hash
from contracts.subjects import is_table_id
from contracts.views import NumberedFact, TableView, table_view
from domain.kernel import AnyGame, Chance, Chosen, Pause, Seat, Waiting
from domain.table.state import ENDED, Table, persons
from domain.table.visibility import seen
from services.kit.console.failure import Failure
from services.kit.store import chain
from services.kit.store.database import Database
from services.kit.store.model import StoredEvent
from services.kit.tables import facts_of, fold_rows, game_of_rows
from services.ops.verification.source import Snapshot, snapshots

Viewer: TypeAlias = Seat | Literal["operator", "spectator"]


class PerSeat(Struct, frozen=True, tag=True):
    """What each seat sees of a fact that no seat sees in full; None is a blank."""

    seats: tuple[Any, ...]


class Position(Struct, frozen=True, omit_defaults=True):
    """The table after fact `version` of `last`; `facts` are all that led there.

    `view` is what the viewer would be sent (a spectator's, for the operator). For the operator
    `seats` holds the view of each seat and, when the game is over, `state` and `seed` all the rest.
    """

    table: str
    version: int
    last: int
    at: int
    viewer: str
    view: TableView
    facts: tuple[NumberedFact, ...]
    seats: tuple[TableView, ...] = ()
    state: Any = None
    seed: str = ""


async def load(database: Database, table: str) -> Snapshot:
    """Return a table's whole history; raises Failure when there is no such table."""
    if not is_table_id(table):
        raise Failure(f"{table!r} is no table id; `logbuch tables` lists them")
    async for snapshot in snapshots(database, [table]):
        if snapshot.events:
            return snapshot
    raise Failure(f"there is no table {table}; `logbuch tables` lists them")


def position(snapshot: Snapshot, version: int | None, viewer: Viewer) -> Position:
    """Compute a position from the facts alone, which are compared with their hashes first.

    Raises Failure for a position or seat that is not there, and for a damaged log.
    """
    table_id, events = snapshot.table, snapshot.events
    last = len(events)
    version = last if version is None else version
    if not 1 <= version <= last:
        raise Failure(f"table {table_id} has positions 1 to {last}")
    _must_be_sound(snapshot, version)
    game = game_of_rows(events)
    table = fold_rows(game, Table(table_id), events[:version])
    final = fold_rows(game, table, events[version:])
    if isinstance(viewer, int) and not 0 <= viewer < len(final.seats):
        many = f"0 to {len(final.seats) - 1}" if final.seats else "none before the start"
        raise Failure(f"table {table_id} has no seat {viewer}: its seats are {many}")
    if viewer == "operator":
        return _for_operator(game, table, final, events[:version])
    seat = viewer if isinstance(viewer, int) else None
    return Position(
        table_id,
        version,
        last,
        table.at,
        str(viewer),
        table_view(game, table, _waiting(game, table, events[:version]), seat),
        tuple(
            NumberedFact(number, at, digest, seen(game, fact, seat))
            for number, at, digest, fact in _numbered(events[:version])
        ),
    )


def _for_operator(
    game: AnyGame, table: Table, final: Table, events: Sequence[StoredEvent]
) -> Position:
    waiting = _waiting(game, table, events)
    over = final.phase in ENDED
    return Position(
        table.table_id,
        table.version,
        final.version,
        table.at,
        "operator",
        table_view(game, table, waiting, None),
        tuple(
            NumberedFact(
                number, at, digest, fact if over else _shared(game, fact, len(final.seats))
            )
            for number, at, digest, fact in _numbered(events)
        ),
        tuple(table_view(game, table, waiting, seat) for seat in range(len(table.seats))),
        table.play if over else None,
        final.seed if over else "",
    )


def _waiting(game: AnyGame, table: Table, events: Sequence[StoredEvent]) -> Waiting[Any] | None:
    """Give who is awaited; nobody between the facts of one command, where no view was ever sent."""
    if table.phase != "playing" or game.forced(table.play) is not None:
        return None
    waiting = game.waiting(table.play)
    _, last = next(facts_of(events[-1:]))
    within = isinstance(waiting, Chance) or isinstance(last, Chosen)
    if isinstance(waiting, Pause):
        within = table.gone_on.issuperset(persons(table))
    return None if within else waiting


def _shared(game: AnyGame, fact: Any, seats: int) -> Any:
    """Give what all seats together see of a fact."""
    forms = [seen(game, fact, seat) for seat in (*range(seats), None)]
    shown = [form for form in forms if form is not None]
    if not shown or fact in shown:
        return fact if shown else None
    if all(form == shown[0] for form in shown):
        return shown[0]
    return PerSeat(tuple(forms[:-1]))


def _numbered(events: Sequence[StoredEvent]) -> list[tuple[int, int, str, Any]]:
    return [
        (event.originator_version, at, chain_hash(*event).hex(), fact)
        for event, (at, fact) in zip(events, facts_of(events), strict=True)
    ]


def _must_be_sound(snapshot: Snapshot, version: int) -> None:
    index = snapshot.row
    head, head_hash = (index.head, index.head_hash) if index is not None else (0, b"")
    found = chain.verify(snapshot.events, head, head_hash, topics.decode)
    if found is not None and found.version <= version:
        before = (
            f"; --at {found.version - 1} shows the position before" if found.version > 1 else ""
        )
        raise Failure(
            f"event {found.version} of table {snapshot.table} is damaged ({found.kind})"
            f"{before}; `logbuch verify {snapshot.table}` tells more"
        )
