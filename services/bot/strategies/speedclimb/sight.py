"""What a climber sees of his own cards and of the others', in the terms that strategies think in."""

from __future__ import annotations

from typing import NamedTuple

from domain.kernel import Cards, Seat
from domain.speedclimb.cards import SHERPA, SIZE, without
from domain.speedclimb.melds import places
from domain.speedclimb.scoring import camp_number
from domain.speedclimb.state import Board, Own
from domain.speedclimb.views import View
from services.bot.strategies.speedclimb.camps import UNIT, key_of, reach


class Sight(NamedTuple):
    """The asked seat and its camp.

    `camp` is the code of the camp that it plays for, "" beyond the last; `top` the highest number.
    """

    board: Board
    own: Own
    seat: Seat
    camp: str
    top: int

    @property
    def laid(self) -> bool:
        """The own camp stands."""
        return self.board.climbers[self.seat].laid

    @property
    def expedition(self) -> bool:
        """One Ablage, penalties, and the last card may be attached."""
        return self.board.mountain.expedition

    def attachable(self, card: str) -> bool:
        """Tell whether the card fits to a combination that lies there."""
        return bool(places(self.board.melds, (card,), self.top))

    def missing(self, hand: Cards) -> int:
        """Give how many cards such a hand lacks for the camp, 99 if there is none any more."""
        if not self.camp:
            return 99
        used = reach(key_of(hand, self.camp), self.camp, self.top).used
        return max(0, SIZE[self.camp] - used - hand.count(SHERPA))

    def spares(self) -> Cards:
        """Give the different cards that the hand can do without and be as near to its camp."""
        hand = self.own.hand
        different = [card for card in dict.fromkeys(hand) if card != SHERPA]
        if self.laid or not self.camp:
            return tuple(different)
        key, unit = key_of(hand, self.camp), UNIT[self.camp]
        used = reach(key, self.camp, self.top).used
        return tuple(
            [c for c in different if reach(key - unit[c], self.camp, self.top).used == used]
        )


def sight_of(view: View) -> Sight:
    """Give what the viewer sees; he has a seat."""
    board, own, seat = view.board, view.own, view.seat
    assert own is not None
    assert seat is not None
    mountain = board.mountain
    number = camp_number(board, board.climbers[seat], own.stage)
    return Sight(board, own, seat, mountain.camps[number - 1] if number else "", mountain.top)


def rivals(sight: Sight) -> list[Seat]:
    """Give the other seats, the next one first."""
    seats = len(sight.board.climbers)
    return [(sight.seat + step) % seats for step in range(1, seats)]


def left(hand: Cards, card: str) -> Cards:
    """Give the hand without one card."""
    return without(hand, (card,))
