"""One table's log, checked from its first byte to its last.

Findings never quote what is stored: a running game's cards are nobody's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import Struct

from contracts import fairness, subjects, topics
from domain.games import GAMES
from domain.kernel import AnyGame, Chosen, Shuffled
from domain.refusals import Code, Refused
from domain.table import events as e
from domain.table.case import Actor, Case, House
from domain.table.clocks import next_wake
from domain.table.decider import decide
from domain.table.state import Table, fold
from services.kit.store import chain
from services.kit.store.model import IndexRow, StoredEvent
from services.ops.verification.commands import Line, command_before

_KINDS: dict[type, str] = {
    Shuffled: "shuffle",
    e.SeedDrawn: "seed",
    e.SeedRevealed: "seed",
    e.GameFinished: "result",
}


class Finding(Struct, frozen=True):
    """The first bad event of a table, account or seat stream; `kind` says which check failed.

    gap, chain, undecodable: the stored bytes; index: the index row; time, seed, shuffle, strategy,
    prompt, rules, result, replay, booking, seat: what they say.
    """

    table: str
    version: int
    kind: str
    detail: str


class Checked(Struct, frozen=True):
    """What the checks of one table came to; `rules_rerun` is False under other rules than ours."""

    table: str
    events: int
    finding: Finding | None
    rules_rerun: bool = True


class _Bad(Exception):
    """A check failed at an event."""

    def __init__(self, version: int, kind: str, detail: str) -> None:
        super().__init__(version, kind, detail)
        self.version, self.kind, self.detail = version, kind, detail


class _OtherRules(Exception):
    """The game runs under another version of the rules than this release has."""


def check_table(table: str, index: IndexRow | None, events: Sequence[StoredEvent]) -> Checked:
    """Check everything about one table; `index` and `events` are of one moment."""
    try:
        rerun = _check(table, index, events)
    except _Bad as bad:
        finding = Finding(table, bad.version, bad.kind, bad.detail)
        return Checked(table, len(events), finding)
    return Checked(table, len(events), None, rerun)


def _check(table: str, index: IndexRow | None, events: Sequence[StoredEvent]) -> bool:
    if index is None:
        raise _Bad(1, "index", "the events have no index row")
    facts: list[Any] = []

    def check(topic: str, data: bytes) -> None:
        facts.append(topics.decode(topic, data))

    found = chain.verify(events, index.head, index.head_hash, check)
    if found is not None:
        raise _Bad(found.version, found.kind, found.detail)
    lines = [
        Line(event.originator_version, stored.at, stored.by, fact)
        for event, stored, fact in zip(events, map(chain.decode, events), facts, strict=True)
    ]
    game = _game(lines)
    lines[0] = _with_new_options(game, lines[0])
    _times(lines)
    _seed(lines)
    try:
        final = _replay(game, table, lines)
        _rerun(game, table, lines, final)
    except _OtherRules:
        return False
    _index(game, final, index)
    return True


def _game(lines: list[Line]) -> AnyGame:
    opened = lines[0].fact
    if not isinstance(opened, e.TableOpened):
        raise _Bad(1, "replay", "the log does not begin with the opening of the table")
    game = GAMES.get(opened.game)
    if game is None:
        raise _Bad(1, "replay", "this release does not know the game")
    return game


def _with_new_options(game: AnyGame, opening: Line) -> Line:
    """Complete the options of an older release by the defaults of those that came later."""
    fact = opening.fact
    try:
        options = msgspec.to_builtins(msgspec.convert(fact.options, game.options_type))
    except msgspec.ValidationError:
        return opening  # the rules refuse it when they are run again
    if not fact.options.items() <= options.items():
        return opening
    return msgspec.structs.replace(opening, fact=msgspec.structs.replace(fact, options=options))


def _times(lines: list[Line]) -> None:
    for before, line in pairwise(lines):
        if line.at < before.at:
            raise _Bad(
                line.number, "time", f"it is {before.at - line.at} ms before its predecessor"
            )


def _seed(lines: list[Line]) -> None:
    """The seed must be drawn at the opening, fit its commitment and never be another one."""
    drawn = lines[1].fact if len(lines) > 1 else None
    if not isinstance(drawn, e.SeedDrawn):
        raise _Bad(min(2, len(lines)), "seed", "no seed was drawn at the opening")
    try:
        fits = fairness.commitment(drawn.seed) == drawn.commitment
    except ValueError:
        fits = False
    if not fits or len(drawn.seed) != 2 * fairness.SEED_BYTES:
        raise _Bad(2, "seed", "the seed does not fit its commitment")
    for line in lines[2:]:
        if isinstance(line.fact, e.SeedDrawn):
            raise _Bad(line.number, "seed", "the seed was drawn a second time")
        if isinstance(line.fact, e.SeedRevealed) and line.fact.seed != drawn.seed:
            raise _Bad(line.number, "seed", "the revealed seed does not fit the commitment")


def _replay(game: AnyGame, table_id: str, lines: list[Line]) -> Table:
    """Fold the facts as a new owner does, which never runs the rules."""
    try:
        return fold(game, Table(table_id), [(line.at, line.fact) for line in lines])
    except Exception:  # noqa: BLE001 - `fold` is total, so anything at all is a finding
        return _fold_one_by_one(game, table_id, lines)


def _fold_one_by_one(game: AnyGame, table_id: str, lines: list[Line]) -> Table:
    table = Table(table_id)
    for line in lines:
        try:
            table = fold(game, table, [(line.at, line.fact)])
        except Exception as error:  # noqa: BLE001 - see above
            raise _Bad(
                line.number, "replay", f"it does not fold ({type(error).__name__})"
            ) from None
    return table


def _rerun(game: AnyGame, table_id: str, lines: list[Line], final: Table) -> None:
    """Decide every command again: the same facts must follow, chance included."""
    table, waiting = Table(table_id), None
    at = 0
    while at < len(lines):
        line = lines[at]
        command = command_before(table, lines, at)
        if command is None:
            raise _Bad(line.number, "rules", "no command begins with such a fact")
        player = line.by
        actor = Actor(player, line.at, subjects.is_registered(player), subjects.is_test(player))
        case = Case(game, table, waiting, actor, _house(lines, table))
        try:
            decided = decide(case, command)
        except Refused as refused:
            kind = "prompt" if refused.code == Code.STALE_PROMPT else "rules"
            raise _Bad(line.number, kind, f"the command is refused: {refused.code}") from None
        except Exception as error:  # noqa: BLE001 - the rules fail on what is stored
            name = type(error).__name__
            raise _Bad(line.number, "rules", f"the rules fail here ({name})") from None
        _compare(game, lines, at, decided.facts)
        _strategy(table, line)
        at += len(decided.facts)
        table, waiting = decided.table, decided.waiting
    if table != final:
        raise _Bad(final.version, "replay", "the fold of the facts is not what the rules arrive at")


def _strategy(table: Table, line: Line) -> None:
    """A computer's dice must be those that the house's seed gives for this very question."""
    fact = line.fact
    if not isinstance(fact, Chosen) or not fact.rng_seed:
        return
    names = (table.table_id, fact.prompt, fact.seat, fact.part)
    if fact.rng_seed != fairness.strategy_seed(table.seed, *names):
        raise _Bad(line.number, "strategy", "the computer's seed does not follow from the house's")


def _house(lines: list[Line], table: Table) -> House:
    if table.phase != "new":
        return House(fairness.shuffle, successor=subjects.successor_id(table.table_id))
    drawn = lines[1].fact
    return House(fairness.shuffle, drawn.seed, drawn.commitment)


def _compare(game: AnyGame, lines: list[Line], at: int, expected: tuple[Any, ...]) -> None:
    """The stored facts must be the expected ones, all of one time and author."""
    begin = lines[at]
    if not expected:
        raise _Bad(begin.number, "rules", "the command changes nothing at this position")
    for offset, want in enumerate(expected):
        if at + offset >= len(lines):
            missing = f"a {type(want).__name__} must follow, but the log ends"
            raise _Bad(lines[-1].number, "rules", missing)
        line = lines[at + offset]
        if line.fact != want:
            _must_be_ours(game, line.fact)
            raise _Bad(line.number, _kind(line.fact, want), _difference(line.fact, want))
        if line.at != begin.at or line.by != begin.by:
            raise _Bad(line.number, "rules", "it has another time or author than its command")


def _must_be_ours(game: AnyGame, fact: Any) -> None:
    if isinstance(fact, e.GameStarted) and fact.rules_version != game.rules_version:
        raise _OtherRules


def _kind(fact: Any, want: Any) -> str:
    return _KINDS.get(type(fact), "rules") if type(fact) is type(want) else "rules"


def _difference(fact: Any, want: Any) -> str:
    """Name what differs, but not the values."""
    if type(fact) is not type(want):
        return f"it is a {type(fact).__name__}, but a {type(want).__name__} must follow"
    names = [name for name in fact.__struct_fields__ if getattr(fact, name) != getattr(want, name)]
    whose = "its player" if isinstance(fact, Chosen) else "the rules"
    return f"{type(fact).__name__}: {', '.join(names)} is not what {whose} gave"


def _index(game: AnyGame, table: Table, index: IndexRow) -> None:
    waiting = game.waiting(table.play) if table.phase == "playing" else None
    wrong = [
        name
        for name, stored, true in (
            ("kind", index.kind, "table"),
            ("partition", index.partition, subjects.partition_of(table.table_id)),
            ("game", index.game, table.game),
            ("status", index.status, table.phase),
        )
        if stored != true
    ]
    if index.next_wake_ms is None and next_wake(table, waiting) is not None:
        wrong.append("next_wake_ms")
    if wrong:
        raise _Bad(table.version, "index", f"the index row has another {', '.join(wrong)}")
