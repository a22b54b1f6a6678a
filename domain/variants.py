"""What can be chosen when a game is opened, read off its options: names, values, variants."""

from __future__ import annotations

from itertools import product
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args, get_origin

import msgspec

from domain.kernel import AnyGame

Value: TypeAlias = str | int | bool

_NO_RULES = frozenset(("bilanz",))
"""Options that change what is shown, not how it is played."""


def choices(game: AnyGame) -> MappingProxyType[str, tuple[Value, ...]]:
    """Give the values of every option as they are declared; none where any value may come."""
    found: dict[str, tuple[Value, ...]] = {}
    for field in msgspec.structs.fields(game.options_type):
        values: tuple[Value, ...] = ()
        if field.type is bool:
            values = (True, False) if field.default else (False, True)
        elif get_origin(field.type) is Literal:
            values = get_args(field.type)
        found[field.name] = values
    return MappingProxyType(found)


def variants(game: AnyGame) -> tuple[dict[str, Value], ...]:
    """Give the ways to play that have rules of their own.

    A variant is a choice of the options with named values and of the switches that change rules;
    numbers (a target) only change how long it takes.
    """
    ruling = {
        name: values
        for name, values in choices(game).items()
        if name not in _NO_RULES and values and isinstance(values[0], str | bool)
    }
    found = []
    for chosen in product(*ruling.values()):
        options = dict(zip(ruling, chosen, strict=True))
        try:
            msgspec.convert(options, game.options_type)
        except msgspec.ValidationError:
            continue  # a switch of another variant
        found.append(options)
    return tuple(found)


def variant_of(game: AnyGame, options: Any) -> dict[str, Value]:
    """Give the variant that a game with these options is."""
    chosen = msgspec.to_builtins(options)
    return next(each for each in variants(game) if each.items() <= chosen.items())


def label(game: AnyGame, variant: dict[str, Value]) -> str:
    """Name a variant in one short line: its named values, and the switches that are on."""
    words = [game.name]
    for name, value in variant.items():
        if isinstance(value, str):
            words.append(value)
        elif value is True:
            words.append(name)
    return " ".join(words)


def written(value: Value) -> str:
    """Write a value as it stands on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def described(game: AnyGame) -> str:
    """Say what can be chosen, such as `variant=BASIS|EXPERTEN, bilanz=true|false`."""
    return ", ".join(
        f"{name}={'|'.join(map(written, values)) or '...'}"
        for name, values in choices(game).items()
    )


def wrong_options(game: AnyGame, options: dict[str, Value]) -> str | None:
    """Say in one line what is wrong with options, None if they fit."""
    known = choices(game)
    for name, value in options.items():
        if name not in known:
            return f"{game.name} has no option {name!r}; there are: {described(game)}"
        values = known[name]
        if values and not any(type(each) is type(value) and each == value for each in values):
            right = "|".join(map(written, values))
            return f"{name}={written(value)} is wrong; {game.name} knows {name}={right}"
    try:
        msgspec.convert(options, game.options_type)
    except msgspec.ValidationError as error:
        return f"{error} ({game.name} knows {described(game)})"
    return None
