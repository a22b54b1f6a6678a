"""Options of a game as they stand on the command line: `k=v,k=v`."""

from __future__ import annotations

import argparse

from domain.games import GAMES
from domain.variants import Value, described, written

Options = dict[str, Value]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare `--options`; whether they fit the game is for `domain.variants.wrong_options`."""
    known = "; ".join(f"{game.name}: {described(game)}" for game in GAMES.values())
    text = f"options of the game. {known}"
    parser.add_argument("--options", type=_given, default={}, metavar="k=v,...", help=text)


def options_of(text: str) -> Options:
    """Read `k=v,k=v`: true and false, whole numbers, anything else as it is; raises ValueError."""
    options: Options = {}
    for pair in filter(None, text.split(",")):
        name, found, value = pair.partition("=")
        if not found or not name or not value:
            raise ValueError(f"{pair!r} is not of the form name=value")
        if name in options:
            raise ValueError(f"{name!r} is given twice")
        options[name] = _value(value)
    return options


def options_text(options: Options) -> str:
    """Write options so that `options_of` reads them."""
    return ",".join(f"{name}={written(value)}" for name, value in options.items())


def _given(word: str) -> Options:
    try:
        return options_of(word)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _value(text: str) -> Value:
    if text in {"true", "false"}:
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text
