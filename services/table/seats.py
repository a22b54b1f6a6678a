"""One person sits at one table with people at a time, whatever he does at two of them at once.

Whenever somebody sits down, `Seated` is appended to his own stream `seat-<player>`, in the unit that
seats him, behind the head that was read before. So of two tables that seat him at the same moment
one gets a conflict, reads again, and finds him at the other. Getting up needs no fact there: where
he was seated last is asked whether he still sits. Solo tables do not count, nor do test players.
"""

from __future__ import annotations

from contracts import subjects, topics
from domain.refusals import Code, Refused
from domain.table.case import Decided
from domain.table.events import Seated, SeatTaken
from domain.table.state import Table, place_of, seat_of
from services.kit.store import chain
from services.kit.store.model import Append, IndexRow
from services.kit.tables import table_of_rows
from services.table.lookups import Log
from services.table.standing import Standing

KIND = "seat"


def sits_down(before: Table, decided: Decided, player: str) -> bool:
    """Tell whether a command seats its sender at a table at which others may sit."""
    after = decided if decided.opened is None else decided.opened
    if after.table.rules.solo or subjects.is_test(player):
        return False
    if decided.opened is None and place_of(before, player) is not None:
        return False
    return any(
        isinstance(each, SeatTaken) and each.occupant.player == player for each in after.facts
    )


async def standing_of(store: Log, player: str, table_id: str) -> Standing:
    """Read where a person sits who wants to sit down at a table; raises StoreUnavailable."""
    stream = subjects.seat_stream(player)
    index = await store.index_row(stream)
    if index is None:
        return Standing(0, b"", "")
    last = (await store.stream(stream, index.head - 1))[0]
    seated = topics.decode(last.topic, chain.decode(last).data)
    there = "" if seated.table == table_id else seated.table
    if there and not await _sits(store, there, player):
        there = ""
    return Standing(index.head, index.head_hash, there)


def must_be_free(standing: Standing) -> None:
    """Refuse who sits at another table; the hint is that table's id."""
    if standing.elsewhere:
        sentence = "You sit at another table; leave it before you sit down here."
        raise Refused(Code.SEATED_ELSEWHERE, sentence, standing.elsewhere)


def seat_append(standing: Standing, entry: chain.Entry, table_id: str) -> Append:
    """Give what is stored beside the fact that seats a person; `entry` tells by whom and when."""
    topic, data = topics.encode(Seated(table_id))
    stream, own = subjects.seat_stream(entry.by), entry._replace(topic=topic, data=data)
    rows, hashes = chain.extend(stream, standing.head, standing.head_hash, [own], topics.check)
    partition, head = subjects.partition_of(table_id), standing.head + 1
    index = IndexRow(stream, KIND, partition, "", "seated", head, hashes[-1], None)
    return Append(stream, standing.head, rows, index)


async def _sits(store: Log, table_id: str, player: str) -> bool:
    rows = await store.stream(subjects.stream_of(table_id))
    _, table = table_of_rows(table_id, rows)
    match table.phase:
        case "gathering" | "starting":
            return place_of(table, player) is not None
        case "playing":
            return seat_of(table, player) is not None
        case _:
            return False
