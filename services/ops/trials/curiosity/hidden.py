"""What nobody may learn: read from the log, from the victims' own views, and from the house's keys."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from contracts import topics
from contracts.subjects import stream_of
from domain.kernel import SEAT_SHUFFLES, Chosen, Shuffled
from domain.snorkeling.events import CardsPlayed, HandsDealt
from domain.table.events import SeedDrawn
from services.kit.credentials import Credentials
from services.kit.store import chain
from services.kit.store.database import Database
from services.kit.store.model import StoredEvent
from services.kit.store.reader import Reader
from services.ops.trials.curiosity.judging import Secret
from services.ops.trials.curiosity.victims import HAND_MIN, Victim, as_text

HIDDEN_CARDS: Final = 8
"""So many cards in the order of a pile stand nowhere by accident."""
KINDS: Final = (
    "a hand",
    "the salt",
    "the house's seed",
    "the pile",
    "a computer's dice",
    "the key",
)
"""So begin the names of what is looked for; none of them may be missing."""
SHORT: Final = 8
"""What is shorter would be found by accident."""


class Stored:
    """One table's log, as the operator reads it."""

    def __init__(self, table: str, rows: list[StoredEvent]) -> None:
        """Take the rows of the table's stream."""
        self.table = table
        self.rows = rows
        self.kept = [chain.decode(row) for row in rows]
        self.facts: list[Any] = [
            topics.decode(row.topic, each.data) for row, each in zip(rows, self.kept, strict=True)
        ]

    def secrets(self) -> Iterator[Secret]:
        """Give what the log holds for nobody: salts, the seed, piles, computers' dice."""
        for row, each, fact in zip(self.rows, self.kept, self.facts, strict=True):
            where = f"of event {row.originator_version} of {self.table}"
            yield Secret(f"the salt {where}", each.salt.encode())
            match fact:
                case SeedDrawn():
                    yield Secret(
                        f"the house's seed {where}", fact.seed.encode(), until_the_end=True
                    )
                case Shuffled() if fact.what not in SEAT_SHUFFLES:
                    for order in (fact.order, fact.order[::-1]):
                        text = as_text(order[:HIDDEN_CARDS])[1:-1]
                        yield Secret(f"the pile {where}", text)
                case Chosen() if len(fact.rng_seed) >= SHORT:
                    yield Secret(f"a computer's dice {where}", fact.rng_seed.encode())
                case _:
                    pass

    def hands(self) -> set[bytes]:
        """Give the hands that were dealt, as they stand in messages."""
        dealt = [fact.hands for fact in self.facts if isinstance(fact, HandsDealt)]
        return {as_text(hand) for hands in dealt for hand in hands}

    def open_cards(self) -> set[bytes]:
        """Give the cards that were laid open together: a hand may happen to be the same."""
        return {as_text(fact.centre) for fact in self.facts if isinstance(fact, CardsPlayed)}


async def stored(database: Database, table: str) -> Stored:
    """Read a table's log; raises StoreUnavailable."""
    return Stored(table, await Reader(database).stream(stream_of(table)))


def of_hands(log: Stored, victims: Iterable[Victim]) -> list[Secret]:
    """Give the hands that were dealt and that the victims held, where they cannot be public."""
    held = set().union(*(victim.hands for victim in victims), log.hands()) - log.open_cards()
    large = sorted(hand for hand in held if len(json.loads(hand)) >= HAND_MIN)
    return [Secret("a hand", hand) for hand in large]


def of_the_house(credentials: Credentials) -> list[Secret]:
    """Give the passwords and keys of the house."""
    keys = {"issuer": credentials.issuer, "tickets": credentials.tickets, **credentials.passwords}
    return [
        Secret(f"the key or password {name}", text.encode())
        for name, text in keys.items()
        if len(text) >= SHORT
    ]
