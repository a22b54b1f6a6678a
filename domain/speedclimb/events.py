"""The facts of Speedclimb; hands, the material, Rucksack and unlocked stages stay hidden."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from domain.kernel import Cards, Fact, Resumed, Seat, Shuffled
from domain.speedclimb.melds import Meld
from domain.speedclimb.moves import End

Source = Literal["material", "depot", "ablage", "rucksack"]


class RoundStarted(Fact, frozen=True, gc=False):
    """All hands are dealt and `open_card` lies on the first pile (CLIMB-R02, R03).

    A seat sees its own hand only, carried cards included. `stages`: for every seat the stage that
    the game proposes (CLIMB-R04), 0 where it may not be seen; empty on other routes.
    """

    opens_offers: ClassVar[bool] = True

    number: int
    dealer: Seat
    hands: tuple[Cards, ...]
    open_card: str
    stages: tuple[int, ...] = ()


class StageChosen(Fact, frozen=True, gc=False):
    """A seat changed its stage; nobody else knows before its first take (CLIMB-A14)."""

    keeps_questions: ClassVar[bool] = True

    seat: Seat
    stage: int


class StageLocked(Fact, frozen=True, gc=False):
    """The seat has taken its first card of the round: its stage is open and fixed."""

    seat: Seat
    stage: int


class TurnSkipped(Fact, frozen=True, gc=False):
    """The Schneesturm before the seat cost it its turn (CLIMB-R05)."""

    seat: Seat


class CardTaken(Fact, frozen=True, gc=False):
    """A card came into a hand (CLIMB-R06).

    `card` is hidden from others if it was. `owner` is the seat whose depot it came from; `below`
    the card that is open there or on the Ablage now.
    """

    seat: Seat
    source: Source
    card: str = ""
    owner: Seat | None = None
    below: str = ""


class LagerLaid(Fact, frozen=True, gc=False):
    """A camp stands: all its parts are laid (CLIMB-R07)."""

    seat: Seat
    melds: tuple[Meld, ...]


class CardAttached(Fact, frozen=True, gc=False):
    """A card was added to a meld (CLIMB-R08)."""

    seat: Seat
    card: str
    meld: int
    end: End = ""


class CardDiscarded(Fact, frozen=True, gc=False):
    """A card lies on the own depot or the Ablage; the turn is over (CLIMB-R09)."""

    seat: Seat
    card: str


class SchneesturmPlayed(Fact, frozen=True, gc=False):
    """A Schneesturm was played at a seat; the turn is over (CLIMB-R09)."""

    seat: Seat
    target: Seat


class CardPacked(Fact, frozen=True, gc=False):
    """A card went into the Rucksack, which only its owner sees; the turn is over (CLIMB-R09)."""

    seat: Seat
    card: str = ""


class RoundEnded(Fact, frozen=True, gc=False):
    """The round is over: by `finisher`, or because nothing could be taken (CLIMB-R13, R17, R20).

    Per seat: `steps` up the mountain, and `penalties` of expeditions. `ends_game` by R20 to R22.
    """

    opens_offers: ClassVar[bool] = True

    finisher: Seat | None
    steps: tuple[int, ...]
    penalties: tuple[int, ...] = ()
    ends_game: bool = False


class CarryChosen(Fact, frozen=True, gc=False):
    """A seat chose what it carries into the next round, unseen by the others (CLIMB-R19)."""

    keeps_questions: ClassVar[bool] = True

    seat: Seat
    cards: Cards


FactOfSpeedclimb: TypeAlias = (
    RoundStarted
    | StageChosen
    | StageLocked
    | TurnSkipped
    | CardTaken
    | LagerLaid
    | CardAttached
    | CardDiscarded
    | SchneesturmPlayed
    | CardPacked
    | RoundEnded
    | CarryChosen
)
AnyFact: TypeAlias = FactOfSpeedclimb | Shuffled | Resumed
