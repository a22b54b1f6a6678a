"""The facts of Speeddive; everybody sees all of them, only the order of the pile stays hidden."""

from __future__ import annotations

from typing import TypeAlias

from domain.kernel import Fact, Resumed, Seat, Shuffled


class RoundStarted(Fact, frozen=True, gc=False):
    """All divers are DOWN with nothing before them (DIVE-R02); `tie_break` counts Stechrunden."""

    number: int
    dealer: Seat
    tie_break: int = 0


class CardDrawn(Fact, frozen=True, gc=False):
    """The top card of the pile came to a diver: dealt, dived for or forced on him."""

    seat: Seat
    card: str


class DiveBegun(Fact, frozen=True, gc=False):
    """A diver dives while the pile is empty: his card comes after the shuffle (DIVE-R08)."""

    seat: Seat


class ReserveflascheUsed(Fact, frozen=True, gc=False):
    """The duplicate that was just drawn and the diver's bottle are gone; he dives on."""

    seat: Seat
    card: str


class ReserveflascheGiven(Fact, frozen=True, gc=False):
    """A surplus bottle went to another diver."""

    seat: Seat
    target: Seat


class ReserveflascheDiscarded(Fact, frozen=True, gc=False):
    """Nobody could take the surplus bottle (DIVE-A12)."""

    seat: Seat


class TargetChosen(Fact, frozen=True, gc=False):
    """An action card has its diver; it takes effect when its turn comes."""

    seat: Seat
    card: str
    target: Seat


class ActionApplied(Fact, frozen=True, gc=False):
    """An action card took effect: Stroemung lets its target surface, Sog makes him draw three."""

    card: str
    target: Seat


class ActionLapsed(Fact, frozen=True, gc=False):
    """An action card was discarded, as its target is no longer DOWN."""

    card: str
    target: Seat


class DiverSurfaced(Fact, frozen=True, gc=False):
    """The diver on turn surfaced by his own choice."""

    seat: Seat


class DiverOut(Fact, frozen=True, gc=False):
    """Luft aus (DIVE-R05); action cards that he had not given out yet lapse."""

    seat: Seat


class SchatzkammerOpened(Fact, frozen=True, gc=False):
    """Seven numbers: the round is over, all that was pending is discarded (DIVE-R06)."""

    seat: Seat


class RoundScored(Fact, frozen=True, gc=False):
    """The round brought these scores, one per seat; `ends_game` by DIVE-R20 to R22."""

    scores: tuple[int, ...]
    ends_game: bool = False


FactOfSpeeddive: TypeAlias = (
    RoundStarted
    | CardDrawn
    | DiveBegun
    | ReserveflascheUsed
    | ReserveflascheGiven
    | ReserveflascheDiscarded
    | TargetChosen
    | ActionApplied
    | ActionLapsed
    | DiverSurfaced
    | DiverOut
    | SchatzkammerOpened
    | RoundScored
)
AnyFact: TypeAlias = FactOfSpeeddive | Shuffled | Resumed
