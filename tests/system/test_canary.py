"""Nothing hidden is on the bus: every message of whole games, searched for what nobody may know."""

import asyncio
import json

import pytest

from contracts import subjects, topics
from contracts.subjects import inbox, stream_of
from domain.kernel import SEAT_SHUFFLES, Shuffled
from domain.snorkeling.events import HandsDealt
from domain.table.events import GameStarted, SeedDrawn
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
        if isinstance(fact, Shuffled) and fact.what not in SEAT_SHUFFLES:
            for order in (fact.order, fact.order[::-1]):
                text = json.dumps(order[:HIDDEN_CARDS], separators=(",", ":"))[1:-1]
                found[f"order of {row.originator_version}, {order[0]} first"] = text.encode()
    return found


def hands_of(rows: list[StoredEvent]) -> list[tuple[int, bytes]]:
    """Every hand that was dealt in Snorkeling, as it stands in JSON, with its seat."""
    facts = [topics.decode(row.topic, chain.decode(row).data) for row in rows]
    return [
        (seat, json.dumps(hand, separators=(",", ":")).encode())
        for fact in facts
        if isinstance(fact, HandsDealt)
        for seat, hand in enumerate(fact.hands)
    ]


def may_see(message: Message, seat: int, player: str) -> bool:
    """Whether this is for the seat: its player's own, or the prompt of the computer that plays it."""
    if message.subject == subjects.BOT_PROMPT:
        return bool(json.loads(message.data)["seat"] == seat)
    return player in message.subject.split(".")


async def spying(settings: Settings, heard: list[Message]) -> nats_bus.NatsBus:
    """Hear everything, as the user whom nats.conf has for that."""
    login = settings.login("canary")
    spy = await nats_bus.connect(settings.nats_url, "spy", inbox("canary"), lambda: None, **login)
    await spy.subscribe(">", heard.append)
    return spy


async def test_no_hand_is_in_a_message_for_other_eyes(system: System) -> None:
    settings = Settings.load(system.data)
    heard: list[Message] = []
    spy = await spying(settings, heard)

    simulate = ("simulate", "--game", "snorkeling", "--tables", "4", "--seats", "4")
    report = await asyncio.to_thread(system.run, *simulate, "--people", "2", "--seed", "62")
    await spy.close()

    assert report["finished"] == 4
    own = others = 0
    async with Database(settings.database_url) as database:
        reader = Reader(database)
        for table in report["tables"]:
            rows = await reader.stream(stream_of(table))
            players = players_of(rows)
            about = [message for message in heard if table.encode() in message.data]
            for seat, hand in hands_of(rows):
                for message in about:
                    if may_see(message, seat, players[seat]):
                        own += hand in message.data
                    else:
                        others += 1
                        assert hand not in message.data, f"hand of {seat} in {message.subject}"
    assert own
    assert others


def players_of(rows: list[StoredEvent]) -> list[str]:
    facts = [topics.decode(row.topic, chain.decode(row).data) for row in rows]
    started = next(fact for fact in facts if isinstance(fact, GameStarted))
    return [seat.player for seat in started.seats]


@pytest.mark.parametrize("game", ["speeddive", "snorkeling"])
async def test_no_message_holds_what_nobody_may_know(system: System, game: str) -> None:
    settings = Settings.load(system.data)
    heard: list[Message] = []
    spy = await spying(settings, heard)

    simulate = ("simulate", "--game", game, "--tables", "6", "--seats", "3")
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
