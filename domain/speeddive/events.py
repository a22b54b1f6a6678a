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
    """A card took effect: Stroemung lets its target surface, Sog and Mahlstrom make him draw.

    After a Letzter Atemzug he draws one card and then surfaces; Blei and Leck lie at him now.
    """

    card: str
    target: Seat


class ActionLapsed(Fact, frozen=True, gc=False):
    """A card was discarded, as its target may no longer be hit."""

    card: str
    target: Seat


class ActionUnused(Fact, frozen=True, gc=False):
    """A card was discarded: there is no open card that it can aim at, or its giver is OUT."""

    seat: Seat
    card: str


class CardHooked(Fact, frozen=True, gc=False):
    """Enterhaken: the diver took an open card of another one."""

    seat: Seat
    target: Seat
    card: str


class CardBitten(Fact, frozen=True, gc=False):
    """Haibiss: the diver had an open card discarded."""

    seat: Seat
    target: Seat
    card: str


class CardsSwapped(Fact, frozen=True, gc=False):
    """Stroemungswechsel: two cards changed their owners; the first diver is checked first."""

    seat: Seat
    first: Seat
    first_card: str
    second: Seat
    second_card: str


class SpurCursed(Fact, frozen=True, gc=False):
    """The Verfluchter Oktopus came from the pile: all other cards before the diver are gone."""

    seat: Seat


class AtemzugEnded(Fact, frozen=True, gc=False):
    """A Letzter Atemzug is over: its target surfaces if he is still DOWN (DIVE-A13)."""

    seat: Seat


class DiverSurfaced(Fact, frozen=True, gc=False):
    """The diver on turn surfaced by his own choice."""

    seat: Seat


class DiverOut(Fact, frozen=True, gc=False):
    """Luft aus (DIVE-R05); action cards that he had not given out yet lapse."""

    seat: Seat


class SchatzkammerOpened(Fact, frozen=True, gc=False):
    """Seven numbers: the round is over, all that was pending is discarded (DIVE-R06)."""

    seat: Seat


class BonusTaken(Fact, frozen=True, gc=False):
    """Brutal: the opener of the Schatzkammer takes the 15 himself."""

    seat: Seat


class DiverCharged(Fact, frozen=True, gc=False):
    """Brutal: the opener of the Schatzkammer takes 15 from another diver's round (DIVE-A16)."""

    seat: Seat
    target: Seat


class RoundScored(Fact, frozen=True, gc=False):
    """The round brought these scores, one per seat; `ends_game` by DIVE-R20 to R22.

    Below 0 only in Brutal; a total never falls below 0.
    """

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
    | ActionUnused
    | CardHooked
    | CardBitten
    | CardsSwapped
    | SpurCursed
    | AtemzugEnded
    | DiverSurfaced
    | DiverOut
    | SchatzkammerOpened
    | BonusTaken
    | DiverCharged
    | RoundScored
)
AnyFact: TypeAlias = FactOfSpeeddive | Shuffled | Resumed
