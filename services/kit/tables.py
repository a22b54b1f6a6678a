"""From stored rows to a table: the one way back from the log, for its owner and for operators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct

from contracts import topics
from contracts.subjects import stream_of
from domain.games import GAMES
from domain.kernel import AnyGame
from domain.table.events import TableOpened
from domain.table.state import Table, fold
from services.kit.store.chain import Undecodable
from services.kit.store.model import StoredEvent


class _Dated(Struct, frozen=True, gc=False):
    """What a fold needs of the envelope; skipping the rest is half the cost of decoding it."""

    at: int
    data: Raw


_dated = msgspec.json.Decoder(_Dated).decode


def facts_of(rows: Iterable[StoredEvent]) -> Iterator[tuple[int, Any]]:
    """Yield (at in ms, fact) of each row; raises Undecodable where one cannot be read."""
    decode = topics.decode
    for stream, version, topic, state in rows:
        try:
            dated = _dated(state)
            yield dated.at, decode(topic, dated.data)
        except (msgspec.MsgspecError, topics.UnknownTopicError) as error:
            raise Undecodable(stream, version, topic, type(error).__name__) from None


def fold_rows(game: AnyGame, table: Table, rows: Iterable[StoredEvent]) -> Table:
    """Give the table after the rows that follow its version; raises Undecodable."""
    return fold(game, table, facts_of(rows))


def game_of_rows(rows: Sequence[StoredEvent]) -> AnyGame:
    """Give the game that the first row of a table's stream opens.

    Raises Undecodable when it opens none, or one that this release does not know.
    """
    first = rows[0]
    _, opened = next(facts_of(rows[:1]))
    if not isinstance(opened, TableOpened) or opened.game not in GAMES:
        raise Undecodable(first.originator_id, first.originator_version, first.topic, "no opening")
    return GAMES[opened.game]


def table_of_rows(table_id: str, rows: Sequence[StoredEvent]) -> tuple[AnyGame, Table]:
    """Give the game and the table after its whole history (at least one row), from nothing."""
    assert rows[0].originator_id == stream_of(table_id), "the rows are another table's"
    game = game_of_rows(rows)
    return game, fold_rows(game, Table(table_id), rows)
