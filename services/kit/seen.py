"""What a player's client makes of the feeds: the same for every game, tolerant of new fields."""

from __future__ import annotations

from msgspec import Raw, Struct

from domain.table.events import Occupant
from domain.table.state import Hold


class SeenOptions(Struct, frozen=True, gc=False):
    """What may be answered, as JSON."""

    moves: tuple[Raw, ...] = ()
    descriptors: tuple[Raw, ...] = ()


class SeenQuestion(Struct, frozen=True, gc=False):
    """A question to the own seat; `default` is always a legal answer."""

    prompt: int
    kind: str
    options: SeenOptions
    default: Raw
    part: str = ""


class SeenAwaited(Struct, frozen=True, gc=False):
    """Whom everybody waits for."""

    seats: tuple[int, ...]
    kind: str
    prompt: int


class SeenDenied(Struct, frozen=True, gc=False):
    """Who lacks the Taler for the stake."""

    players: tuple[str, ...]


class SeenAbsent(Struct, frozen=True, gc=False):
    """A seat whose person is offline; times in ms since the epoch."""

    seat: int
    since: int
    substitute_from: int
    substituted: bool = False


class SeenView(Struct, frozen=True, gc=False):
    """A table's view as far as any game's player needs it; `play` is the game's own."""

    version: int
    phase: str
    commitment: str
    opener: str = ""
    places: tuple[Occupant | None, ...] = ()
    seats: tuple[Occupant, ...] = ()
    seat: int | None = None
    play: Raw = Raw(b"null")
    questions: tuple[SeenQuestion, ...] = ()
    awaited: SeenAwaited | None = None
    pause: str = ""
    ended_because: str = ""
    turbo: bool = False
    denied: SeenDenied | None = None
    holds: tuple[Hold, ...] = ()
    successor: str = ""
    absent: tuple[SeenAbsent, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether nothing can happen any more without an operator."""
        return self.phase in {"finished", "cancelled", "voided", "suspended"}

    @property
    def summary(self) -> int | None:
        """The number of the summary that this seat has not closed yet."""
        if not self.pause or self.awaited is None or self.seat not in self.awaited.seats:
            return None
        return self.awaited.prompt


class SeenFact(Struct, frozen=True, gc=False):
    """A fact as this player may see it, `null` for a blank."""

    number: int
    at: int
    hash: str
    fact: Raw


class SeenFeed(Struct, frozen=True, gc=False):
    """One message of a feed."""

    table: str
    version: int
    head: str
    facts: tuple[SeenFact, ...] = ()
    view: SeenView | None = None


class SeenResumed(Struct, frozen=True, tag="resumed", gc=False):
    """The answer to `resume`."""

    feed: SeenFeed
