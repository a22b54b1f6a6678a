"""The state of a table: a fold over its facts, total and free of chance and clocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any, Literal

from msgspec import Struct, convert
from msgspec.structs import force_setattr, replace

from domain.kernel import AnyGame, Seat, Shuffled
from domain.table import absence
from domain.table import events as e

Phase = Literal[
    "new", "gathering", "starting", "playing", "finished", "cancelled", "voided", "suspended"
]
"""While a table is `starting` the ledger collects the stakes."""
ENDED: frozenset[Phase] = frozenset(("finished", "cancelled", "voided"))
"""Nothing can happen any more: the seed is open, and so is the log."""


class Hold(Struct, frozen=True, gc=False):
    """A place that is kept for a person until this time (ms since the epoch)."""

    place: int
    player: str
    until: int


class Table(Struct, frozen=True, gc=False):
    """One table after its fact number `version`; times in ms since the epoch.

    `places` holds who sits where while the table gathers, `seats` who plays from the start on.
    `holds` are the places kept for those who played together at `former` before; `returning` means
    that none of them has been given up yet, and none of the people has got up. `successor` is where
    they play again. `raised` is the number of the fact that raised the open questions, `offers_raised` that of the
    standing offers, `credit_ms` the downtime to be added to the clocks of the open questions,
    `credited_to` the end of the last span that was credited.
    `attempt` is the number of the last start that stakes were collected for, `short` who lacked
    them at it, `staked` what each of the people has paid. `absent` are the seats that are offline.
    `suspended_at` is when the table was stopped, `stopped_in` the phase it was in.
    `play` is the state of the game.
    """

    table_id: str
    version: int = 0
    at: int = 0
    phase: Phase = "new"
    game: str = ""
    options: dict[str, str | int | bool] = {}
    rules: e.TableRules = e.TableRules(places=0)
    opener: str = ""
    opened_at: int = 0
    places: tuple[e.Occupant | None, ...] = ()
    place_seeds: tuple[str, ...] = ()
    holds: tuple[Hold, ...] = ()
    returning: bool = False
    former: str = ""
    successor: str = ""
    commitment: str = ""
    seed: str = ""
    client_seeds: tuple[str, ...] = ()
    shuffles: int = 0
    attempt: int = 0
    short: tuple[str, ...] = ()
    staked: int = 0
    seats: tuple[e.Occupant, ...] = ()
    started_at: int = 0
    rules_version: int = 0
    play: Any = None
    raised: int = 0
    raised_at: int = 0
    offers_raised: int = 0
    credit_ms: int = 0
    credited_to: int = 0
    gone_on: frozenset[Seat] = frozenset()
    turbo: bool = False
    absent: absence.Absences = ()
    suspended_at: int = 0
    stopped_in: Phase = "new"
    result: e.GameFinished | None = None
    ended_because: str = ""


def seat_of(table: Table, player: str) -> Seat | None:
    """Give the seat that a person holds in the running game, None if he holds none or has left."""
    for seat, occupant in enumerate(table.seats):
        if occupant.player == player and occupant.kind != "computer" and not occupant.left:
            return seat
    return None


def place_of(table: Table, player: str) -> int | None:
    """Give the place where a person sits while the table gathers."""
    for place, occupant in enumerate(table.places):
        if occupant is not None and occupant.player == player and occupant.kind != "computer":
            return place
    return None


def hold_of(table: Table, player: str) -> Hold | None:
    """Give the place that is kept for a person."""
    return next((hold for hold in table.holds if hold.player == player), None)


def persons(table: Table) -> tuple[Seat, ...]:
    """Give the seats that people still play themselves."""
    return tuple(
        seat
        for seat, occupant in enumerate(table.seats)
        if occupant.kind != "computer" and not occupant.left
    )


def attending(table: Table) -> tuple[Seat, ...]:
    """Give the seats whose people are waited for: not those for whom the computer stands in."""
    away = {each.seat for each in table.absent if each.substituted}
    return tuple(seat for seat in persons(table) if seat not in away)


def fold(
    game: AnyGame,
    table: Table,
    facts: Iterable[tuple[int, Any]],
    play: Any = None,
) -> Table:
    """Apply (at, fact) pairs; `play` is the game's state after them when it is known already."""
    draft = copy(table)
    version, at = table.version, table.at
    raised, raised_at = table.raised, table.raised_at
    evolve = game.evolve if play is None else None
    play = table.play if play is None else play
    for at, fact in facts:
        version += 1
        handler = _HANDLERS.get(type(fact))
        if handler is not None:
            handler(draft, at, fact)
        if not fact.keeps_questions:
            raised, raised_at = version, at
            if draft.credit_ms or draft.gone_on:  # they belonged to the question before
                _set(draft, credit_ms=0, gone_on=frozenset())
        if fact.opens_offers:
            _set(draft, offers_raised=version)
        if evolve is None:
            continue
        if fact.for_game:
            play = evolve(play, fact)
        elif isinstance(fact, e.GameStarted):
            play = started(game, draft)
    _set(draft, version=version, at=at, raised=raised, raised_at=raised_at, play=play)
    return draft


def started(game: AnyGame, table: Table) -> Any:
    """Give the game's state at `GameStarted`, before the first shuffle."""
    options = convert(table.options, game.options_type)
    return game.start(options, tuple(seat.place for seat in table.seats))


def _opened(draft: Table, at: int, fact: e.TableOpened) -> None:
    _set(
        draft,
        phase="gathering",
        game=fact.game,
        options=fact.options,
        rules=fact.rules,
        opener=fact.opener,
        opened_at=at,
        former=fact.former,
        places=(None,) * fact.rules.places,
        place_seeds=("",) * fact.rules.places,
    )


def _seed_drawn(draft: Table, _at: int, fact: e.SeedDrawn) -> None:
    _set(draft, commitment=fact.commitment, seed=fact.seed)


def _seat_taken(draft: Table, _at: int, fact: e.SeatTaken) -> None:
    place = fact.occupant.place
    _set(
        draft,
        places=_put(draft.places, place, fact.occupant),
        place_seeds=_put(draft.place_seeds, place, fact.client_seed),
        holds=_without(draft.holds, fact.occupant.player),
    )
    if not draft.opener:
        _set(draft, opener=fact.occupant.player)


def _seat_held(draft: Table, _at: int, fact: e.SeatHeld) -> None:
    hold = Hold(fact.place, fact.player, fact.until)
    _set(draft, holds=(*draft.holds, hold), returning=True)


def _hold_ended(draft: Table, _at: int, fact: e.HoldEnded) -> None:
    _set(draft, holds=_without(draft.holds, fact.player), returning=False)


def _without(holds: tuple[Hold, ...], player: str) -> tuple[Hold, ...]:
    return tuple(hold for hold in holds if hold.player != player)


def _seat_freed(draft: Table, _at: int, fact: e.SeatFreed) -> None:
    _set(
        draft,
        places=_put(draft.places, fact.place, None),
        place_seeds=_put(draft.place_seeds, fact.place, ""),
        short=tuple(player for player in draft.short if player != fact.player),
        returning=False,
    )
    if draft.opener == fact.player:
        heir = next((each for each in draft.places if each and each.kind != "computer"), None)
        _set(draft, opener=heir.player if heir else "")


def _start_requested(draft: Table, _at: int, fact: e.StartRequested) -> None:
    _set(draft, phase="starting", attempt=fact.attempt, short=())
    place = place_of(draft, draft.opener)
    if fact.client_seed and place is not None:
        _set(draft, place_seeds=_put(draft.place_seeds, place, fact.client_seed))


def _stakes_held(draft: Table, _at: int, _fact: e.StakesHeld) -> None:
    _set(draft, staked=draft.rules.stake)


def _stakes_denied(draft: Table, _at: int, fact: e.StakesDenied) -> None:
    _set(draft, phase="gathering", short=fact.short)


def _start_cancelled(draft: Table, _at: int, _fact: e.StartCancelled) -> None:
    _set(draft, phase="gathering")


def _chance_sealed(draft: Table, _at: int, fact: e.ChanceSealed) -> None:
    _set(draft, client_seeds=fact.client_seeds)


def _started(draft: Table, at: int, fact: e.GameStarted) -> None:
    _set(
        draft,
        phase="playing",
        seats=fact.seats,
        started_at=at,
        rules_version=fact.rules_version,
    )


def _shuffled(draft: Table, _at: int, _fact: Shuffled) -> None:
    _set(draft, shuffles=draft.shuffles + 1)


def _went_on(draft: Table, _at: int, fact: e.WentOn) -> None:
    _set(draft, gone_on=draft.gone_on | {fact.seat})


def _turbo_set(draft: Table, _at: int, fact: e.TurboSet) -> None:
    _set(draft, turbo=fact.on)


def _credited(draft: Table, _at: int, fact: e.DowntimeCredited) -> None:
    _give_back(draft, fact.from_ms, fact.to_ms)


def _give_back(draft: Table, from_ms: int, to_ms: int) -> None:
    """Let a span count neither for the clocks of open questions nor against who is offline."""
    _set(
        draft,
        credit_ms=draft.credit_ms + to_ms - from_ms,
        credited_to=to_ms,
        absent=absence.given_back(draft.absent, from_ms, to_ms),
    )


def _left(draft: Table, _at: int, fact: e.PlayerLeft) -> None:
    leaver = replace(draft.seats[fact.seat], left=True)
    seats = _put(draft.seats, fact.seat, leaver)
    _set(draft, seats=seats, absent=absence.without(draft.absent, fact.seat))


def _offline(draft: Table, _at: int, fact: e.SeatOffline) -> None:
    _set(draft, absent=(*draft.absent, absence.Absence(fact.seat, fact.since_ms)))


def _back(draft: Table, _at: int, fact: e.SeatBack) -> None:
    _set(draft, absent=absence.without(draft.absent, fact.seat))


def _substituted(draft: Table, _at: int, fact: e.SeatSubstituted) -> None:
    _set(draft, absent=absence.substituted(draft.absent, fact.seat))


def _finished(draft: Table, _at: int, fact: e.GameFinished) -> None:
    _set(draft, phase="finished", result=fact, absent=())


def _revealed(draft: Table, _at: int, fact: e.SeedRevealed) -> None:
    _set(draft, seed=fact.seed)


def _cancelled(draft: Table, _at: int, fact: e.TableCancelled) -> None:
    _set(draft, phase="cancelled", ended_because=fact.reason)


def _successor_opened(draft: Table, _at: int, fact: e.SuccessorOpened) -> None:
    _set(draft, successor=fact.table)


def _suspended(draft: Table, at: int, fact: e.TableSuspended) -> None:
    _set(
        draft,
        phase="suspended",
        stopped_in=draft.phase,
        ended_because=fact.reason,
        suspended_at=at,
    )


def _resumed(draft: Table, at: int, _fact: e.TableResumed) -> None:
    _set(draft, phase=draft.stopped_in, ended_because="")
    _give_back(draft, draft.suspended_at, at)


def _voided(draft: Table, _at: int, fact: e.TableVoided) -> None:
    _set(draft, phase="voided", ended_because=fact.why, absent=())


def _set(draft: Table, **changes: object) -> None:
    """Write to the private copy that `fold` has not handed out yet."""
    for name, value in changes.items():
        force_setattr(draft, name, value)


def _put(row: tuple[Any, ...], index: int, value: object) -> tuple[Any, ...]:
    return (*row[:index], value, *row[index + 1 :])


_HANDLERS: Mapping[type, Callable[[Table, int, Any], None]] = {
    e.TableOpened: _opened,
    e.SeedDrawn: _seed_drawn,
    e.SeatTaken: _seat_taken,
    e.SeatFreed: _seat_freed,
    e.SeatHeld: _seat_held,
    e.HoldEnded: _hold_ended,
    e.StartRequested: _start_requested,
    e.StakesHeld: _stakes_held,
    e.StakesDenied: _stakes_denied,
    e.StartCancelled: _start_cancelled,
    e.ChanceSealed: _chance_sealed,
    e.GameStarted: _started,
    e.WentOn: _went_on,
    e.TurboSet: _turbo_set,
    e.DowntimeCredited: _credited,
    e.PlayerLeft: _left,
    e.SeatOffline: _offline,
    e.SeatBack: _back,
    e.SeatSubstituted: _substituted,
    e.GameFinished: _finished,
    e.SeedRevealed: _revealed,
    e.TableCancelled: _cancelled,
    e.SuccessorOpened: _successor_opened,
    e.TableSuspended: _suspended,
    e.TableResumed: _resumed,
    e.TableVoided: _voided,
    Shuffled: _shuffled,
}
