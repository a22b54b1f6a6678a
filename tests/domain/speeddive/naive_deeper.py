"""Deeper Dive and Brutal a second time: RULES.md 2.5 to 2.7 written down again, naive and mutable.

The round and the game around it are those of the naive Klassisch; everything about cards is here.
It shares no code with the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.domain.speeddive.naive import Asking, Naive, Taucher

LEADS = ["-2", "-4", "-6", "-8", "-10", "Leck"]
DECK = (
    ["0"]
    + [str(v) for v in range(1, 7) for _ in range(v)]
    + ["7"] * 6
    + ["7C"]
    + [str(v) for v in range(8, 13) for _ in range(v)]
    + ["13"] * 12
    + ["13G"]
    + LEADS
    + [
        card
        for card in ("LetzterAtemzug", "Mahlstrom", "Enterhaken", "Stroemungswechsel", "Haibiss")
        for _ in range(2)
    ]
)
FOR_A_DIVER = ["LetzterAtemzug", "Mahlstrom", *LEADS]


def is_number(card: str) -> bool:
    return card.rstrip("CG").isdigit()


def value(card: str) -> int:
    return int(card.rstrip("CG"))


@dataclass
class Tieftaucher(Taucher):
    cards: list[str] = field(default_factory=list)
    weights: list[str] = field(default_factory=list)

    def laid(self) -> list[str]:
        return self.cards + self.weights

    def in_play(self) -> bool:
        return self.status in ("DOWN", "SURFACED")


class NaiveDeeper(Naive):
    """One game of Deeper Dive."""

    deck = DECK

    def __init__(
        self,
        seats: int,
        target: int,
        shuffle: Callable[[tuple[str, ...]], tuple[str, ...]],
        *,
        brutal: bool,
    ) -> None:
        super().__init__(seats, target, shuffle)
        self.brutal = brutal
        self.taucher = [Tieftaucher(seat) for seat in range(seats)]
        self.divers = list(self.taucher)
        self.treasure_choice: str | None = None
        self.held: list[str] = []

    def round(self) -> Asking:
        self.treasure_choice = None
        for d in self.taucher:
            self.discard += d.laid()
            d.cards, d.weights = [], []
        yield from super().round()
        if self.brutal:
            for d in self.taucher:
                if d.status == "TREASURE":
                    others = [str(t.seat) for t in self.taucher if t is not d]
                    self.treasure_choice = yield ("D5", d.seat, ["bonus", *others])

    def turn_answers(self, d: Taucher) -> list[str]:
        if "0" in self.taucher[d.seat].cards:
            return ["dive"]
        return ["dive", "surface"]

    def draw(self, d: Taucher, queue: list[str] | None) -> Asking:
        self.refill()
        c = self.draw_pile.pop(0)
        me = self.taucher[d.seat]
        if is_number(c):
            self.lay(me, c, from_pile=True)
        elif queue is not None:
            queue.append(c)
        else:
            yield from self.action(me, c)

    def lay(self, d: Tieftaucher, c: str, *, from_pile: bool) -> None:
        if c == "7C" and from_pile:
            self.discard += d.cards + d.weights
            d.cards, d.weights = ["7C"], []
            return
        twice = self.duplicate(d.cards, c)
        d.cards.append(c)
        self.check(d, twice=twice)

    def duplicate(self, trail: list[str], c: str) -> bool:
        same = [x for x in trail if value(x) == value(c)]
        if not same:
            return False
        golden = [x for x in (same[0], c) if x == "13G"]
        return not (value(c) == 13 and len(same) == 1 and len(golden) == 1)

    def check(self, d: Tieftaucher, *, twice: bool) -> None:
        if twice:
            d.status = "OUT"
        elif len(d.cards) == 7:
            d.status = "TREASURE"
            self.round_over = True

    def action(self, d: Tieftaucher, c: str) -> Asking:
        """An action, Blei or Leck that is drawn alone: choose and apply at once."""
        self.held.append(c)
        if c in FOR_A_DIVER:
            target = yield from self.choose("D2", d, self.legal_for(c))
            self.held.remove(c)
            yield from self.hit(c, target)
        else:
            yield from self.card_action(d, c)

    def legal_for(self, c: str) -> list[Taucher]:
        if c in LEADS and self.brutal:
            return list(self.divers)
        return [t for t in self.taucher if t.in_play()]

    def hit(self, c: str, target: Taucher) -> Asking:
        t = self.taucher[target.seat]
        if c in LEADS:
            t.weights.append(c)
            return
        self.discard.append(c)
        if c == "Mahlstrom":
            yield from self.forced(t, 4)
            return
        if not t.dealt:
            t.deal_skip = True
        yield from self.draw(t, None)
        if t.status == "DOWN" and not self.round_over:
            t.status = "SURFACED"

    def open_of(self, t: Tieftaucher) -> list[str]:
        return t.cards + t.weights if t.in_play() else []

    def card_action(self, d: Tieftaucher, c: str) -> Asking:
        """Enterhaken, Strömungswechsel or Haibiss; the card is in `held` until it is used."""
        owners = [t for t in self.taucher if c != "Enterhaken" or t is not d]
        choices = [(t, x) for t in owners for x in self.open_of(t)]
        if c == "Stroemungswechsel":
            pairs = [
                f"{t.seat} {x} {u.seat} {y}" for t, x in choices for u, y in choices if t is not u
            ]
            if pairs:
                answer = yield ("D4", d.seat, sorted(pairs))
            self.used(c)
            if pairs:
                one, x, two, y = answer.split()
                self.swap(self.taucher[int(one)], x, self.taucher[int(two)], y)
            return
        if len(choices) > 1:
            answer = yield ("D4", d.seat, [f"{t.seat} {x}" for t, x in choices])
        elif choices:
            answer = f"{choices[0][0].seat} {choices[0][1]}"
        self.used(c)
        if choices:
            seat, card = answer.split()
            self.remove(self.taucher[int(seat)], card)
            if c == "Haibiss":
                self.discard.append(card)
            elif is_number(card):
                self.lay(d, card, from_pile=False)
            else:
                d.weights.append(card)

    def used(self, c: str) -> None:
        self.held.remove(c)
        self.discard.append(c)

    def remove(self, t: Tieftaucher, card: str) -> None:
        (t.cards if is_number(card) else t.weights).remove(card)

    def swap(self, p: Tieftaucher, x: str, q: Tieftaucher, y: str) -> None:
        self.remove(p, x)
        self.remove(q, y)
        twice = {}
        for t, card in ((p, y), (q, x)):
            twice[t.seat] = is_number(card) and self.duplicate(t.cards, card)
            (t.cards if is_number(card) else t.weights).append(card)
        self.check(p, twice=twice[p.seat])
        if not self.round_over:
            self.check(q, twice=twice[q.seat])

    def forced(self, d: Taucher, n: int) -> Asking:
        me = self.taucher[d.seat]
        if not me.dealt:
            me.deal_skip = True
        drawn: list[str] = []
        self.pending.append(drawn)
        for _ in range(n):
            yield from self.draw(me, drawn)
            if me.status == "OUT" or self.round_over:
                break
        if me.status != "OUT" and not self.round_over:
            yield from self.hand_out(me, drawn)
        self.discard += drawn
        # By identity: two empty queues are equal.
        self.pending = [queue for queue in self.pending if queue is not drawn]

    def hand_out(self, me: Tieftaucher, drawn: list[str]) -> Asking:
        targets: list[Taucher | None] = []
        for c in drawn:
            if c == "Mahlstrom":
                targets.append(me)
            elif c in FOR_A_DIVER:
                targets.append((yield from self.choose("D2", me, self.legal_for(c))))
            else:
                targets.append(None)
        while drawn and not self.round_over:
            c, target = drawn[0], targets.pop(0)
            if target is None and me.status != "OUT":
                self.held.append(drawn.pop(0))
                yield from self.card_action(me, c)
                continue
            drawn.pop(0)
            if target is not None and target in self.legal_for(c):
                yield from self.hit(c, target)
            else:
                self.discard.append(c)

    def score(self) -> None:
        line = []
        for d in self.taucher:
            lead = sum(-int(w) for w in d.weights if w != "Leck")
            if d.status == "OUT":
                points = -lead if self.brutal else 0
            else:
                points = sum(value(c) for c in d.cards)
                if "0" in d.cards and d.status != "TREASURE":
                    points = 0
                if "Leck" in d.weights:
                    points = points // 2
                points -= lead
                if not self.brutal and points < 0:
                    points = 0
                if d.status == "TREASURE" and self.treasure_choice in (None, "bonus"):
                    points += 15
            if self.treasure_choice == str(d.seat):
                points -= 15
            line.append(points)
            d.total += points
            d.total = max(d.total, 0)
        self.scores.append(line)
