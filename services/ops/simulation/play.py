"""One simulated table: people who answer at random until the game is over."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from contracts.commands import decode_descriptor
from domain.games import GAMES
from domain.kernel import AnyGame
from domain.refusals import Code, Refused
from services.kit.bus import BusError
from services.kit.client import PlayerClient, Unanswered
from services.kit.seen import SeenQuestion, SeenView
from services.ops.simulation.plan import PURPOSE, Plan

OVERTAKEN = frozenset({Code.STALE_PROMPT, Code.NOT_YOUR_TURN, Code.FINISHED})
"""Refusals that only say that the game has moved on: the newest view tells where it is."""
_CHOSEN = b'{"type":"Chosen"'


class Outcome(Struct):
    """What became of one table; `error` is empty when its game was finished."""

    table: str = ""
    error: str = ""
    moves: int = 0
    facts: int = 0


class Denied(Exception):
    """The stakes were not held, so that the game did not begin."""


class Stalled(Exception):
    """Nothing happened at the table for too long."""


async def play_table(
    plan: Plan, number: int, clients: Mapping[str, PlayerClient], starting: asyncio.Semaphore
) -> Outcome:
    """Open, fill and play table `number`; `starting` bounds how many do the first at once."""
    outcome = Outcome()
    people = [clients[player] for player in plan.people_at(number)]
    try:
        async with starting:
            outcome.table = await start_table(plan, number, people)
        async with asyncio.TaskGroup() as group:
            persons = [
                group.create_task(_play(plan, plan.chance_of(number, n), person, outcome.table))
                for n, person in enumerate(people)
            ]
        views = [person.result() for person in persons]
        if views[0].phase != "finished":
            outcome.error = f"the table is {views[0].phase} {views[0].ended_because}".rstrip()
    except* (Refused, Unanswered, Stalled, Denied, BusError) as errors:
        outcome.error = " / ".join(sorted({_told(error) for error in _each(errors)}))
    _measure(outcome, people[0])
    for person in people:
        person.forget(outcome.table)
    return outcome


async def start_table(plan: Plan, number: int, people: list[PlayerClient]) -> str:
    """Open table `number`, seat the people and start the game; return its id."""
    opener, *others = people
    opened = await opener.open(plan.game, plan.rules, plan.options)
    table = opened.table
    for nr, other in enumerate(others, 1):
        await other.join(table, client_seed=_client_seed(plan, number, nr))
    for person in people:
        person.seat(table)
    await opener.start(table, _client_seed(plan, number, 0))
    return table


def _client_seed(plan: Plan, number: int, person: int) -> str:
    return f"simulate-{plan.seed}-{number}-{person}"


async def _play(plan: Plan, rng: random.Random, person: PlayerClient, table: str) -> SeenView:
    """Answer whatever this person is asked till the table has ended; return the last view."""
    seat = person.seat(table)
    game = GAMES[plan.game]
    version = 0
    while True:
        try:
            view = await seat.newer(version, plan.stall_s)
        except TimeoutError:
            raise Stalled(_awaited(seat.view, plan.stall_s)) from None
        version = view.version
        if view.ended:
            return view if seat.complete else await seat.resume()
        if view.denied is not None:
            raise Denied(f"stake_denied: {' '.join(view.denied.players)}")
        try:
            if view.summary is not None:
                ack = await person.weiter(table, view.summary)
            elif view.questions:
                question = rng.choice(view.questions)
                ack = await person.move(table, question.prompt, choose(question, rng, game))
            else:
                continue
            # A view may still come that others caused before; what was answered is open in it.
            version = max(version, ack.last - 1)
        except Refused as refused:
            if refused.code not in OVERTAKEN:
                raise
            version = min(version, (await seat.resume()).version - 1)
            await asyncio.sleep(0.05)


def choose(question: SeenQuestion, rng: random.Random, game: AnyGame) -> Any:
    """Give one of the offered moves; each literal one and each descriptor is equally likely.

    A game of `PURPOSE` mostly gets its default instead, or it would hardly ever end. A descriptor
    of a newer server that this program does not know is answered with the default, too.
    """
    if rng.randrange(PURPOSE.get(game.name, 0) + 1):
        return question.default
    moves, descriptors = question.options.moves, question.options.descriptors
    index = rng.randrange(len(moves) + len(descriptors))
    if index < len(moves):
        return moves[index]
    try:
        descriptor = decode_descriptor(game, descriptors[index - len(moves)])
    except msgspec.DecodeError:
        return question.default
    return descriptor.sample(rng.randrange)


def _awaited(view: SeenView | None, stall_s: float) -> str:
    since = f"nothing has happened for {stall_s:.0f} s"
    if view is None:
        return f"{since}; no view has come"
    if view.awaited is None:
        return f"{since} after fact {view.version}; the table is {view.phase}"
    names = [
        view.seats[seat].player if seat < len(view.seats) else str(seat)
        for seat in view.awaited.seats
    ]
    what = f"{view.awaited.kind} of {', '.join(names) or 'nobody'}"
    return f"{since} after fact {view.version}; it waits for {what}"


def _measure(outcome: Outcome, opener: PlayerClient) -> None:
    facts = opener.seat(outcome.table).facts
    outcome.facts = len(facts)
    outcome.moves = sum(bytes(fact.fact).startswith(_CHOSEN) for fact in facts)


def _each(errors: BaseExceptionGroup[Exception]) -> list[BaseException]:
    found: list[BaseException] = []
    for error in errors.exceptions:
        found += _each(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found


def _told(error: BaseException) -> str:
    return f"refused ({error.code}): {error}" if isinstance(error, Refused) else str(error)
