"""The stable names under which facts are stored, and the way from bytes to facts and back.

A topic is `<game, "table" or "account">.<Fact>.v<version>`. Facts are decoded tolerantly (a newer writer may
add fields), and strictly before they are written. To change a fact in a way that old bytes do not
fit, raise its version in `VERSIONS` and add an upcaster for the old topic; old bytes stay in
`tests/contracts/golden` for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from domain.account.events import ACCOUNT_FACTS
from domain.games import GAMES
from domain.table.events import TABLE_FACTS

VERSIONS: Mapping[type, int] = {}
"""Facts whose version is not 1."""

UPCASTERS: Mapping[str, Callable[[bytes], tuple[str, bytes]]] = {}
"""Old topic -> pure function from old data to the next (topic, data)."""


class UnknownTopicError(Exception):
    """The topic is of a newer writer, or of none: projections skip it, tables must not."""


def _named() -> dict[str, type[Any]]:
    owners = {"table": TABLE_FACTS, "account": ACCOUNT_FACTS}
    for name, game in GAMES.items():
        owners[name] = (*game.fact_types, game.chosen_type)
    return {
        f"{owner}.{fact.__name__}.v{VERSIONS.get(fact, 1)}": fact
        for owner, facts in owners.items()
        for fact in facts
    }


TYPES: Mapping[str, type[Any]] = _named()
TOPICS: Mapping[type[Any], str] = {fact: topic for topic, fact in TYPES.items()}
assert len(TOPICS) == len(TYPES), "one fact type stands under two topics"

_DECODERS = {topic: msgspec.json.Decoder(fact) for topic, fact in TYPES.items()}
_ENCODER = msgspec.json.Encoder()


def encode(fact: Any) -> tuple[str, bytes]:
    """Give topic and JSON of a fact."""
    return TOPICS[type(fact)], _ENCODER.encode(fact)


def decode(topic: str, data: bytes | msgspec.Raw) -> Any:
    """Give the fact; raises UnknownTopicError, or msgspec.DecodeError when the data do not fit."""
    decoder = _DECODERS.get(topic)
    if decoder is None:
        upcaster = UPCASTERS.get(topic)
        if upcaster is None:
            raise UnknownTopicError(topic)
        return decode(*upcaster(bytes(data)))
    return decoder.decode(data)


def check(topic: str, data: bytes) -> object:
    """Decode what is about to be written: nothing gets into the log that cannot be read back."""
    return _DECODERS[topic].decode(data)
