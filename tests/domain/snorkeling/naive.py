"""A second Snorkeling: RULES.md 4.2 to 4.5 written down again, naive and mutable.

It shares no code with the game. A game is a generator that yields every question and is sent the
answer, so that both can be played in lockstep. A play is (centre cards, None or (card, target)).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from itertools import permutations

Play = tuple[list[str], tuple[str, int] | None]
Answer = str | Play
Question = tuple[str, int]
Asking = Generator[Question, Answer, None]

DECK = [colour + value for colour in "bgrvy" for value in "01234" for _ in range(3)]


@dataclass
class Player:
    hand: list[str] = field(default_factory=list)
    pile: list[str] = field(default_factory=lambda: ["fish5"])
    total: int = 0

    def top(self) -> int:
        return int(self.pile[-1][-1])


class Naive:
    """One game."""

    def __init__(
        self, seats: int, *, expert: bool, shuffle: Callable[[tuple[str, ...]], tuple[str, ...]]
    ) -> None:
        self.expert = expert
        self.shuffle = shuffle
        self.players = [Player() for _ in range(seats)]
        self.centre: list[str] = []
        self.pile: list[str] = []
        self.starter = int(shuffle(tuple(str(seat) for seat in range(seats)))[0])
        self.round_no = 0
        self.turns = 0
        self.scores: list[list[int]] = []
        self.reshuffles = 0

    def game(self) -> Asking:
        while True:
            self.round_no += 1
            self.deal()
            yield from self.round()
            self.scores.append([player.top() for player in self.players])
            for player in self.players:
                player.total += player.top()
            totals = sorted((player.total for player in self.players), reverse=True)
            if totals[0] >= 12 and totals[0] > totals[1]:
                return
            if self.round_no == 40:
                return
            self.starter = (self.starter + 1) % len(self.players)

    def deal(self) -> None:
        cards = list(self.shuffle(tuple(DECK)))
        for player in self.players:
            player.pile = ["fish5"]
            player.hand = [cards.pop(0) for _ in range(5)]
        self.centre = [cards.pop(0)]
        self.pile = cards
        self.turns = 0

    def round(self) -> Asking:
        seat = self.starter
        while self.turns < 150 * len(self.players):
            answer = yield ("turn", seat)
            if answer != "pass":
                assert isinstance(answer, tuple)
                self.play(seat, answer)
                if any(player.top() == 0 for player in self.players):
                    return  # at once: no drawing
            yield from self.end_of_turn(seat)
            self.turns += 1
            seat = (seat + 1) % len(self.players)

    def end_of_turn(self, seat: int) -> Asking:
        me = self.players[seat]
        emptied = me.hand == []
        self.draw(me)
        if not emptied:
            return
        if len(me.pile) == 1:
            self.draw(me)
        else:
            answer = yield ("take", seat)
            if answer == "take":
                me.hand.append(me.pile.pop())
            else:
                self.draw(me)

    def draw(self, player: Player) -> None:
        if not self.pile and len(self.centre) > 1:
            below = sorted(self.centre[:-1])
            self.centre = [self.centre[-1]]
            self.pile = list(self.shuffle(tuple(below)))
            self.reshuffles += 1
        if self.pile:
            player.hand.append(self.pile.pop(0))

    def play(self, seat: int, play: Play) -> None:
        centre, attack = play
        for card in centre:
            self.players[seat].hand.remove(card)
            self.centre.append(card)
        if attack:
            self.players[seat].hand.remove(attack[0])
            self.players[attack[1]].pile.append(attack[0])

    def legal(self, seat: int, play: Play) -> bool:
        centre, attack = play
        hand = list(self.players[seat].hand)
        for card in centre + ([attack[0]] if attack else []):
            if card not in hand:
                return False
            hand.remove(card)
        if not centre or not self.legal_centre(centre):
            return False
        if attack is None:
            return True
        card, target = attack
        if target == seat or target not in range(len(self.players)):
            return False
        return int(card[1]) == self.players[target].top() - 1

    def legal_centre(self, centre: list[str]) -> bool:
        if self.expert:
            below = self.centre[-1]
            for card in centre:
                if not is_higher(card, below) and card[0] != below[0]:
                    return False
                below = card
            return True
        top = self.centre[-1]
        one_higher = len(centre) == 1 and is_higher(centre[0], top)
        return one_higher or all(card[0] == top[0] for card in centre)

    def plays(self, seat: int) -> Iterator[Play]:
        """Every legal play, by trying all arrangements of the hand: for small hands only."""
        hand = self.players[seat].hand
        attacks: list[tuple[str, int] | None] = [None]
        attacks += [(card, t) for card in sorted(set(hand)) for t in range(len(self.players))]
        for length in range(1, len(hand) + 1):
            for centre in sorted(set(permutations(hand, length))):
                if self.legal_centre(list(centre)):
                    for attack in attacks:
                        if self.legal(seat, (list(centre), attack)):
                            yield list(centre), attack


def is_higher(card: str, below: str) -> bool:
    value, under = int(card[1]), int(below[1])
    return value == 0 if under == 4 else value == under + 1
