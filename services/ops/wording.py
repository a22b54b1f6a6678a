"""Facts, moves and positions as people read them: for every game, without knowing any."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from domain.kernel import Chosen
from domain.table.events import Occupant

HIDDEN = "(hidden)"
_SEATS = frozenset({"seat", "target", "dealer"})
_QUIET = frozenset({"prompt", "rng_seed", "strategy_version", "salt"})
"""Fields of facts that only programs read; `--json` has them."""


def clock(at_ms: int, *, date: bool = False) -> str:
    """Give a time of the log in this machine's zone."""
    when = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone()
    text = when.strftime("%Y-%m-%d %H:%M:%S" if date else "%H:%M:%S")
    return f"{text}.{at_ms % 1000:03d}"


def span(ms: int) -> str:
    """Give a length of time in its largest unit."""
    seconds = max(0, ms) // 1000
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def named(seat: int | None, seats: Sequence[Occupant]) -> str:
    """Give a seat with the player on it."""
    if seat is None:
        return ""
    return f"{seat} {seats[seat].player}" if seat < len(seats) else str(seat)


def fact_text(fact: Any, seats: Sequence[Occupant]) -> tuple[str, str]:
    """Give (who, what) of a fact as somebody may see it; None is a blank."""
    if fact is None:
        return "", HIDDEN
    if not isinstance(fact, Struct):
        return "", str(fact)
    who = named(getattr(fact, "seat", None), seats)
    if isinstance(fact, Chosen):
        by = "" if fact.decided_by == "human" else f" ({fact.decided_by})"
        return who, f"chooses {struct_text(fact.move, seats)}{by}"
    return who, struct_text(fact, seats, leave_out={"seat"})


def struct_text(value: Struct, seats: Sequence[Occupant], leave_out: Iterable[str] = ()) -> str:
    """Give a Struct as its name and its fields, without those that say nothing."""
    words = [_words(type(value).__name__)]
    for field in fields(value):
        held = getattr(value, field.name)
        if field.name in leave_out or field.name in _QUIET or held == field.default:
            continue
        if field.name in _SEATS and isinstance(held, int):
            words.append(f"{field.name} {named(held, seats)}")
        else:
            words.append(f"{field.name} {_value(held, seats)}")
    return f"{words[0]}: {', '.join(words[1:])}" if len(words) > 1 else words[0]


def _value(value: Any, seats: Sequence[Occupant]) -> str:
    match value:
        case Occupant(player, kind):
            return f"{player} ({kind}, place {value.place})"
        case Struct():
            return struct_text(value, seats)
        case str() | int() | None:
            return str(scalar(value))
        case dict():
            return ", ".join(f"{key}={scalar(held)}" for key, held in value.items()) or "none"
        case _:
            return " ".join(_value(each, seats) for each in value) or "none"


def _words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def scalar(value: Any) -> str:
    """Give a single value."""
    match value:
        case None | "":
            return "-"
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)


def aligned(rows: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """Give rows of cells as lines with columns below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        indent
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def described(value: dict[str, Any], indent: str = "") -> list[str]:
    """Give a nested value (of msgspec.to_builtins) as aligned lines."""
    lines: list[str] = []
    width = max((len(key) for key in value), default=0)
    for key, held in value.items():
        if isinstance(held, dict) and not all(map(_is_flat, held.values())):
            lines += [f"{indent}{key}", *described(held, indent + "  ")]
        elif isinstance(held, list | tuple) and held and all(isinstance(x, dict) for x in held):
            lines += [f"{indent}{key}", *_table(held, indent + "  ")]
        else:
            lines.append(f"{indent}{key.ljust(width)}  {_flat(held)}")
    return lines


def _table(items: Sequence[dict[str, Any]], indent: str) -> list[str]:
    columns = list(dict.fromkeys(key for item in items for key in item))
    rows = [[str(n), *(_flat(item.get(key)) for key in columns)] for n, item in enumerate(items)]
    return aligned([["", *columns], *rows], indent)


def _is_flat(value: Any) -> bool:
    return not isinstance(value, dict | list | tuple)


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return "  ".join(f"{key} {_flat(held)}" for key, held in value.items()) or "-"
    if isinstance(value, list | tuple):
        return " ".join(_flat(each) for each in value) or "-"
    return scalar(value)


def bold(text: str) -> str:
    """Give the text bold on a terminal, unchanged elsewhere."""
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        return f"\x1b[1m{text}\x1b[0m"
    return text
