"""The three races: what people send at the same moment, and what must have come of it.

Each is run by three people with connections of their own at tables of its own, which they leave in
the end: computers play what has begun. What the log must say of the tables is left to `race_log`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from contracts import subjects
from contracts.replies import Accepted
from domain.refusals import Code, Refused
from domain.table.events import Stake, TableRules
from services.kit.client import PlayerClient, accepted
from services.kit.seen import SeenView
from services.ops.trials.race_log import Expected
from services.ops.trials.race_taler import account_of, in_pot

GAME: Final = "speeddive"
OPTIONS: Final[dict[str, str | int | bool]] = {"target": 100, "bilanz": False}
"""The shortest game there is, without summaries."""
STAKE: Final[Stake] = 10
PATIENCE_S: Final = 60.0
_TOO_LATE: Final = frozenset({Code.NOT_GATHERING, Code.STARTING})
"""How somebody is refused who comes after the start."""
Crew: TypeAlias = tuple[PlayerClient, PlayerClient, PlayerClient]


class Wrong(Exception):
    """What happened must not: the message says what."""


class Shot(NamedTuple):
    """One command of a race, and how it was answered after so many ms."""

    player: str
    ms: float
    answer: Accepted | Refused

    @property
    def hit(self) -> bool:
        """Whether it was accepted."""
        return isinstance(self.answer, Accepted)

    @property
    def code(self) -> str:
        """Why it was refused."""
        return self.answer.code if isinstance(self.answer, Refused) else ""


class Race(NamedTuple):
    """Who races, by which dice, and for what stake; what comes of it is written down in the lists.

    `tables` are told from the moment they are opened, `shots` in the order in which they were sent.
    """

    crew: Crew
    rng: Random
    stake: Stake
    tables: list[str]
    shots: list[Shot]
    expected: list[Expected]

    async def open(self, places: int, *others: PlayerClient) -> str:
        """Open a table for people alone, and let others sit down."""
        rules = TableRules(
            places,
            computers=False,
            thinking_s=0,
            strengths=("leicht",),
            min_game_s=0,
            tempo="sofort",
            stake=self.stake,
        )
        table = (await self.crew[0].open(GAME, rules, OPTIONS)).table
        self.tables.append(table)
        for other in others:
            await other.join(table)
        return table


async def last_seat(race: Race) -> bool:
    """Two want the only free seat; returns whether the first sender got it. Raises Wrong."""
    opener, *rivals = race.crew
    table = await race.open(2)
    race.rng.shuffle(rivals)
    await _fire(
        race, [_shoot(who, "join", table, place=race.rng.choice((1, None))) for who in rivals]
    )
    _must(sum(shot.hit for shot in race.shots) == 1, "one of two sits down", _told(race.shots))
    codes = {shot.code for shot in race.shots if not shot.hit}
    _must(codes == {Code.TABLE_FULL}, "the other one is refused table_full", _told(race.shots))
    winner = next(shot.player for shot in race.shots if shot.hit)
    view = await opener.seat(table).resume()
    sit = _places(view)
    _must(sit == {opener.player, winner}, f"{winner} sits there beside the opener", _names(sit))
    race.expected.append(Expected(table, None, 0))
    return race.shots[0].hit


async def start(race: Race) -> bool:
    """The opener starts while somebody joins or leaves; returns whether the first one came first.

    Raises Wrong.
    """
    opener, other, third = race.crew
    joins = race.rng.choice((True, False))
    table = await race.open(3, *([other] if joins else [other, third]))
    clicks = [_shoot(opener, "start", table) for _ in range(race.rng.choice((1, 2)))]
    rival = _shoot(third, "join" if joins else "leave", table)
    first = race.rng.choice((True, False))
    await _fire(race, [*clicks, rival] if first else [rival, *clicks])
    starts = [shot for shot in race.shots if shot.player == opener.player]
    begun = sum(shot.hit for shot in starts)
    _must(begun == 1 or (race.stake and not joins), "one start is accepted", _told(race.shots))
    _must(
        {shot.code for shot in starts} <= {"", *_TOO_LATE},
        "the other comes too late",
        _told(starts),
    )
    (got,) = [shot for shot in race.shots if shot.player == third.player]
    _must(got.hit or (joins and got.code in _TOO_LATE), "the rival is answered", _told([got]))
    view = await _begun(race, opener, table, called_off=not joins)
    wanted = {opener.player, other.player, *([third.player] if joins and got.hit else [])}
    people = _seats(view)
    _must(people - {third.player} == wanted - {third.player}, "those who sat play", _names(people))
    plays = third.player in people
    _must(plays == got.hit or not joins, "who came in time plays", _names(people))
    await _has_paid(race, table, people)
    race.expected.append(Expected(table, frozenset(people), race.stake))
    return (plays != joins) == first


async def rematch(race: Race) -> bool:
    """All who have played send `again`; returns whether the first sender opened. Raises Wrong.

    One of them may think better of it, and leave the place that is held for him.
    """
    table = await race.open(3, *race.crew[1:])
    everybody = frozenset(each.player for each in race.crew)
    await race.crew[0].start(table)
    await asyncio.gather(*(_play(each, table) for each in race.crew))
    successor = subjects.successor_id(table)
    race.expected.append(Expected(table, everybody, race.stake, successor))
    crew = list(race.crew)
    race.rng.shuffle(crew)
    leaver = race.rng.choice((None, *crew))
    race.tables.append(successor)
    comes = [_again(race, each, table, leaves=each is leaver) for each in crew]
    await asyncio.gather(*comes)
    _must(sum(shot.hit for shot in race.shots) == 1, "one opens the next table", _told(race.shots))
    for shot in race.shots:
        to = shot.answer.table if isinstance(shot.answer, Accepted) else shot.answer.hint
        _must(shot.code in {"", Code.FINISHED}, "the others are led to it", _told([shot]))
        _must(to == successor, f"all are led to {successor}", to or "nowhere")
    view = await _begun(race, crew[0], successor, called_off=leaver is not None)
    stayed = everybody if leaver is None else everybody - {leaver.player}
    people = _seats(view)
    _must(stayed <= people <= everybody, "all who came back play", _names(people))
    await _has_paid(race, successor, people)
    race.expected.append(Expected(successor, frozenset(people), race.stake))
    order = [each.player for each in crew]
    race.shots.sort(key=lambda shot: order.index(shot.player))
    return race.shots[0].hit


KINDS: Final[dict[str, Callable[[Race], Awaitable[bool]]]] = {
    "last seat": last_seat,
    "start": start,
    "rematch": rematch,
}


async def leave_all(race: Race) -> None:
    """Let everybody leave the tables of a race: nobody sits anywhere any more."""
    await asyncio.gather(*(_leave(person, race.tables) for person in race.crew))


async def _leave(person: PlayerClient, tables: Sequence[str]) -> None:
    for table in tables:
        with suppress(Refused):  # he does not sit there, or it is over
            await person.leave(table)
        person.forget(table)


async def _fire(race: Race, shots: Sequence[Coroutine[Any, Any, Shot]]) -> None:
    """Send all at the same moment, in this order."""
    race.shots.extend(await asyncio.gather(*shots))


async def _shoot(person: PlayerClient, verb: str, table: str, **fields: Any) -> Shot:
    clock = asyncio.get_running_loop().time
    begun = clock()
    answer: Accepted | Refused
    try:
        answer = accepted(await person.send(table, verb, **fields))
    except Refused as refused:
        answer = refused
    return Shot(person.player, (clock() - begun) * 1000, answer)


async def _again(race: Race, person: PlayerClient, table: str, *, leaves: bool) -> None:
    """Want to play again; then give one's share of the chance, or leave."""
    shot = await _shoot(person, "again", table)
    race.shots.append(shot)
    successor = subjects.successor_id(table)
    if leaves:
        await person.leave(successor)
        return
    try:
        await person.join(successor, client_seed=f"again-{person.player}")
    except Refused as refused:  # who opened it need not come, so they may have begun
        if not (shot.hit and refused.code in _TOO_LATE):
            raise


async def _begun(race: Race, person: PlayerClient, table: str, *, called_off: bool) -> SeenView:
    """Wait for the game; the opener starts again where somebody's leaving has called it off."""
    view = await _settled(person, table)
    if called_off and view.phase == "gathering":
        opener = next((each for each in race.crew if each.player == view.opener), None)
        if opener is None:
            raise Wrong(f"one of the people may start: {view.opener or 'nobody'}")
        await opener.start(table)
        view = await _settled(person, table)
    denied = view.denied.players if view.denied else ()
    _must(view.phase == "playing", "a game begins", f"{view.phase} {' '.join(denied)}")
    return view


async def _settled(person: PlayerClient, table: str) -> SeenView:
    seat = person.seat(table)
    view = await seat.resume()
    while view.phase == "starting":
        view = await seat.newer(view.version, PATIENCE_S)
    return view


async def _play(person: PlayerClient, table: str) -> None:
    """Give every question its default until the game is over."""
    seat, version = person.seat(table), 0
    while True:
        view = await seat.newer(version, PATIENCE_S)
        version = view.version
        if view.ended:
            return
        if view.questions:
            asked = view.questions[0]
            ack = await person.move(table, asked.prompt, asked.default)
            version = max(version, ack.last - 1)


async def _has_paid(race: Race, table: str, people: set[str]) -> None:
    """Who plays has paid the stake once, and whoever does not has nothing in the pot."""
    if not race.stake:
        return
    for person in race.crew:
        paid = in_pot(await account_of(person), table)
        owed = race.stake if person.player in people else 0
        told = "more than one stake is held" if paid is None else f"{paid} Taler"
        _must(paid == owed, f"{person.player} has paid {owed} Taler once", told)


def _places(view: SeenView) -> set[str]:
    return {each.player for each in view.places if each is not None}


def _seats(view: SeenView) -> set[str]:
    return {each.player for each in view.seats if each.kind != "computer"}


def _told(shots: Sequence[Shot]) -> str:
    return ", ".join(f"{shot.player} {shot.code or 'accepted'}" for shot in shots)


def _names(players: set[str]) -> str:
    return " ".join(sorted(players)) or "nobody"


def _must(holds: object, what: str, instead: str) -> None:
    if not holds:
        raise Wrong(f"not so: {what}; {instead}")
