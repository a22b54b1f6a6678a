"""What is to be simulated, checked before anything is opened."""

from __future__ import annotations

import random
import secrets
from typing import Final, get_args

import msgspec
from msgspec import Struct

from domain.games import GAMES
from domain.table.events import Stake, Strength, TableRules, Tempo
from domain.variants import wrong_options
from services.kit.console.options import Options

PURPOSE = {"speedclimb": 4}
"""Games in which chance alone hardly ever completes anything: defaults are so often as likely."""

TALER: Final = 1_000
"""What a test player's account begins with, unless the operator of the system says otherwise."""
STAKED_MAX: Final = 1_000
"""Test players, each with a connection, that may be needed so that all have Taler enough."""


class Plan(Struct, frozen=True):
    """`people` of the `seats` at each of `tables` are played here, the rest by computers.

    `seed` drives what people choose and their share of the chance; the house's share is its own
    secret, so the same seed does not give the same games. `stall_s`: a table where nothing happens
    for so long is given up. `players_max`: how many test players there are at most; each has one
    connection and sits at many tables. `crowd` keeps them apart from those of other runs, who would
    take their connections: a player has one. `tempo`: how long the computers pause before moves.
    `stake`: what each of the people pays at each table; there are as many players as it takes for
    all to have Taler enough, even if they lose every game.
    """

    game: str
    tables: int = 1
    seats: int = 2
    people: int = 1
    options: Options = {}
    strengths: tuple[Strength, ...] = ("normal",)
    seed: int = 1
    min_game_s: int | None = None
    tempo: Tempo = "sofort"
    stake: Stake = 0
    stall_s: float = 120.0
    players_max: int = 16
    crowd: str = msgspec.field(default_factory=lambda: secrets.token_hex(3))

    @property
    def rules(self) -> TableRules:
        """The rules of every table; without a clock, because people answer at once."""
        rules = TableRules(places=self.seats, strengths=self.strengths, tempo=self.tempo)
        rules = msgspec.structs.replace(rules, stake=self.stake)
        if self.min_game_s is None:
            return rules
        return msgspec.structs.replace(rules, min_game_s=self.min_game_s)

    @property
    def players(self) -> tuple[str, ...]:
        """The test players that are needed."""
        seats = self.tables * self.people
        count = max(self.people, min(self.players_max, seats), -(-seats // self.games_max))
        return tuple(f"p_test_{self.crowd}_{number}" for number in range(1, count + 1))

    @property
    def games_max(self) -> int:
        """How many games one player can pay for."""
        return TALER // self.stake if self.stake else self.tables

    def people_at(self, table: int) -> tuple[str, ...]:
        """The players at table number `table` (from 0), all different, the opener first."""
        players = self.players
        first = table * self.people
        return tuple(players[(first + each) % len(players)] for each in range(self.people))

    def chance_of(self, table: int, person: int) -> random.Random:
        """What a person at a table chooses with."""
        return random.Random(f"{self.seed}/{table}/{person}")  # noqa: S311 - plays, guards nothing


def fault(plan: Plan) -> str | None:
    """Say in one line why a plan cannot be played, None when it can."""
    game = GAMES[plan.game]
    if not game.seats_min <= plan.seats <= game.seats_max:
        return f"--seats: {game.name} is played by {game.seats_min} to {game.seats_max}"
    if not 1 <= plan.people <= plan.seats:
        return f"--people: 1 to {plan.seats} (--seats) of the seats can be people"
    if plan.people > game.people_max:
        return f"--people: at most {game.people_max} of the seats of {game.name} can be people"
    if plan.tables * plan.people > STAKED_MAX * plan.games_max and plan.stake:
        most = STAKED_MAX * plan.games_max // plan.people
        return f"--tables: at most {most:,}, or the test players would lack Taler for the stake"
    if len(plan.strengths) > plan.seats:
        return f"--strength: at most {plan.seats} (--seats) strengths"
    wrong = wrong_options(game, plan.options)
    return None if wrong is None else f"--options: {wrong}"


def strengths_of(text: str) -> tuple[Strength, ...]:
    """Read `leicht,stark`; raises ValueError."""
    known: tuple[Strength, ...] = get_args(Strength)
    found = tuple(each for word in text.split(",") for each in known if each == word)
    if len(found) != len(text.split(",")):
        raise ValueError(f"choose from {', '.join(known)}, separated by commas")
    return found
