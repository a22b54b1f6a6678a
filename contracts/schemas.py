"""JSON Schema 2020-12 of every message and every stored fact, generated from the types.

`python -m contracts.schemas` writes the folder `contracts/schema`; a test checks that it is current.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from contracts import account, chat, gateway, leaderboard, lobby, stakes
from contracts.advice import Advised
from contracts.commands import BODIES, DecideBody, MoveBody, move_type
from contracts.envelope import Stored
from contracts.events import PublicFact
from contracts.replies import Advice, Reply
from contracts.topics import TYPES
from contracts.views import BotPrompt, Feed, NumberedFact, Question, TableView
from domain.account.events import ACCOUNT_FACTS
from domain.games import GAMES
from domain.options import Descriptor, Options

Schema: TypeAlias = dict[str, Any]

FOLDER = Path(__file__).parent / "schema"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
_REFERENCE = "#/$defs/"

ROOTS: Mapping[str, Any] = {
    **{f"command/{verb}": body for verb, body in BODIES.items()},
    "reply": Reply,
    "feed": Feed,
    "bot_prompt": BotPrompt,
    "advised": Advised,
    "lobby/query": lobby.LobbyQuery,
    "lobby/reply": lobby.LobbyReply,
    "lobby/change": lobby.LobbyChange,
    "chat/say": chat.SayBody,
    "chat/exclaim": chat.ExclaimBody,
    "chat/read": chat.ReadQuery,
    "chat/mute": chat.MuteQuery,
    "chat/reply": chat.ChatReply,
    "chat/line": chat.ChatLine,
    "chat/stored": chat.StoredLine,
    "leaderboard/query": leaderboard.LeaderboardQuery,
    "leaderboard/reply": leaderboard.LeaderboardReply,
    "account/query": account.AccountQuery,
    "account/reply": account.AccountReply,
    "stakes/request": stakes.HoldRequest,
    "stakes/reply": stakes.HoldReply,
    "gateway/login": gateway.Login,
    "gateway/me": gateway.Me,
    "gateway/session": gateway.Session,
    "gateway/problem": gateway.Problem,
    "gateway/ticket_query": gateway.TicketQuery,
    "gateway/ticket_reply": gateway.TicketReply,
    "gateway/names_query": gateway.NamesQuery,
    "gateway/names_reply": gateway.NamesReply,
    "public_fact": PublicFact,
    "stored": Stored,
    **{f"fact/{topic}": fact for topic, fact in TYPES.items()},
}
"""Name of the document -> the type that it describes."""

MOVES: tuple[Any, ...] = tuple(move_type(game) for game in GAMES.values())
DESCRIPTORS: tuple[Any, ...] = tuple(
    each for game in GAMES.values() for each in game.descriptor_types
)
VIEWS: tuple[Any, ...] = tuple(game.view_type for game in GAMES.values())
FACTS: tuple[Any, ...] = tuple(fact for fact in TYPES.values() if fact not in ACCOUNT_FACTS)
"""The facts of tables; those of accounts are nobody's but the ledger's."""
OPEN: tuple[tuple[Any, str, tuple[Any, ...]], ...] = (
    (MoveBody, "move", MOVES),
    (DecideBody, "move", MOVES),
    (Advice, "move", MOVES),
    (Advised, "move", MOVES),
    (Question, "default", MOVES),
    (BotPrompt, "view", VIEWS),
    (TableView, "play", (*VIEWS, None)),
    (NumberedFact, "fact", (*FACTS, None)),
    (PublicFact, "data", (*FACTS, None)),
    (Stored, "data", (*FACTS, *ACCOUNT_FACTS)),
)
"""Type, field that holds a value of any game, and what that can be."""


def documents() -> dict[str, Schema]:
    """Give every document by its name; each stands alone."""
    types = [
        *ROOTS.values(),
        *MOVES,
        *DESCRIPTORS,
        *VIEWS,
        Options[Any],
        *(owner for owner, _, _ in OPEN),
        None,
    ]
    found, definitions = msgspec.json.schema_components(
        types, schema_hook=_of_descriptor, ref_template=_REFERENCE + "{name}"
    )
    schemas = dict(zip(map(repr, types), map(_plain, found), strict=True))
    definitions = {name: _plain(definition) for name, definition in definitions.items()}

    def any_of(choices: Iterable[Any]) -> Schema:
        each = [schemas[repr(choice)] for choice in choices]
        flat = [one for schema in each for one in schema.get("anyOf", [schema])]
        return {"anyOf": flat} if len(flat) > 1 else flat[0]

    def fields_of(owner: Any) -> dict[str, Any]:
        return definitions[_name(schemas[repr(owner)]["$ref"])]["properties"]  # type: ignore[no-any-return]  # JSON

    for owner, field, choices in OPEN:
        fields_of(owner)[field] |= any_of(choices)
    fields_of(Options[Any])["moves"]["items"] = any_of(MOVES)
    if DESCRIPTORS:
        fields_of(Options[Any])["descriptors"]["items"] = any_of(DESCRIPTORS)
    return {name: _document(name, schemas[repr(root)], definitions) for name, root in ROOTS.items()}


def text(document: Schema) -> str:
    """Give the document as it stands in its file."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def path(name: str) -> Path:
    """Give the file of a document."""
    return FOLDER / f"{name}.json"


def write() -> None:
    """Bring the folder up to date."""
    files = {path(name): text(document) for name, document in documents().items()}
    for stale in set(FOLDER.rglob("*.json")) - files.keys():
        stale.unlink()
    for file, content in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")


def _of_descriptor(described: type) -> Schema:
    """Describe the one interface among the types: games define their own descriptors."""
    if described is Descriptor:
        return {"type": "object", "description": "Many moves in one value; see the game's own."}
    raise NotImplementedError(described)


def _plain(schema: Any) -> Any:
    """Leave out `discriminator`, which is no word of JSON Schema, and make tuples arrays."""
    if isinstance(schema, dict):
        return {
            key: _plain(value)
            for key, value in schema.items()
            if not (key == "discriminator" and "mapping" in value)
        }
    if isinstance(schema, list | tuple):
        return [_plain(item) for item in schema]
    return schema


def _name(reference: str) -> str:
    return reference.removeprefix(_REFERENCE)


def _references(schema: Any) -> Iterator[str]:
    match schema:
        case dict():
            for key, value in schema.items():
                if key == "$ref":
                    yield _name(value)
                else:
                    yield from _references(value)
        case list():
            for item in schema:
                yield from _references(item)


def _document(name: str, root: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """Give a schema with all that it refers to, and nothing else."""
    needed: set[str] = set()
    new = set(_references(root))
    while new:
        needed |= new
        new = {each for known in new for each in _references(definitions[known])} - needed
    return {
        "$schema": DRAFT,
        "$id": f"urn:logbuch:{name.replace('/', ':')}",
        **root,
        "$defs": {each: definitions[each] for each in sorted(needed)},
    }


if __name__ == "__main__":
    write()
