"""How the people of these tests play a game to its end: with the answers that are offered first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from domain.refusals import Code, Refused
from services.kit.seen import SeenView
from tests.features.house import House
from tests.features.people import WITHIN_S, Person, is_computers

OVERTAKEN = {Code.STALE_PROMPT, Code.NOT_YOUR_TURN, Code.FINISHED}
PAUSE_S = 1.2
"""How long computers pause at tempo normal."""


def _never(_view: SeenView) -> bool:
    return False


async def play_out(house: House, table: str, *people: Person) -> SeenView:
    """Let these people play to the end, and give it as the first of them sees it."""
    views = await asyncio.gather(*(play(house, each, table) for each in people))
    return views[0]


async def play(
    house: House, person: Person, table: str, until: Callable[[SeenView], object] = _never
) -> SeenView:
    """Answer with the defaults, to the end or until it is so; where computers pause, time passes."""
    seat, version = person.client.seat(table), 0
    while True:
        view = await seat.newer(version, WITHIN_S)
        version = view.version
        if until(view):
            return view
        if view.ended:
            return await seat.resume()
        if is_computers(view):
            house.passes(PAUSE_S)
            continue
        try:
            if view.summary is not None:
                await person.client.weiter(table, view.summary)
            for question in view.questions[:1]:
                await person.client.move(table, question.prompt, question.default)
        except Refused as refused:
            if refused.code not in OVERTAKEN:
                raise
