"""Nothing hidden is on the bus: every message of whole games, searched for what nobody may know."""

import asyncio
import json

from contracts import topics
from contracts.subjects import stream_of
from domain.kernel import Shuffled
from domain.table.events import SeedDrawn
from services.kit import nats_bus
from services.kit.bus import Message
from services.kit.settings import Settings
from services.kit.store import chain
from services.kit.store.database import Database
from services.kit.store.model import StoredEvent
from services.kit.store.reader import Reader
from tests.system.conftest import System

HIDDEN_CARDS = 8
"""So many cards in the order of the pile stand nowhere by accident."""


def secrets_of(rows: list[StoredEvent]) -> dict[str, bytes]:
    """What of a game no message may hold before its end; the salts not even after it."""
    found: dict[str, bytes] = {}
    for row in rows:
        stored = chain.decode(row)
        found[f"salt of {row.originator_version}"] = stored.salt.encode()
        fact = topics.decode(row.topic, stored.data)
        if isinstance(fact, SeedDrawn):
            found["seed"] = fact.seed.encode()
        if isinstance(fact, Shuffled) and fact.what != "dealer":
            for order in (fact.order, fact.order[::-1]):
                text = json.dumps(order[:HIDDEN_CARDS], separators=(",", ":"))[1:-1]
                found[f"order of {row.originator_version}, {order[0]} first"] = text.encode()
    return found


async def test_no_message_holds_what_nobody_may_know(system: System) -> None:
    settings = Settings.load(system.data)
    heard: list[Message] = []
    spy = await nats_bus.connect(settings.nats_url, "spy", "_INBOX_spy", lambda: None)
    await spy.subscribe(">", heard.append)

    simulate = ("simulate", "--game", "speeddive", "--tables", "6", "--seats", "3")
    report = await asyncio.to_thread(system.run, *simulate, "--people", "2", "--seed", "61")
    await spy.close()

    assert report["finished"] == 6
    assert len(heard) > report["moves"]
    async with Database(settings.database_url) as database:
        reader = Reader(database)
        for table in report["tables"]:
            rows = await reader.stream(stream_of(table))
            hidden = secrets_of(rows)
            assert len(hidden) > len(rows)
            about = [message for message in heard if table.encode() in message.data]
            assert about
            for message in about:
                ended = b"SeedRevealed" in message.data or b'"phase":"finished"' in message.data
                for what, secret in hidden.items():
                    if what == "seed" and ended:
                        continue
                    assert secret not in message.data, f"{what} in {message.subject}"
