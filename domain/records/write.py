"""Writing a record from the facts of a game that was played."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from domain.games import NOTATIONS
from domain.kernel import SEAT_SHUFFLES, SEATS_MAX, AnyGame, Chosen, Over, Resumed, Shuffled
from domain.records.notation import SEAT_LETTERS, Notation
from domain.records.text import RESUME

_SEATS = frozenset(str(seat) for seat in range(SEATS_MAX))


def record_of(
    game: AnyGame,
    options: Any,
    seats: int,
    facts: Iterable[Any],
    places: tuple[int, ...] | None = None,
) -> str:
    """Give the record of a game from its own facts, in order; it runs again to the same end.

    `places`: where the seats sit at the table, without gaps if left out.
    """
    notation: Notation = NOTATIONS[game.name]
    places = places or tuple(range(seats))
    state = game.start(options, places)
    shuffles: list[str] = []
    play: list[str] = []
    for fact in facts:
        match fact:
            case Chosen(seat=seat, part=part, move=move):
                who = f"{SEAT_LETTERS[seat]}/{part}" if part else SEAT_LETTERS[seat]
                play.append(f"{who} {notation.written(move)}")
                continue
            case Shuffled(what=what, order=order):
                shuffles.append(_shuffle(what, order))
            case Resumed():
                play.append(RESUME)
            case _:
                pass
        state = game.evolve(state, fact)
    waiting = game.waiting(state)
    if isinstance(waiting, Over):
        play.append("expect question = over")
        play.append(f"expect scores = {_numbers(waiting.scores)}")
        play.append(f"expect ranks = {_numbers(waiting.ranks)}")
    return _toml(game.name, options, places, shuffles, play)


def _shuffle(what: str, order: tuple[str, ...]) -> str:
    if what in SEAT_SHUFFLES and _SEATS.issuperset(order):
        return ", ".join(SEAT_LETTERS[int(seat)] for seat in order)
    return ", ".join(order)


def _toml(
    name: str, options: Any, places: tuple[int, ...], shuffles: list[str], play: list[str]
) -> str:
    # JSON texts, numbers and booleans are TOML as well.
    settings = ", ".join(
        f"{key} = {json.dumps(value)}" for key, value in msgspec.to_builtins(options).items()
    )
    lines = [
        f'game = "{name}"',
        f"options = {{{settings}}}",
        f"seats = {len(places)}",
        *([f"places = {list(places)}"] if places != tuple(range(len(places))) else []),
        "shuffles = [",
        *(f"  {json.dumps(each)}," for each in shuffles),
        "]",
        'play = """',
        *play,
        '"""',
    ]
    return "\n".join(lines) + "\n"


def _numbers(values: tuple[int, ...]) -> str:
    return ", ".join(str(value) for value in values)
