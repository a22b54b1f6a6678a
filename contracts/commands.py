"""The bodies of commands, one for each verb: decoded strictly and bounded.

A command has an id that its sender makes up (a UUID, say). A repeat of an accepted command gets
the stored answer; the same id with another body is refused.
"""

from __future__ import annotations

from hashlib import sha256
from json import JSONDecoder
from typing import Annotated, Any, TypeAlias, Union

import msgspec
from msgspec import Meta, Raw, Struct, convert

from domain.kernel import AnyGame
from domain.options import Descriptor
from domain.refusals import Code, Refused
from domain.table import commands as c
from domain.table.events import TableRules

COMMAND_BYTES_MAX = 8_192
REASON_MAX = 160
# `$` alone lets a final newline pass in Python; this way it means the same in every language.
Id: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{8,64}(?!\n)$")]
Number: TypeAlias = Annotated[int, Meta(ge=0, le=2**31)]
ClientSeed: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{0,64}(?!\n)$")]
Name: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{1,40}(?!\n)$")]
Part: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{0,40}(?!\n)$")]
Value: TypeAlias = (
    Annotated[str, Meta(max_length=40)] | Annotated[int, Meta(ge=-(2**31), le=2**31)] | bool
)
Options: TypeAlias = Annotated[dict[Name, Value], Meta(max_length=16)]


class Body(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What every command carries."""

    command_id: Id


class OpenRules(TableRules, frozen=True, forbid_unknown_fields=True, gc=False):
    """The rules as an opener may send them: a stored table's may hold those of a newer release."""


class OpenBody(Body, frozen=True, gc=False):
    """Open a table; its id follows from player and command id (`subjects.table_id`)."""

    game: Name
    rules: OpenRules
    options: Options = {}


class JoinBody(Body, frozen=True, gc=False):
    """Sit down, at a certain place or the first free one, with a share of the chance."""

    place: Annotated[int, Meta(ge=0, le=16)] | None = None
    client_seed: ClientSeed = ""


class StartBody(Body, frozen=True, gc=False):
    """Begin the game; only the opener may."""

    client_seed: ClientSeed = ""


class AgainBody(Body, frozen=True, gc=False):
    """Play once more with the same people, when the game is over."""


class LeaveBody(Body, frozen=True, gc=False):
    """Get up, or leave the running game to the computer."""


class MoveBody(Body, frozen=True, gc=False):
    """Answer the question `prompt` with a move of the game."""

    prompt: Number
    move: Raw


class WeiterBody(Body, frozen=True, gc=False):
    """Close the summary `prompt`."""

    prompt: Number


class TurboBody(Body, frozen=True, gc=False):
    """Let the computers hurry, or no longer; only where no other person plays."""

    on: bool


class RatBody(Body, frozen=True, gc=False):
    """Ask what the strong computer would answer to an own question; changes nothing."""

    prompt: Number
    part: Part = ""


class SubstituteBody(Body, frozen=True, gc=False):
    """Let the computer play for a seat that has been offline for five minutes."""

    seat: Annotated[int, Meta(ge=0, le=15)]


class OperatorsBody(Body, frozen=True, gc=False):
    """What operators do to a table; everybody at the table may read `why`."""

    why: Annotated[str, Meta(min_length=1, max_length=200)]


class UnsuspendBody(OperatorsBody, frozen=True, gc=False):
    """Let a stopped table go on."""


class VoidBody(OperatorsBody, frozen=True, gc=False):
    """End the table without a result."""


class ResumeBody(Body, frozen=True, gc=False):
    """Ask for the facts after number `since` and the present view; changes nothing."""

    since: Number = 0


class DecideBody(Body, frozen=True, gc=False):
    """A computer's answer for a seat."""

    seat: Annotated[int, Meta(ge=0, le=15)]
    prompt: Number
    move: Raw
    strategy: Name
    strategy_version: Number
    rng_seed: ClientSeed = ""


class LogBody(Body, frozen=True, gc=False):
    """Ask for the stored events of a finished table after number `since`, to check them."""

    since: Number = 0


BODIES: dict[str, type[Body]] = {
    "open": OpenBody,
    "join": JoinBody,
    "start": StartBody,
    "leave": LeaveBody,
    "move": MoveBody,
    "weiter": WeiterBody,
    "turbo": TurboBody,
    "rat": RatBody,
    "again": AgainBody,
    "substitute": SubstituteBody,
    "resume": ResumeBody,
    "decide": DecideBody,
    "log": LogBody,
    "unsuspend": UnsuspendBody,
    "void": VoidBody,
}
_DECODERS = {verb: msgspec.json.Decoder(body) for verb, body in BODIES.items()}


def decode(verb: str, data: bytes) -> Body:
    """Give the body of a command; raises Refused when it is none or too large."""
    if len(data) > COMMAND_BYTES_MAX:
        sentence = f"A command has at most {COMMAND_BYTES_MAX} bytes, this one has {len(data)}."
        raise Refused(Code.TOO_LARGE, sentence)
    decoder = _DECODERS.get(verb)
    if decoder is None:
        raise Refused(Code.MALFORMED, f"There is no such verb; use one of {', '.join(BODIES)}.")
    try:
        body = decoder.decode(data)
        _PLAIN.decode(data.decode())
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _malformed(error) from None
    return body


def digest(verb: str, data: bytes) -> str:
    """Give what tells a repeat from another content under the same id: 16 hex digits."""
    return sha256(verb.encode() + b"\n" + data).hexdigest()[:16]


def decode_move(game: AnyGame, move: Raw) -> Any:
    """Give a move of this game; raises Refused when it is none."""
    try:
        decoded = _move_decoder(game).decode(move)
        given = msgspec.json.decode(move)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise _malformed(error) from None
    if not _covers(msgspec.to_builtins(decoded), given):
        raise Refused(Code.MALFORMED, "The move has a field that its schema does not know.")
    return decoded


def to_command(game: AnyGame, body: Body) -> c.Command:
    """Give the table's command that a body stands for."""
    match body:
        case MoveBody():
            return c.Play(body.prompt, decode_move(game, body.move))
        case DecideBody():
            return c.Decide(
                body.seat,
                body.prompt,
                decode_move(game, body.move),
                body.strategy,
                body.strategy_version,
                body.rng_seed,
            )
        case WeiterBody():
            return c.GoOn(body.prompt)
        case TurboBody():
            return c.Turbo(body.on)
        case OpenBody():
            rules = convert(body.rules, TableRules, from_attributes=True)
            return c.Open(body.game, body.options, rules)
        case JoinBody():
            return c.Join(body.place, body.client_seed)
        case StartBody():
            return c.Start(body.client_seed)
        case LeaveBody():
            return c.Leave()
        case AgainBody():
            return c.Again()
        case _:
            return _beside(body)


def _beside(body: Body) -> c.Command:
    match body:
        case SubstituteBody():
            return c.Substitute(body.seat)
        case UnsuspendBody():
            return c.Unsuspend(body.why)
        case VoidBody():
            return c.Void(body.why)
        case _:
            raise TypeError(f"{type(body).__name__} asks and changes nothing")


def _malformed(error: Exception) -> Refused:
    """Say where the message is wrong without repeating its values: one may be a hidden card."""
    what, at, where = str(error).rpartition(" - at `")
    reason = what + at + where
    if isinstance(error, RecursionError):
        reason = "too deeply nested"
    elif isinstance(error, UnicodeDecodeError):
        reason = "no valid UTF-8"
    elif reason.startswith("Invalid") and " value " in reason:
        reason = f"unknown value{at}{where}"
    return Refused(Code.MALFORMED, f"The message does not fit its schema: {reason[:REASON_MAX]}.")


def _once(pairs: list[tuple[str, Any]]) -> None:
    """Refuse a name that stands twice in one object: readers differ in which one they take."""
    if len({name for name, _ in pairs}) < len(pairs):
        raise msgspec.DecodeError("a name stands twice in one object")


_PLAIN = JSONDecoder(object_pairs_hook=_once, parse_int=len, parse_float=len)


def _covers(known: Any, given: Any) -> bool:
    """Tell whether all names that were given are known (facts are read tolerantly, moves not)."""
    if isinstance(given, dict):
        return given.keys() <= known.keys() and all(
            _covers(known[name], value) for name, value in given.items()
        )
    if isinstance(given, list) and len(given) == len(known):
        return all(map(_covers, known, given))
    return True


def decode_descriptor(game: AnyGame, descriptor: bytes | Raw) -> Descriptor:
    """Give a descriptor of this game's options; raises msgspec.DecodeError when it is none."""
    decoder = _DESCRIPTORS.get(game.name)
    if decoder is None:
        decoder = msgspec.json.Decoder(descriptor_type(game))
        _DESCRIPTORS[game.name] = decoder
    found: Descriptor = decoder.decode(descriptor)
    return found


_MOVES: dict[str, msgspec.json.Decoder[Any]] = {}
_DESCRIPTORS: dict[str, msgspec.json.Decoder[Any]] = {}


def _move_decoder(game: AnyGame) -> msgspec.json.Decoder[Any]:
    decoder = _MOVES.get(game.name)
    if decoder is None:
        decoder = _MOVES[game.name] = msgspec.json.Decoder(move_type(game))
    return decoder


def move_type(game: AnyGame) -> Any:
    """Give the union of the game's moves."""
    fields = {field.name: field for field in msgspec.structs.fields(game.chosen_type)}
    return fields["move"].type


def descriptor_type(game: AnyGame) -> Any:
    """Give the union of the descriptors that the game's options may hold."""
    return Union[game.descriptor_types or (_NoDescriptor,)]  # noqa: UP007 - of a tuple of types


class _NoDescriptor(Struct, frozen=True, tag=True):
    """Stands for the descriptors of a game that has none."""
