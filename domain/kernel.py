"""The protocol between the rules of a game and the table that hosts it.

A game is a decider over immutable values: `waiting` says who is awaited, `decide` turns a legal
move into one fact, `forced` gives the consequences that nobody chooses, `evolve` applies a fact.
`settle` folds them up to the next question; the result is one atomic append.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from domain.options import Options

Seat: TypeAlias = int
"""Index of a seat, counted clockwise from 0."""

SEATS_MAX = 6
SETTLE_MAX = 1_000
"""More forced facts than this in one append can only be a fault of the rules."""

Clock = Literal["turn", "rods", "summary", "none"]
"""Which clock runs for a question (TABLE-R01): `rods` is 45 s without grace (DRILL-R06)."""

SEAT_SHUFFLES = frozenset(("dealer", "starter"))
"""What a shuffle of seats is called (`Chance.what`); its outcome is open to everybody."""

DecidedBy = Literal["human", "computer", "timeout", "substitute"]
"""Who chose; "substitute" is the computer for somebody who has long been offline (TABLE-A08)."""

RatRule = Literal["no_stake", "alone"]
"""While other people play, Rat is refused where a stake is played for, or always (TABLE-A07)."""

S = TypeVar("S")
M = TypeVar("M")
F = TypeVar("F")
O = TypeVar("O")  # noqa: E741 - options of the game, set by the opener
V = TypeVar("V")

Cards: TypeAlias = tuple[str, ...]
Shuffle = Callable[[Cards], Cards]
"""The house's next shuffle of cards in canonical order (contracts/fairness)."""


class Fact(Struct, frozen=True, tag=True, gc=False, omit_defaults=True):
    """Something that happened, as it is stored; it is never changed, only followed by others.

    `keeps_questions`: seats that were asked before this fact are still asked the same question
    (a sealed answer, an answered offer, a table fact). `opens_offers`: the standing offers after
    this fact are new ones. Both decide the number that an answer must name (law 5 of the design).
    `for_game`: the game's `evolve` takes it; choices and table facts are the table's own.
    """

    keeps_questions: ClassVar[bool] = False
    opens_offers: ClassVar[bool] = False
    for_game: ClassVar[bool] = True


class Chosen(Fact, Generic[M], frozen=True, gc=False):
    """A seat's move, the first fact of every accepted game command.

    `prompt` is the number of the question it answers. `strategy`, `strategy_version` and
    `rng_seed` let a computer's decision be run again. A game subclasses it with its own moves.
    """

    keeps_questions: ClassVar[bool] = True
    for_game: ClassVar[bool] = False

    seat: Seat
    prompt: int
    move: M
    decided_by: DecidedBy = "human"
    part: str = ""
    strategy: str = ""
    strategy_version: int = 0
    rng_seed: str = ""


class Shuffled(Fact, frozen=True, gc=False):
    """The house shuffled cards; the outcome is stored, so replay never runs a generator."""

    what: str
    order: Cards


class Resumed(Fact, frozen=True, gc=False):
    """A pause is over: everybody present went on, or its clock ran out."""

    kind: str


class Ask(Struct, Generic[M], frozen=True, gc=False):
    """One seat is asked; its options are the whole truth about what it may answer.

    `default` is a pure, sensible answer for when nobody gives one. `part` tells apart questions
    that one seat answers side by side (two colours of one player).
    """

    seat: Seat
    kind: str
    options: Options[M]
    default: M
    clock: Clock = "turn"
    part: str = ""


class AskAll(Struct, Generic[M], frozen=True, gc=False):
    """Several (seat, part) are asked at once under one clock; only missing answers are listed."""

    asks: tuple[Ask[M], ...]


class Chance(Struct, frozen=True, gc=False):
    """The house is awaited: shuffle these cards, given in canonical order."""

    what: str
    cards: Cards


class Pause(Struct, frozen=True, gc=False):
    """People look at a summary; the table answers with `Resumed(kind)` (TABLE-R05)."""

    kind: str


class Over(Struct, frozen=True, gc=False):
    """The game is over.

    Per seat: `ranks` from 1 (TABLE-R02), `scores`, and `leaderboard_base`, the integer that the
    place bonus is added to (TABLE-R03).
    """

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    leaderboard_base: tuple[int, ...]


Waiting: TypeAlias = Ask[M] | AskAll[M] | Chance | Pause | Over


class Game(Protocol[S, M, F, O, V]):
    """The rules of one game; every method is pure, and `evolve` is total."""

    name: str
    rules_version: int
    seats_min: int
    seats_max: int
    people_max: int
    """Places from this number on are for computers alone; people sit on those below it."""
    options_type: type[O]
    view_type: type[V]
    fact_types: tuple[type, ...]
    chosen_type: type
    descriptor_types: tuple[type, ...]
    """The descriptors that its options may hold (`domain.options.Descriptor`), tagged Structs."""
    rat: RatRule

    def start(self, options: O, places: tuple[int, ...]) -> S:
        """Give the state before the first shuffle.

        `places[seat]` is where that seat sits at the table, ascending and with gaps where places
        stayed empty; most games need only their number (Speeddrill's colours: DRILL-R02).
        """
        ...

    def waiting(self, state: S) -> Waiting[M]:
        """Say who is awaited; asked only when `forced` has nothing."""
        ...

    def offers(self, state: S) -> tuple[Ask[M], ...]:
        """Give the standing offers beside play, without clock, changeable while they stand."""
        ...

    def decide(self, state: S, ask: Ask[M], move: M) -> F:
        """Give the one fact that follows from a legal answer to `ask`."""
        ...

    def forced(self, state: S) -> F | None:
        """Give the next consequence that nobody chooses; the one place for them."""
        ...

    def evolve(self, state: S, fact: F | Shuffled | Resumed) -> S:
        """Apply a fact; never refuses, never rolls dice."""
        ...

    def view(self, state: S, seat: Seat | None) -> V:
        """Build up what a seat (None: a spectator) may know."""
        ...

    def seen(self, fact: Any, seat: Seat | None) -> Any | None:
        """Give the form of a fact (own, Chosen, Shuffled, Resumed) that a seat may see.

        None is a numbered blank. It depends on the fact alone, never on the state.
        """
        ...

    def see(self, view: V, fact: Any) -> V:
        """Fold a seen fact into a view; equals the view of the evolved state."""
        ...


AnyGame: TypeAlias = Game[Any, Any, Any, Any, Any]


class Settled(Struct, Generic[S, M], frozen=True, gc=False):
    """The facts up to the next question, the state after them, and who is awaited then."""

    facts: tuple[Any, ...]
    state: S
    waiting: Waiting[M]


def settle(
    game: Game[S, M, F, O, V], state: S, facts: tuple[F | Shuffled | Resumed, ...], shuffle: Shuffle
) -> Settled[S, M]:
    """Apply facts and all that follows from them, chance included, up to the next question."""
    out: list[F | Shuffled | Resumed] = list(facts)
    for fact in facts:
        state = game.evolve(state, fact)
    for _ in range(SETTLE_MAX):
        forced: F | Shuffled | None = game.forced(state)
        if forced is None:
            waiting = game.waiting(state)
            if not isinstance(waiting, Chance):
                return Settled(tuple(out), state, waiting)
            forced = Shuffled(waiting.what, shuffle(waiting.cards))
        out.append(forced)
        state = game.evolve(state, forced)
    raise AssertionError(f"{game.name}: no question after {SETTLE_MAX} forced facts")


def begin(
    game: Game[S, M, F, O, V], options: O, places: tuple[int, ...], shuffle: Shuffle
) -> Settled[S, M]:
    """Start a game and settle it up to the first question."""
    return settle(game, game.start(options, places), (), shuffle)


def act(
    game: Game[S, M, F, O, V], state: S, ask: Ask[M], move: M, shuffle: Shuffle
) -> Settled[S, M]:
    """Apply a legal answer; the caller has found `ask` by `domain.options.admits`."""
    return settle(game, state, (game.decide(state, ask, move),), shuffle)


def asked(waiting: Waiting[M]) -> tuple[Ask[M], ...]:
    """Give the questions that seats must answer now; none in a pause or after the end."""
    match waiting:
        case Ask():
            return (waiting,)
        case AskAll(asks):
            return asks
        case _:
            return ()


def ranked(strengths: tuple[Any, ...]) -> tuple[int, ...]:
    """Give standard competition ranks, 1 for the greatest strength (TABLE-R02)."""
    return tuple(1 + sum(other > own for other in strengths) for own in strengths)
