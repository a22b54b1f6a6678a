"""What a seat or a spectator is told: the facts as he may see them, his view, his questions."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from contracts.refusals import TEXTS
from domain.kernel import AnyGame, Ask, Over, Pause, Seat, Waiting, asked
from domain.options import Options
from domain.refusals import Code
from domain.table.case import Actor, Case, House
from domain.table.clocks import due
from domain.table.events import Occupant, TableRules
from domain.table.playing import numbered
from domain.table.state import ENDED, Hold, Phase, Table, attending


class Question(Struct, frozen=True, gc=False, omit_defaults=True):
    """What the seat is asked: answer with a `move` that names `prompt`.

    `deadline` and `takeover` are ms since the epoch: when the clock shows zero, and from when on
    the computer decides.
    """

    prompt: int
    kind: str
    options: Options[Any]
    default: Any
    deadline: int | None = None
    takeover: int | None = None
    part: str = ""


class Awaited(Struct, frozen=True, gc=False, omit_defaults=True):
    """Whom everybody waits for, and until when (ms since the epoch)."""

    seats: tuple[Seat, ...]
    kind: str
    prompt: int
    deadline: int | None = None


class AbsentSeat(Struct, frozen=True, gc=False, omit_defaults=True):
    """A seat whose person is offline since then; both times in ms since the epoch.

    From `substitute_from` on, another player at the table may send `substitute`: then the computer
    plays for the seat (`substituted`) until its person is back.
    """

    seat: Seat
    since: int
    substitute_from: int
    substituted: bool = False


class NumberedFact(Struct, frozen=True, gc=False):
    """A fact as the receiver may see it; None is a blank, whose hash still holds its place."""

    number: int
    at: int
    hash: str
    fact: Any


class StakeDenied(Struct, frozen=True, gc=False):
    """Why the game has not begun: `players` lack the Taler for the stake; nobody has paid.

    `text` is the German text for players.
    """

    players: tuple[str, ...]
    code: Code
    text: str


class TableView(Struct, frozen=True, gc=False, omit_defaults=True):
    """The table after fact number `version`, as one seat (or nobody's seat) may see it.

    `pause` is the summary that is shown; close it with `weiter` and the prompt of `awaited`.
    `turbo`: the computers hurry. `denied`: the last start found too few Taler. `holds`
    are the places that are kept for who played at the table `former` before; `successor` is where
    the people of this table play again. `absent` are the seats whose people are offline.
    """

    table: str
    version: int
    phase: Phase
    game: str
    options: dict[str, str | int | bool]
    rules: TableRules
    opener: str
    places: tuple[Occupant | None, ...]
    commitment: str
    seats: tuple[Occupant, ...] = ()
    seat: Seat | None = None
    play: Any = None
    questions: tuple[Question, ...] = ()
    awaited: Awaited | None = None
    pause: str = ""
    seed: str = ""
    client_seeds: tuple[str, ...] = ()
    ended_because: str = ""
    turbo: bool = False
    denied: StakeDenied | None = None
    holds: tuple[Hold, ...] = ()
    former: str = ""
    successor: str = ""
    absent: tuple[AbsentSeat, ...] = ()


class Feed(Struct, frozen=True, gc=False, omit_defaults=True):
    """One message of a feed: `facts` lead to `version`, `view` is how things are then.

    `head` is the hash (hex) of the newest fact. A message without facts and view repeats the head
    so that a receiver who is behind notices it. `now` is the server's time (ms since the epoch).
    """

    table: str
    version: int
    head: str
    now: int
    facts: tuple[NumberedFact, ...] = ()
    view: TableView | None = None


class BotPrompt(Struct, frozen=True, gc=False):
    """The computer is asked for a seat; `view` is what that seat may see, and no more.

    `deadline` (ms since the epoch): a later answer finds the question closed.
    """

    table: str
    game: str
    seat: Seat
    question: Question
    view: Any
    strength: str
    deadline: int
    rng_seed: str


def table_view(
    game: AnyGame, table: Table, waiting: Waiting[Any] | None, seat: Seat | None
) -> TableView:
    """Build up what a seat (None: a spectator) may know of a table."""
    playing = table.play is not None
    over = table.phase in ENDED
    return TableView(
        table.table_id,
        table.version,
        table.phase,
        table.game,
        table.options,
        table.rules,
        table.opener,
        table.places,
        table.commitment,
        table.seats,
        seat,
        game.view(table.play, seat) if playing else None,
        questions_of(game, table, waiting, seat) if seat is not None else (),
        awaited_view(table, waiting),
        waiting.kind if isinstance(waiting, Pause) else "",
        table.seed if over else "",
        table.client_seeds,
        table.ended_because,
        table.turbo,
        _denied(table),
        table.holds,
        table.former,
        table.successor,
        tuple(
            AbsentSeat(each.seat, each.since_ms, each.substitute_from, each.substituted)
            for each in table.absent
        ),
    )


def _denied(table: Table) -> StakeDenied | None:
    if not table.short:
        return None
    return StakeDenied(table.short, Code.STAKE_DENIED, TEXTS[Code.STAKE_DENIED])


def questions_of(
    game: AnyGame, table: Table, waiting: Waiting[Any] | None, seat: Seat
) -> tuple[Question, ...]:
    """Give the open questions and offers of a seat."""
    case = Case(game, table, waiting, _NOBODY, _NO_HOUSE)
    return tuple(question(table, prompt, ask) for prompt, ask in numbered(case) if ask.seat == seat)


def question(table: Table, prompt: int, ask: Ask[Any]) -> Question:
    """Give a question as it is sent."""
    times = due(table, ask.clock)
    return Question(
        prompt, ask.kind, ask.options, ask.default, times.deadline, times.takeover, ask.part
    )


def awaited_view(table: Table, waiting: Waiting[Any] | None) -> Awaited | None:
    """Tell everybody whom the table waits for."""
    if waiting is None or isinstance(waiting, Over):
        return None
    if isinstance(waiting, Pause):
        seats = tuple(seat for seat in attending(table) if seat not in table.gone_on)
        return Awaited(seats, "weiter", table.raised, due(table, "summary").deadline)
    asks = asked(waiting)
    seats = tuple(dict.fromkeys(ask.seat for ask in asks))
    return Awaited(seats, asks[0].kind, table.raised, due(table, asks[0].clock).deadline)


_NOBODY = Actor("nobody", 0)
_NO_HOUSE = House(lambda _seed, _table, _seeds, _number, cards: cards)
