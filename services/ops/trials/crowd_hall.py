"""The tables of a crowd: what is played at the next one, how many run, and who sits where."""

from __future__ import annotations

from itertools import cycle
from random import Random
from typing import Final

from msgspec import Struct

from contracts.subjects import successor_id
from domain.games import GAMES
from domain.kernel import AnyGame
from domain.table.events import Stake, Strength, TableRules, Tempo, Thinking
from domain.variants import Value, choices, variants

STAKES: Final[tuple[Stake, ...]] = (0, 0, 10, 25)
CLOCKS: Final[tuple[Thinking, ...]] = (0, 30)
"""The shortest clock there is, so that some answers come too late, and none."""
TEMPOS: Final[tuple[Tempo, ...]] = ("sofort", "schnell")
COMPUTERS: Final = 0.7
"""The chance that computers take the places that are left."""
STRENGTHS: Final[tuple[Strength, ...]] = ("leicht", "leicht", "normal", "normal", "stark")


class Opening(Struct, frozen=True):
    """A table to be opened, and for how many people its opener waits."""

    game: str
    options: dict[str, Value]
    rules: TableRules
    people: int


class Hall:
    """What the people of a trial know of each other's tables.

    `openings` and `games` hold every table that any of them opened, or may have opened; `ended`
    those that somebody has seen to their end.
    """

    def __init__(self, people: int, tables: int, rng: Random) -> None:
        """Plan for so many people at about so many tables at a time."""
        self.openings: dict[str, Opening] = {}
        self.games: dict[str, AnyGame] = {}
        self.ended: set[str] = set()
        self._tables = tables
        self._mean = max(2, round(people / tables))
        self._rng = rng
        self._seated: dict[str, set[str]] = {}
        ways = [(game, variant) for game in GAMES.values() for variant in variants(game)]
        rng.shuffle(ways)
        self._ways = cycle(ways)

    @property
    def has_room(self) -> bool:
        """Whether another table may be opened."""
        return len(self._seated) < self._tables

    def draw(self, *, alone: bool) -> Opening:
        """Give a table to open; every variant of every game comes in turn."""
        rng, (game, variant) = self._rng, next(self._ways)
        people = 1 if alone else rng.choice((self._mean - 1, self._mean, self._mean + 1))
        people = min(max(people, 1 if alone else 2), game.people_max)
        places = rng.randint(max(game.seats_min, people), min(game.seats_max, people + 1))
        rules = TableRules(
            places=places,
            computers=alone or rng.random() < COMPUTERS,
            thinking_s=rng.choice(CLOCKS),
            strengths=(rng.choice(STRENGTHS),),
            min_game_s=rng.choice((0, 90)),
            tempo=rng.choice(TEMPOS),
            stake=0 if alone else rng.choice(STAKES),
            solo=alone,
        )
        return Opening(game.name, {**self._beside(game), **variant}, rules, people)

    def enter(self, table: str, player: str, opening: Opening | None = None) -> None:
        """Note that somebody sits down; also the table at which these people may play again."""
        self._seated.setdefault(table, set()).add(player)
        opening = opening or self.openings[table]
        for each in (table, successor_id(table)):
            self.openings[each] = opening
            self.games[each] = GAMES[opening.game]

    def depart(self, table: str, player: str) -> None:
        """Note that somebody has left, or has seen the end."""
        here = self._seated.get(table, set())
        here.discard(player)
        if not here:
            self._seated.pop(table, None)

    def _beside(self, game: AnyGame) -> dict[str, Value]:
        """Draw the options that make no variant; of numbers the first, for short games."""
        return {
            name: values[0] if type(values[0]) is int else self._rng.choice(values)
            for name, values in choices(game).items()
            if values and not isinstance(values[0], str)
        }
