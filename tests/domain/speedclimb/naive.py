"""A second Speedclimb: RULES.md 3 written down again, naive and mutable.

It shares no code with the game. A game is a generator that yields every question and is sent the
answer, so that both can be played in lockstep. Answers are tuples of words and cards.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

Answer = tuple[Any, ...]
Asking = Generator[tuple[str, int, set[Answer], bool], Answer, None]

GIPFELSTURM = "R3 R3|S2 S2 S2 S2|R3 C4|R6 S2|R7|S2 S3 S3|S3 C5|S2 S3 S4"
NORDWAND = "R3 R4|S2 S2 S2 R3|R4 C4|S3 S3 S2|R8|S4 R4|C6 S2|S4 S4 S2"
EXPEDITION = "S3 S3|S3 R4|S4 R4|R7|R8|R9|S4 S4|C7|S5 S2|S5 S3"
CAMPS = {
    "GIPFELSTURM": GIPFELSTURM,
    "NORDWAND": NORDWAND,
    "GROSSE_EXPEDITION": EXPEDITION,
    "MEISTER_EXPEDITION": EXPEDITION,
}


def camp(route: str, number: int) -> list[tuple[str, int]]:
    return [(part[0], int(part[1:])) for part in CAMPS[route].split("|")[number - 1].split()]


def deck(route: str) -> list[str]:
    if route in {"GIPFELSTURM", "NORDWAND"}:
        numbers = [f"{colour}{n}" for colour in "RBGWOL" for n in range(1, 16)]
        return numbers + ["Sherpa"] * 5 + ["Schneesturm"] * 3
    numbers = [f"{colour}{n}" for colour in "RBGW" for n in range(1, 13) for _ in range(2)]
    return numbers + ["Sherpa"] * 8 + ["Schneesturm"] * 4


def fillings(kind: str, size: int, real: list[str], top: int) -> Generator[list[str], None, None]:
    """Give all choices of real cards that one part can have, the most first."""
    found: set[tuple[str, ...]] = set()
    for count in range(size, 0, -1):
        for chosen in combinations(sorted(real), count):
            if chosen in found:
                continue
            found.add(chosen)
            numbers = [int(card[1:]) for card in chosen]
            match kind:
                case "C":
                    good = len({card[0] for card in chosen}) == 1
                case "S":
                    good = len(set(numbers)) == 1
                case _:
                    good = len(set(numbers)) == count and max(numbers) - min(numbers) < size <= top
            if good:
                yield list(chosen)


def can_lay(hand: list[str], parts: list[tuple[str, int]], top: int) -> bool:
    """Try everything."""
    real = [card for card in hand if card not in {"Sherpa", "Schneesturm"}]
    return _can(real, hand.count("Sherpa"), parts, top)


def _can(real: list[str], sherpas: int, parts: list[tuple[str, int]], top: int) -> bool:
    if not parts:
        return True
    if len(real) + sherpas < sum(size for _, size in parts):
        return False
    kind, size = parts[0]
    for chosen in fillings(kind, size, real, top):
        missing = size - len(chosen)
        if missing > sherpas:
            return False  # the fillings come with falling length
        left = list(real)
        for card in chosen:
            left.remove(card)
        if _can(left, sherpas - missing, parts[1:], top):
            return True
    return False


def is_part(kind: str, size: int, cards: tuple[str, ...], low: int, top: int) -> bool:
    real = [card for card in cards if card != "Sherpa"]
    if len(cards) != size or not real or "Schneesturm" in cards:
        return False
    if kind == "C":
        return len({card[0] for card in real}) == 1
    numbers = [int(card[1:]) for card in real]
    if kind == "S":
        return len(set(numbers)) == 1
    wanted = list(range(low, low + size))
    return (
        wanted[0] >= 1
        and wanted[-1] <= top
        and len(set(numbers)) == len(numbers)
        and set(numbers) <= set(wanted)
    )


@dataclass
class Liegt:
    owner: int
    kind: str
    numbers: list[int] = field(default_factory=list)
    key: Any = None
    cards: list[str] = field(default_factory=list)


@dataclass
class Spieler:
    seat: int
    position: int = 1
    done: set[int] = field(default_factory=set)
    stage: int = 0
    taken_yet: bool = False
    hand: list[str] = field(default_factory=list)
    laid: bool = False
    storm: bool = False
    depot: list[str] = field(default_factory=list)
    penalty: int = 0
    rucksack: list[str] = field(default_factory=list)
    packed: bool = False
    carry: list[str] = field(default_factory=list)


class RoundOverError(Exception):
    """Somebody got rid of the last card, laid the Gipfellager, or nothing can be taken."""


class Naive:
    """One game. `proposals(seat, hand, done)` are the stages that the game proposes."""

    def __init__(
        self,
        route: str,
        seats: int,
        shuffle: Callable[[tuple[str, ...]], tuple[str, ...]],
        propose: Callable[[list[str], set[int]], int],
        carries: Callable[[int], list[str]],
    ) -> None:
        self.route = route
        self.deck = deck(route)
        self.depots = route in {"GIPFELSTURM", "NORDWAND"}
        self.meister = route == "MEISTER_EXPEDITION"
        self.top = 15 if self.depots else 12
        self.last = 8 if self.depots else 10
        self.shuffle = shuffle
        self.propose = propose
        self.carries = carries
        self.players = [Spieler(seat) for seat in range(seats)]
        self.dealer = int(shuffle(tuple(str(seat) for seat in range(seats)))[0])
        self.material: list[str] = []
        self.storms_below = 0
        self.ablage: list[str] = []
        self.melds: list[Liegt] = []
        self.round_no = 0
        self.finisher: int | None = None
        self.summit: int | None = None
        self.over = False
        self.turn = 0
        self.exhausted = 0
        self.reshuffles = 0

    def shuffled(self, cards: list[str]) -> list[str]:
        """Shuffle from the order of the deck, as the house does."""
        order = [f"{colour}{n}" for colour in "RBGWOL" for n in range(1, 16)]
        order += ["Sherpa", "Schneesturm"]
        return list(self.shuffle(tuple(sorted(cards, key=order.index))))

    def pile(self, player: Spieler) -> list[str]:
        return player.depot if self.depots else self.ablage

    def game(self) -> Asking:
        while not self.over:
            self.round_no += 1
            if self.round_no > 1:
                self.dealer = (self.dealer + 1) % len(self.players)
            self.deal()
            with suppress(RoundOverError):
                yield from self.turns()
            self.score()

    def deal(self) -> None:
        cards = list(self.deck)
        for player in self.players:
            for card in player.rucksack + player.carry:
                cards.remove(card)
        self.material = self.shuffled(cards)
        self.melds, self.ablage, self.storms_below = [], [], 0
        self.finisher = self.summit = None
        seats = len(self.players)
        for step in range(1, seats + 1):
            player = self.players[(self.dealer + step) % seats]
            player.hand, player.carry = player.carry, []
            while len(player.hand) < 10:
                player.hand.append(self.material.pop(0))
            player.laid = player.storm = player.packed = player.taken_yet = False
            player.depot = []
            if self.meister:
                player.stage = self.propose(player.hand, player.done)
        self.pile(self.players[self.dealer]).append(self.material.pop(0))

    def refill(self) -> None:
        if self.material:
            return
        cards = ["Schneesturm"] * self.storms_below
        piles = [player.depot for player in self.players] if self.depots else [self.ablage]
        for pile in piles:
            cards += pile[:-1]
        if cards:
            self.storms_below = 0
            self.reshuffles += 1
            for pile in piles:
                del pile[:-1]
            self.material = self.shuffled(cards)

    def turns(self) -> Asking:
        self.turn = self.dealer
        while True:
            self.turn = (self.turn + 1) % len(self.players)
            player = self.players[self.turn]
            self.refill()
            if player.storm:
                player.storm = False
                if self.depots:
                    self.storms_below += 1
                continue
            yield from self.take(player)
            self.refill()
            yield from self.main(player)

    def take(self, player: Spieler) -> Asking:
        legal: set[Answer] = {("material",)} if self.material else set()
        if self.depots:
            for other in self.players:
                if other.depot and other.depot[-1] != "Schneesturm":
                    legal.add(("depot", other.seat))
        elif self.ablage and self.ablage[-1] != "Schneesturm":
            legal.add(("ablage",))
        legal |= {("rucksack", card) for card in player.rucksack}
        if not legal:
            self.exhausted += 1
            raise RoundOverError
        answer = yield "C1", player.seat, legal, False
        match answer:
            case ("material",):
                card = self.material.pop(0)
            case ("depot", owner):
                card = self.players[owner].depot.pop()
            case ("ablage",):
                card = self.ablage.pop()
            case _:
                card = answer[1]
                player.rucksack.remove(card)
        player.hand.append(card)
        player.taken_yet = True

    def parts(self, player: Spieler) -> list[tuple[str, int]]:
        return camp(self.route, player.stage if self.meister else player.position)

    def main(self, player: Spieler) -> Asking:
        while True:
            legal = self.ends(player) | (self.fits(player) if player.laid else set())
            may_lay = not player.laid and can_lay(player.hand, self.parts(player), self.top)
            answer = yield "main", player.seat, legal, may_lay
            match answer[0]:
                case "lay":
                    self.lay(player, answer[1])
                case "attach":
                    self.attach(player, *answer[1:])
                case _:
                    self.end(player, answer)
                    return

    def ends(self, player: Spieler) -> set[Answer]:
        legal: set[Answer] = set()
        last = len(player.hand) == 1
        free = [p for p in self.players if p is not player and not p.storm]
        for card in player.hand:
            if card != "Schneesturm" or last or not free:
                legal.add(("discard", card))
            if card == "Schneesturm" and not last:
                legal |= {("storm", other.seat) for other in free}
            room = not player.packed and len(player.rucksack) < 4 and not last
            if self.meister and room and card != "Schneesturm":
                legal.add(("pack", card))
        return legal

    def fits(self, player: Spieler) -> set[Answer]:
        legal: set[Answer] = set()
        if self.depots and len(player.hand) == 1:
            return legal
        for card in player.hand:
            if card == "Schneesturm":
                continue
            for index, meld in enumerate(self.melds):
                joker = card == "Sherpa"
                number = 0 if joker else int(card[1:])
                if meld.kind == "R":
                    down, up = meld.numbers[0] - 1, meld.numbers[-1] + 1
                    if down >= 1 and (joker or number == down):
                        legal.add(("attach", card, index, "low"))
                    if up <= self.top and (joker or number == up):
                        legal.add(("attach", card, index, "high"))
                elif joker or meld.key == (number if meld.kind == "S" else card[0]):
                    legal.add(("attach", card, index, ""))
        return legal

    def lay(self, player: Spieler, laid: tuple[tuple[tuple[str, ...], int], ...]) -> None:
        parts = self.parts(player)
        assert len(parts) == len(laid)
        for (kind, size), (cards, low) in zip(parts, laid, strict=True):
            assert is_part(kind, size, cards, low, self.top)
            for card in cards:
                player.hand.remove(card)
            real = next(card for card in cards if card != "Sherpa")
            key = {"S": int(real[1:]), "C": real[0], "R": None}[kind]
            numbers = list(range(low, low + size)) if kind == "R" else []
            self.melds.append(Liegt(player.seat, kind, numbers, key, list(cards)))
        player.laid = True
        if self.depots and player.position == 8:
            self.summit = player.seat
            raise RoundOverError
        self.check_hand(player)

    def attach(self, player: Spieler, card: str, index: int, end: str) -> None:
        player.hand.remove(card)
        meld = self.melds[index]
        meld.cards.append(card)
        if end == "low":
            meld.numbers.insert(0, meld.numbers[0] - 1)
        elif end == "high":
            meld.numbers.append(meld.numbers[-1] + 1)
        self.check_hand(player)

    def end(self, player: Spieler, answer: Answer) -> None:
        match answer:
            case ("discard", card):
                player.hand.remove(card)
                self.pile(player).append(card)
            case ("storm", target):
                player.hand.remove("Schneesturm")
                self.players[target].storm = True
                if not self.depots:
                    self.ablage.append("Schneesturm")
            case _:
                player.hand.remove(answer[1])
                player.rucksack.append(answer[1])
                player.packed = True
        self.check_hand(player)

    def check_hand(self, player: Spieler) -> None:
        if not player.hand:
            self.finisher = player.seat
            raise RoundOverError

    def score(self) -> None:  # noqa: C901 - all that the end of a round does
        for player in self.players:
            sprung = self.depots and player.seat == self.finisher
            if self.meister:
                if player.laid:
                    player.done.add(player.stage)
            elif sprung:
                player.position = min(9, player.position + 2)
            elif player.laid:
                player.position += 1
            if not self.depots:
                for card in player.hand:
                    player.penalty += {"Sherpa": 25, "Schneesturm": 15}.get(card) or (
                        10 if int(card[1:]) >= 10 else 5
                    )
            player.carry = []
        self.over = self.round_no == 40 or any(self.completed(p) == self.last for p in self.players)
        if self.route == "NORDWAND" and not self.over:
            for player in self.players:
                if player.position >= 5 and not player.laid:
                    player.carry = self.carries(player.seat)

    def completed(self, player: Spieler) -> int:
        return len(player.done) if self.meister else player.position - 1

    def ranks(self) -> list[int]:
        def better(one: Spieler, two: Spieler) -> bool:
            if self.completed(one) != self.completed(two):
                return self.completed(one) > self.completed(two)
            if self.depots:
                return len(one.hand) < len(two.hand)
            return one.penalty < two.penalty

        return [1 + sum(better(other, own) for other in self.players) for own in self.players]
