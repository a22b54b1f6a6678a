"""Who may speak, when again, and whom a player does not want to hear: in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from contracts import topics
from contracts.chat import LOCK_MS, MUTES_MAX
from contracts.subjects import stream_of
from domain.refusals import Code, Refused
from domain.table.case import unknown
from domain.table.events import SeatFreed, SeatTaken
from services.kit.follow import Link
from services.kit.publish import topics_of

_TOPICS: Final = topics_of((SeatTaken, SeatFreed))
_SEATED = """
SELECT topic, state FROM stored_events WHERE originator_id = $1 AND topic = ANY ($2)
ORDER BY originator_version
"""
# One statement and one clock, the database's: so the lock holds over all replicas.
_SPEAK = """
INSERT INTO chat_senders AS before VALUES ($1, $2, clock_timestamp())
ON CONFLICT (player) DO UPDATE SET command_id = $2, said_at = clock_timestamp()
WHERE before.said_at <= clock_timestamp() - make_interval(secs => $3)
RETURNING (extract(epoch FROM said_at) * 1000)::bigint
"""
_SPOKE = """
SELECT command_id, (extract(epoch FROM said_at) * 1000)::bigint,
       ceil(extract(epoch FROM clock_timestamp() - said_at) * 1000)::bigint
FROM chat_senders WHERE player = $1
"""
_FORGET = "DELETE FROM chat_senders WHERE said_at < now() - interval '1 day'"
_MUTE = """
INSERT INTO chat_mutes SELECT $1, $2
WHERE (SELECT count(*) FROM chat_mutes WHERE player = $1) < $3 ON CONFLICT DO NOTHING
"""
_UNMUTE = "DELETE FROM chat_mutes WHERE player = $1 AND muted = $2"
_MUTED = "SELECT muted FROM chat_mutes WHERE player = $1 ORDER BY muted"
_DEAF = "SELECT player FROM chat_mutes WHERE muted = $1 AND player = ANY ($2)"


class _Stored(msgspec.Struct):
    data: msgspec.Raw


_stored = msgspec.json.Decoder(_Stored).decode


class Turn(NamedTuple):
    """The right to say one line: from when it is (ms), and how long the next one must wait."""

    at: int
    wait_ms: int


async def seated(link: Link, table: str) -> tuple[str, ...]:
    """Give the people of a table: those who sit there, from the start on those who sat there then.

    Who got up before the game began is a stranger again. Raises Refused when there is no such table.
    """
    rows = await link.fetch(_SEATED, stream_of(table), _TOPICS)
    if not rows:
        raise unknown()
    people: dict[int, str] = {}
    for topic, state in rows:
        match topics.decode(topic, _stored(state).data):
            case SeatTaken(occupant) if occupant.kind != "computer":
                people[occupant.place] = occupant.player
            case SeatFreed(place):  # there is none once the game runs: who leaves it has sat there
                people.pop(place, None)
    return tuple(people.values())


async def turn(link: Link, player: str, command_id: str) -> Turn:
    """Take the right to say one line; raises Refused within two seconds after the last one.

    A repeat of the command that took it last has it still.
    """
    at = await link.fetchval(_SPEAK, player, command_id, LOCK_MS / 1000)
    if at is not None:
        return Turn(at, LOCK_MS)
    row = await link.fetchrow(_SPOKE, player)
    if row is None:  # it was forgotten in this very moment
        return await turn(link, player, command_id)
    last_id, at, age_ms = row
    wait_ms = max(1, LOCK_MS - age_ms)
    if last_id != command_id:
        sentence = f"Two seconds lie between two lines; say it in {wait_ms} ms."
        raise Refused(Code.TOO_FAST, sentence, str(wait_ms))
    return Turn(at, wait_ms)


async def forget(link: Link) -> None:
    """Forget who has said nothing for a day."""
    await link.execute(_FORGET)


async def mute(link: Link, player: str, other: str, *, on: bool) -> tuple[str, ...]:
    """Let a player not hear another, or hear him again; gives all whom he does not hear."""
    if on:
        await link.execute(_MUTE, player, other, MUTES_MAX)
    else:
        await link.execute(_UNMUTE, player, other)
    found = await muted(link, player)
    if on and other not in found:
        raise Refused(Code.BAD_OPTIONS, f"You mute {MUTES_MAX} players already; free one first.")
    return found


async def muted(link: Link, player: str) -> tuple[str, ...]:
    """Give whom a player does not hear."""
    return tuple(row[0] for row in await link.fetch(_MUTED, player))


async def hearers(link: Link, speaker: str, people: Sequence[str]) -> list[str]:
    """Give those of the people who want to hear the speaker."""
    deaf = {row[0] for row in await link.fetch(_DEAF, speaker, people)}
    return [person for person in people if person not in deaf]
