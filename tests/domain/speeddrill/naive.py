"""A second Speeddrill: RULES.md 5 written down again, naive and mutable.

It shares no code with the game. A game is a generator that yields every question and is sent the
answer, so that both can be played in lockstep.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any

CLOCKWISE = ["Sued", "West", "Nord", "Ost"]
ROWS, COLUMNS = "OMU", "LMR"
DECK = [r + c for r in ROWS for c in COLUMNS for _ in range(5)]
WORTH = {  # layer, Fundwert
    "Texas": (400, 3),
    "Atacama": (200, 2),
    "Kimberley": (700, 6),
    "Island": (500, 3),
    "Sibirien": (600, 4),
    "Outback": (300, 2),
}
Question = tuple[str, Any]
Asking = Generator[Question, Any, None]
Drilling = tuple[str, int, str]


@dataclass
class Colour:
    name: str
    player: int
    looks_from: str
    hand: list[str] = field(default_factory=list)
    supply: list[int] = field(
        default_factory=lambda: [100] * 11 + [200] * 6 + [300] * 4 + [400] * 3
    )
    chosen: list[int] = field(default_factory=list)
    points: int = 0


def absolute(looks_from: str, card: str) -> tuple[int, int]:
    r, c = ROWS.index(card[0]), COLUMNS.index(card[1])
    if looks_from == "Sued":
        return r, c
    if looks_from == "West":
        return c, 2 - r
    if looks_from == "Nord":
        return 2 - r, 2 - c
    return 2 - c, r


def colours_of(sides: list[str]) -> list[Colour]:
    if len(sides) > 2:
        return [Colour(side, n, side) for n, side in enumerate(sides)]
    opposite = {"Sued": "Nord", "Nord": "Sued", "West": "Ost", "Ost": "West"}
    p1, p2 = sides
    if opposite[p1] == p2:
        after = {side: CLOCKWISE[(n + 1) % 4] for n, side in enumerate(CLOCKWISE)}
        second1, second2 = after[p1], after[p2]
    else:
        second1, second2 = opposite[p1], opposite[p2]
    return [Colour(p1, 0, p1), Colour(p2, 1, p2), Colour(second1, 0, p1), Colour(second2, 1, p2)]


class Naive:
    """One game; `holes` maps (field, row, column) to rods (colour, metres), top first."""

    def __init__(
        self, sides: list[str], mode: str, shuffle: Callable[[tuple[str, ...]], tuple[str, ...]]
    ) -> None:
        self.shuffle = shuffle
        self.mode = mode
        self.colours = colours_of(sides)
        self.holes: dict[tuple[str, int, int], list[tuple[str, int]]] = {}
        self.pile: list[str] = []
        self.discard: list[str] = []
        self.season = 0
        self.start = ""
        self.kursfeld = ""
        self.free_fields = list(WORTH)
        self.forfeits = 0
        self.reshuffles = 0
        self.score_log: list[list[int]] = []

    def setup(self) -> None:
        self.pile = list(self.shuffle(tuple(DECK)))
        for colour in self.colours:
            colour.hand = [self.pile.pop(0) for _ in range(4)]
        self.start = self.shuffle(tuple(c.name for c in self.colours))[0]

    def game(self) -> Asking:
        self.setup()
        for self.season in (1, 2, 3, 4):
            if self.season > 1:
                names = [c.name for c in self.colours]
                self.start = names[(names.index(self.start) + 1) % len(names)]
            if self.mode == "ROHSTOFFE":
                self.kursfeld = self.shuffle(tuple(self.free_fields))[0]
                self.free_fields.remove(self.kursfeld)
            yield from self.choose_rods()
            yield from self.turns()
            self.score()
            yield "summary", None

    def choose_rods(self) -> Asking:
        if self.season == 4:
            for colour in self.colours:
                colour.chosen, colour.supply = colour.supply, []
            return
        choices: dict[str, list[int]] = yield "P1", [c.name for c in self.colours]
        for colour in self.colours:
            for rod in choices[colour.name]:
                colour.supply.remove(rod)
                colour.chosen.append(rod)

    def turns(self) -> Asking:
        names = [c.name for c in self.colours]
        first = names.index(self.start)
        order = self.colours[first:] + self.colours[:first]
        for _ in range(6):
            for colour in order:
                legal = self.legal(colour)
                if legal:
                    card, rod, where = yield "P2", (colour.name, legal)
                    row, column = absolute(colour.looks_from, card)
                    self.holes.setdefault((where, row, column), []).append((colour.name, rod))
                else:
                    card, rod = colour.hand[0], min(colour.chosen)
                    self.forfeits += 1
                colour.hand.remove(card)
                colour.chosen.remove(rod)
                self.discard.append(card)
                self.draw(colour)

    def draw(self, colour: Colour) -> None:
        if not self.pile:
            self.pile = list(self.shuffle(tuple(sorted(self.discard, key=DECK.index))))
            self.discard = []
            self.reshuffles += 1
        colour.hand.append(self.pile.pop(0))

    def legal(self, colour: Colour) -> set[Drilling]:
        return {
            (card, rod, where)
            for card in colour.hand
            for rod in colour.chosen
            for where in WORTH
            if self.allowed(colour, (where, *absolute(colour.looks_from, card)), rod)
        }

    def allowed(self, colour: Colour, square: tuple[str, int, int], rod: int) -> bool:
        rods = self.holes.get(square)
        if not rods or rods[-1][0] == colour.name:
            return True
        owner = rods[-1][0]
        return metres(rods, colour.name) + rod >= metres(rods, owner)

    def score(self) -> None:
        line = self.standing()
        for colour, points in zip(self.colours, line, strict=True):
            colour.points += points
        self.score_log.append(line)

    def standing(self) -> list[int]:
        points = {c.name: 0 for c in self.colours}
        depth = {square: sum(m for _, m in rods) for square, rods in self.holes.items()}
        owner = {square: rods[-1][0] for square, rods in self.holes.items()}
        for square, who in owner.items():
            layer, value = WORTH[square[0]]
            if self.mode == "ROHSTOFFE" and depth[square] >= layer:
                points[who] += value * (2 if square[0] == self.kursfeld else 1)
            else:
                points[who] += 1
        for where in WORTH:
            towers = {c.name: 0 for c in self.colours}
            for square, who in owner.items():
                if square[0] == where:
                    towers[who] += 1
            best = [name for name, n in towers.items() if n == max(towers.values())]
            if len(best) == 1 and towers[best[0]]:
                points[best[0]] += 2
        deepest = [square for square in depth if depth[square] == max(depth.values())]
        if len(deepest) == 1:
            points[owner[deepest[0]]] += 3
        return [points[c.name] for c in self.colours]

    def result(self) -> tuple[list[int], list[int], list[int]]:
        """Give ranks, scores and what counts for the leaderboard, one per player."""
        players = range(1 + max(c.player for c in self.colours))
        own = {p: {c.name for c in self.colours if c.player == p} for p in players}
        strength = []
        for p in players:
            total = sum(c.points for c in self.colours if c.player == p)
            depths = [
                sum(m for _, m in rods) for rods in self.holes.values() if rods[-1][0] in own[p]
            ]
            strength.append((total, max([0, *depths]), len(depths)))
        ranks = [1 + sum(other > mine for other in strength) for mine in strength]
        scores = [s[0] for s in strength]
        if self.mode == "KLASSISCH":
            return ranks, scores, scores
        return ranks, scores, [_half_up(score * 6, 10) for score in scores]


def _half_up(numerator: int, denominator: int) -> int:
    whole, rest = divmod(numerator, denominator)
    return whole + (2 * rest >= denominator)


def metres(rods: Iterable[tuple[str, int]], name: str) -> int:
    return sum(m for who, m in rods if who == name)
