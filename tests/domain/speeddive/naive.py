"""A second Speeddive Klassisch: RULES.md 2.4 to 2.8 written down again, naive and mutable.

It shares no code with the game. A round is a generator that yields every question and is sent
the answer, so that both can be played in lockstep.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["D1", "D2", "D3", "D4", "D5"]
Question = tuple[Kind, int, list[str]]
Asking = Generator[Question, str, None]

DECK = (
    ["0"]
    + [str(v) for v in range(1, 13) for _ in range(v)]
    + ["+2", "+4", "+6", "+8", "+10", "x2"]
    + ["Stroemung"] * 3
    + ["Sog"] * 3
    + ["Reserveflasche"] * 3
)


@dataclass
class Taucher:
    seat: int
    total: int = 0
    status: str = "DOWN"
    trail: list[int] = field(default_factory=list)
    pearls: list[str] = field(default_factory=list)
    times2: bool = False
    bottle: int = 0
    deal_skip: bool = False
    dealt: bool = False

    def laid(self) -> list[str]:
        cards = [str(v) for v in self.trail] + self.pearls
        return cards + ["x2"] * self.times2 + ["Reserveflasche"] * self.bottle


class Naive:
    """One game."""

    deck = DECK

    def __init__(
        self, seats: int, target: int, shuffle: Callable[[tuple[str, ...]], tuple[str, ...]]
    ) -> None:
        self.shuffle = shuffle
        self.target = target
        self.divers = [Taucher(seat) for seat in range(seats)]
        self.dealer = int(shuffle(tuple(str(s) for s in range(seats)))[0])
        self.draw_pile: list[str] = list(shuffle(tuple(self.deck)))
        self.discard: list[str] = []
        self.tie_breaks = 0
        self.round_no = 0
        self.round_over = False
        self.scores: list[list[int]] = []
        self.pending: list[list[str]] = []

    def game(self) -> Asking:
        while True:
            self.round_no += 1
            yield from self.round()
            self.score()
            best = max(d.total for d in self.divers)
            leaders = [d for d in self.divers if d.total == best]
            if self.tie_breaks == 0:
                if best >= self.target:
                    if len(leaders) == 1:
                        return
                    self.tie_breaks = 1
            else:
                if len(leaders) == 1 or self.tie_breaks == 10:
                    return
                self.tie_breaks += 1
            self.dealer = (self.dealer + 1) % len(self.divers)

    def clockwise_from_left_of(self, seat: int) -> list[Taucher]:
        n = len(self.divers)
        return [self.divers[(seat + k) % n] for k in range(1, n + 1)]

    def round(self) -> Asking:
        # The cards of the last round go away only now, so that a summary can show them.
        for d in self.divers:
            self.discard += d.laid()
            d.status, d.trail, d.pearls = "DOWN", [], []
            d.times2, d.bottle, d.deal_skip, d.dealt = False, 0, False, False
        self.round_over = False
        for d in self.clockwise_from_left_of(self.dealer):
            if self.round_over:
                return
            if d.deal_skip or d.status != "DOWN":
                continue
            d.dealt = True
            yield from self.draw(d, None)
        whose = self.dealer
        while not self.round_over:
            downs = [d for d in self.clockwise_from_left_of(whose) if d.status == "DOWN"]
            if not downs:
                return
            d = downs[0]
            whose = d.seat
            answer = yield ("D1", d.seat, self.turn_answers(d))
            if answer == "dive":
                yield from self.draw(d, None)
            else:
                d.status = "SURFACED"

    def turn_answers(self, _d: Taucher) -> list[str]:
        return ["dive", "surface"]

    def refill(self) -> None:
        if not self.draw_pile:
            order = {card: i for i, card in enumerate(self.deck)}
            self.draw_pile = list(self.shuffle(tuple(sorted(self.discard, key=lambda c: order[c]))))
            self.discard = []

    def draw(self, d: Taucher, queue: list[str] | None) -> Asking:
        self.refill()
        c = self.draw_pile.pop(0)
        if c.isdigit():
            self.place(d, int(c))
        elif c == "x2":
            d.times2 = True
        elif c.startswith("+"):
            d.pearls.append(c)
        elif c == "Reserveflasche":
            yield from self.take_bottle(d)
        elif queue is not None:
            queue.append(c)
        else:
            target = yield from self.choose("D2", d, self.downs())
            self.discard.append(c)
            yield from self.effect(c, target)

    def place(self, d: Taucher, value: int) -> None:
        if value in d.trail:
            if d.bottle:
                self.discard += [str(value), "Reserveflasche"]
                d.bottle = 0
                return
            d.trail.append(value)
            d.status = "OUT"
            return
        d.trail.append(value)
        if len(d.trail) == 7:
            d.status = "TREASURE"
            self.round_over = True

    def take_bottle(self, d: Taucher) -> Asking:
        if d.bottle == 0:
            d.bottle = 1
            return
        takers = [t for t in self.divers if t.status == "DOWN" and not t.bottle and t is not d]
        if not takers:
            self.discard.append("Reserveflasche")
            return
        taker = yield from self.choose("D3", d, takers)
        taker.bottle = 1

    def downs(self) -> list[Taucher]:
        return [t for t in self.divers if t.status == "DOWN"]

    def choose(
        self, kind: Kind, d: Taucher, legal: list[Taucher]
    ) -> Generator[Question, str, Taucher]:
        if len(legal) == 1:
            return legal[0]
        answer = yield (kind, d.seat, [str(t.seat) for t in legal])
        return self.divers[int(answer)]

    def effect(self, card: str, target: Taucher) -> Asking:
        if card == "Stroemung":
            target.status = "SURFACED"
        else:
            yield from self.forced(target, 3)

    def forced(self, d: Taucher, n: int) -> Asking:
        if not d.dealt:
            d.deal_skip = True
        queue: list[str] = []
        self.pending.append(queue)
        for _ in range(n):
            yield from self.draw(d, queue)
            if d.status == "OUT" or self.round_over:
                break
        if d.status != "OUT" and not self.round_over:
            targets = []
            for c in queue:
                if c == "Sog":
                    targets.append(d)
                else:
                    target = yield from self.choose("D2", d, self.downs())
                    targets.append(target)
            while queue and not self.round_over:
                c, target = queue.pop(0), targets.pop(0)
                self.discard.append(c)
                if target.status == "DOWN":
                    yield from self.effect(c, target)
        self.discard += queue
        self.pending.remove(queue)

    def score(self) -> None:
        line = []
        for d in self.divers:
            points = 0
            if d.status != "OUT":
                points = sum(d.trail) * (2 if d.times2 else 1) + sum(int(p) for p in d.pearls)
                points += 15 if d.status == "TREASURE" else 0
            d.total += points
            line.append(points)
        self.scores.append(line)
