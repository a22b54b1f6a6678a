"""What happens at a table besides the game; stored in one stream with the game's facts."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from domain.kernel import Fact, Resumed, Seat, Shuffled

Strength = Literal["leicht", "normal", "stark"]
Tempo = Literal["normal", "schnell", "sofort"]
"""How long computers pause before their moves (`clocks.pause_ms`)."""
Stake = Literal[0, 10, 25, 50, 100]
"""Taler that each person puts into the pot (TABLE-R04)."""
Thinking = Literal[0, 30, 60, 90, 120]
"""Seconds of thinking time for each decision; 0 is without clock (TABLE-R01)."""


class TableRules(Struct, frozen=True, gc=False):
    """What the opener sets for the table itself, beside the options of the game.

    `places` are the chairs; at the start free ones are filled with computers if `computers`, else
    they stay empty and there must be two people. Nobody else sits down at a `solo` table. `strengths` are given to the computers in turn; the first one also decides
    after a time-out and for leavers (TABLE-A01). Games shorter than `min_game_s` seconds give no
    leaderboard entry where the game has such a rule; only test players may lower it, and only they
    may have the tempo "sofort". Guests play without `stake` (TABLE-A06).
    """

    places: Annotated[int, Meta(ge=0, le=16)]
    computers: bool = True
    thinking_s: Thinking = 120
    strengths: Annotated[tuple[Strength, ...], Meta(max_length=16)] = ("normal",)
    min_game_s: Annotated[int, Meta(ge=0, le=86_400)] = 90
    tempo: Tempo = "normal"
    stake: Stake = 0
    solo: bool = False


class Occupant(Struct, frozen=True, gc=False, omit_defaults=True):
    """Who sits on a seat; `left` means that the person has gone and the computer plays on."""

    player: str
    kind: Literal["person", "guest", "computer"]
    place: int
    strength: Strength = "normal"
    left: bool = False


class TableFact(Fact, frozen=True, gc=False):
    """A fact about the table; unless it says otherwise, open questions stay the same."""

    keeps_questions: ClassVar[bool] = True
    for_game: ClassVar[bool] = False


class TableOpened(TableFact, frozen=True, gc=False):
    """The opener chose a game, its options and the table's rules.

    `former` is the table that this one follows with the same people, if it does.
    """

    game: str
    options: dict[str, str | int | bool]
    rules: TableRules
    opener: str
    former: str = ""


class SeedDrawn(TableFact, frozen=True, gc=False):
    """The house drew its 32-byte seed (hex); the public sees only the SHA-256 commitment."""

    commitment: str
    seed: str = ""


class SeatTaken(TableFact, frozen=True, gc=False):
    """Somebody sat down at a place; `client_seed` is his share of the chance, if he gave one."""

    occupant: Occupant
    client_seed: str = ""


class SeatFreed(TableFact, frozen=True, gc=False):
    """Somebody got up before the start."""

    place: int
    player: str


class SeatHeld(TableFact, frozen=True, gc=False):
    """A place is kept till `until` (ms since the epoch) for whoever sat there in the game before."""

    place: int
    player: str
    until: int


class HoldEnded(TableFact, frozen=True, gc=False):
    """A place that was held is free for everybody: its player is too late, or gave it up."""

    place: int
    player: str


class StartRequested(TableFact, frozen=True, gc=False):
    """The opener wants to start: the ledger is asked to hold the stake of each of the people.

    Attempts of a table are numbered from 1; `players` stand in order of places (TABLE-R04).
    `client_seed` is the opener's share of the chance, if he gave one now.
    """

    attempt: int
    stake: int
    players: tuple[str, ...]
    client_seed: str = ""


class StakesHeld(TableFact, frozen=True, gc=False):
    """The stakes of all the people are in the pot; the game begins."""

    attempt: int


class StakesDenied(TableFact, frozen=True, gc=False):
    """Nobody has paid: these people have too few Taler for the stake."""

    attempt: int
    short: tuple[str, ...]


class StartCancelled(TableFact, frozen=True, gc=False):
    """The start was called off before the game began; whatever was or will be held is given back."""

    attempt: int


class ChanceSealed(TableFact, frozen=True, gc=False):
    """From here on nothing can influence chance: all client seeds are in, in order of places."""

    client_seeds: tuple[str, ...]


class GameStarted(TableFact, frozen=True, gc=False):
    """The game began; seats are numbered from 0 in order of places, and rules are pinned.

    The first questions and offers are new ones, also in a game that starts without any fact.
    """

    keeps_questions: ClassVar[bool] = False
    opens_offers: ClassVar[bool] = True

    rules_version: int
    seats: tuple[Occupant, ...]


class WentOn(TableFact, frozen=True, gc=False):
    """A person clicked "Weiter" on a summary (TABLE-R05)."""

    seat: Seat


class TurboSet(TableFact, frozen=True, gc=False):
    """The only person at the table let the computers hurry, or no longer."""

    on: bool


class DowntimeCredited(TableFact, frozen=True, gc=False):
    """Nobody served the table in this span (ms since the epoch), so open clocks get it back."""

    from_ms: int
    to_ms: int


class PlayerLeft(TableFact, frozen=True, gc=False):
    """A person left the running game; the computer plays on for him (TABLE-R06)."""

    seat: Seat
    player: str
    others: bool
    """Whether another person took part, so that leaving costs points (TABLE-R03)."""


class SeatOffline(TableFact, frozen=True, gc=False):
    """A seat's person has shown no sign since then (ms since the epoch); he has not left."""

    seat: Seat
    since_ms: int


class SeatBack(TableFact, frozen=True, gc=False):
    """The person of a seat that was offline is there again, and plays it himself."""

    seat: Seat


class SeatSubstituted(TableFact, frozen=True, gc=False):
    """A player at the table lets the computer play for a seat until its person is back.

    That costs the person neither points nor stake (TABLE-A08).
    """

    seat: Seat
    by: str


class GameFinished(TableFact, frozen=True, gc=False):
    """The game is over, with everything that stakes and leaderboards need to know.

    `stake` is what each of the people put into the pot, 0 when the game was played without one.
    """

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    leaderboard_base: tuple[int, ...]
    seats: tuple[Occupant, ...]
    game: str
    started_ms: int
    min_game_s: int
    stake: int = 0


class SeedRevealed(TableFact, frozen=True, gc=False):
    """The house's seed (hex), so that everybody can check every shuffle."""

    seed: str


class TableCancelled(TableFact, frozen=True, gc=False):
    """The table closed before its game began."""

    reason: Literal["empty", "expired"]


class SuccessorOpened(TableFact, frozen=True, gc=False):
    """Somebody plays again: the same people's next game is at this table, and at no other."""

    table: str


class TableSuspended(TableFact, frozen=True, gc=False):
    """A fault of the rules stopped the table; nothing of the failing command was stored."""

    reason: str


class TableResumed(TableFact, frozen=True, gc=False):
    """An operator lets a stopped table go on; everybody may read why."""

    why: str


class TableVoided(TableFact, frozen=True, gc=False):
    """An operator ended the table without a result: stakes go back; everybody may read why."""

    why: str


class Seated(Fact, frozen=True, gc=False):
    """A person sat down at a table; the only fact of the streams that tell where a person sits."""

    table: str


TABLE_FACTS: tuple[type[Any], ...] = (
    TableOpened,
    SeedDrawn,
    SeatTaken,
    SeatFreed,
    SeatHeld,
    HoldEnded,
    StartRequested,
    StakesHeld,
    StakesDenied,
    StartCancelled,
    ChanceSealed,
    GameStarted,
    WentOn,
    TurboSet,
    DowntimeCredited,
    PlayerLeft,
    SeatOffline,
    SeatBack,
    SeatSubstituted,
    GameFinished,
    SeedRevealed,
    TableCancelled,
    SuccessorOpened,
    TableSuspended,
    TableResumed,
    TableVoided,
    Shuffled,
    Resumed,
)
