"""From the log to the public: the one function that says what of a stored event everybody may see.

The outbox sends its entries to LOGBUCH, and read models see facts in the same public form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final, Protocol

import msgspec
import structlog
from msgspec import Raw, Struct

from contracts import events, topics
from contracts.envelope import chain_hash
from contracts.events import PublicFact
from contracts.subjects import is_table_id, log, stream_of
from domain.games import GAMES
from domain.table.events import TableFact, TableOpened
from domain.table.visibility import seen
from services.kit.feed import Entry
from services.kit.store.model import IndexRow, Notification

SOURCE: Final = "logbuch"
GAMES_MAX: Final = 50_000
"""Tables whose game is remembered."""

_AT_END: Final = 253_402_300_800_000
"""The year 10000 in ms since the epoch: a time that cannot be written is damage."""
_ANY: Final = next(iter(GAMES.values()))
_STREAM: Final = stream_of("")
_TABLE_TOPICS: Final = "table."
_LOG = structlog.get_logger(__name__)
_encode = msgspec.json.Encoder().encode


class Dated(Struct, frozen=True, gc=False):
    """What the public form needs of the envelope; skipping the rest halves the cost of decoding."""

    at: int
    data: Raw


_decode = msgspec.json.Decoder(Dated).decode


class Index(Protocol):
    """Where it is written which game a table plays (`services.kit.store.reader.Reader`)."""

    async def index_row(self, stream: str) -> IndexRow | None:
        """Return where the stream stands, None when nothing was ever appended to it."""
        ...


class PublicLog:
    """Gives stored events the form of public facts, under one epoch of the feed."""

    def __init__(self, index: Index, epoch: int) -> None:
        """Name the facts by this epoch; `index` is asked for games of tables not seen before."""
        self.epoch = epoch
        self.undecodable = 0
        self._index = index
        self._games: dict[str, str] = {}

    async def entries(self, batch: Sequence[Notification]) -> list[Entry]:
        """Return one entry for each event of a table, in order; other streams are left out.

        An event whose topic is unknown or whose data cannot be read is a blank, so that numbers
        have no holes and nothing leaves that nobody has judged. Raises what the index raises.
        """
        out = []
        for event in batch:
            stream = event.originator_id
            game = self._games.get(stream) if stream.startswith(_STREAM) else ""
            if game is None:
                game = await self._learn(event)
            if game:
                out.append(self._entry(event, game))
        return out

    def entry(self, event: Notification, game: str) -> Entry:
        """Return the entry of an event of a table whose game is known."""
        return self._entry(event, game)

    def _entry(self, event: Notification, game: str) -> Entry:
        position, stream, version, topic, state = event
        table = stream[len(_STREAM) :]
        at, fact = self._public(event, game)
        number = str(version)
        name = f"{self.epoch}:{table}:{number}"
        public = PublicFact(
            "1.0",
            name,
            SOURCE,
            events.BLANK if fact is None else topics.TOPICS[type(fact)],
            table,
            _time(at // 1000) + f".{at % 1000:03d}Z",
            number,
            str(position),
            chain_hash(stream, version, topic, state).hex(),
            fact,
        )
        return Entry(log(game, table), name, _encode(public))

    def _public(self, event: Notification, game: str) -> tuple[int, Any]:
        """Give time and public form of a fact; None for a blank."""
        at = 0
        try:
            stored = _decode(event.state)
            at = stored.at
            if not 0 <= at < _AT_END:
                at = 0
                raise msgspec.ValidationError("no time")
            return at, seen_by_all(game, event.topic, stored.data)
        except topics.UnknownTopicError:
            return at, None
        except (msgspec.MsgspecError, RecursionError) as error:
            self.undecodable += 1
            _LOG.error(
                "public_fact_undecodable",
                stream=event.originator_id,
                version=event.originator_version,
                position=event.id,
                error=type(error).__name__,
            )
            return at, None

    async def _learn(self, event: Notification) -> str:
        """Find out which game a table plays, "" when the stream is no table of ours."""
        stream = event.originator_id
        game = _opened(event) or await self._indexed(stream)
        if len(self._games) >= GAMES_MAX:
            del self._games[next(iter(self._games))]
        self._games[stream] = game
        return game

    async def _indexed(self, stream: str) -> str:
        if not is_table_id(stream[len(_STREAM) :]):
            return ""
        row = await self._index.index_row(stream)
        return "" if row is None else row.game


def seen_by_all(game: str, topic: str, data: bytes | Raw) -> Any | None:
    """Give the public form of a stored fact, None for a blank.

    It is built from the decoded fact: fields of a newer writer, which nobody here has judged, do
    not pass. Raises UnknownTopicError, also for a game's fact when this release does not know the
    game, and msgspec.DecodeError.
    """
    fact = topics.decode(topic, data)
    rules = GAMES.get(game)
    if rules is None:
        if not isinstance(fact, TableFact):
            raise topics.UnknownTopicError(topic)
        rules = _ANY  # what the table itself tells looks the same in every game
    return seen(rules, fact, None)


def topics_of(facts: Iterable[type]) -> list[str]:
    """Give every topic, old versions included, under which facts of these types are stored."""
    wanted = [topics.TOPICS[fact] for fact in facts]
    families = {topic.rpartition(".")[0] for topic in wanted}
    return wanted + [old for old in topics.UPCASTERS if old.rpartition(".")[0] in families]


def game_of(topic: str) -> str:
    """Give the game whose own fact stands under this topic, "" for facts of the table."""
    game = topic.partition(".")[0]
    return game if game in GAMES else ""


def _opened(event: Notification) -> str:
    """Give the game that the event itself names: by its topic, or because it opens the table."""
    if not is_table_id(event.originator_id[len(_STREAM) :]):
        return ""
    if not event.topic.startswith(_TABLE_TOPICS):
        return game_of(event.topic)
    if event.originator_version == 1:
        try:
            fact = topics.decode(event.topic, _decode(event.state).data)
        except (msgspec.MsgspecError, RecursionError, topics.UnknownTopicError):
            return ""
        if isinstance(fact, TableOpened):
            return fact.game
    return ""


@lru_cache(maxsize=64)
def _time(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
