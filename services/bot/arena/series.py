"""Many deals of one match, on all cores."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import msgspec
from msgspec import Struct

from domain.games import GAMES
from domain.variants import label, variant_of, wrong_options
from services.bot.arena.match import Pairing, play_deal
from services.bot.arena.opponents import opponent
from services.bot.arena.processes import spread
from services.bot.arena.times import Times
from services.kit.console.failure import Failure
from services.kit.console.options import Options, options_text


class Match(Struct, frozen=True, kw_only=True):
    """Who plays whom at what; `a` and `b` are names, `seed` names the series of deals."""

    game: str
    options: Options
    seats: int
    a: str
    b: str
    seed: str

    @property
    def title(self) -> str:
        """The variant that is played."""
        game = GAMES[self.game]
        return label(game, variant_of(game, msgspec.convert(self.options, game.options_type)))


class Deal(NamedTuple):
    """What came of one deal (`match.Played`), with the times counted."""

    outcomes: tuple[int, ...]
    a: Times
    b: Times


def pairing_of(match: Match) -> Pairing:
    """Find everything that a match names; raises Failure for what does not exist."""
    game = GAMES[match.game]
    if not game.seats_min <= match.seats <= game.seats_max:
        raise Failure(f"{game.name} is played by {game.seats_min} to {game.seats_max} (--seats)")
    if (wrong := wrong_options(game, match.options)) is not None:
        raise Failure(f"--options: {wrong}")
    a, b = opponent(match.game, match.a), opponent(match.game, match.b)
    options = msgspec.convert(match.options, game.options_type)
    return Pairing(game, options, match.seats, a, b, match.seed)


def command_of(match: Match, games: int) -> str:
    """Give the command that plays this match."""
    words = ["logbuch", "arena", "--game", match.game, "--a", match.a, "--b", match.b]
    words += ["--games", str(games), "--seats", str(match.seats)]
    if match.options:
        words += ["--options", options_text(match.options)]
    return shlex.join([*words, "--seed", match.seed])


def play(match: Match, deals: Sequence[int], cores: int | None = None) -> Iterator[Deal]:
    """Play these deals on so many cores (None: all) and give them in their order.

    The outcomes do not depend on the cores. With one core all is done in this process. Raises
    Failure when a strategy fails; an interrupt ends the other processes, too.
    """
    pairing_of(match)
    # A kept result is a match, too, but its outcomes need not travel to other processes.
    plain = Match(**{name: getattr(match, name) for name in Match.__struct_fields__})
    work = partial(_play, plain)
    count = min(cores or os.cpu_count() or 1, len(deals))
    yield from map(work, deals) if count == 1 else spread(work, deals, count)


def _play(match: Match, deal: int) -> Deal:
    outcomes, a_ns, b_ns = play_deal(pairing_of(match), deal)
    a, b = Times(), Times()
    a.add(a_ns)
    b.add(b_ns)
    return Deal(outcomes, a, b)
