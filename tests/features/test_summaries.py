"""Summaries (TABLE-R05): shown until every person has clicked „Weiter“, or the clock says so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from domain.refusals import Code
from domain.table.events import TableRules, Thinking
from services.kit.seen import SeenView
from tests.features.conftest import Come
from tests.features.house import House
from tests.features.people import Person, begun, refusal
from tests.features.playing import play

READING_S = 8


class Reader:
    """Somebody at a summary."""

    def __init__(self, house: House, person: Person, table: str) -> None:
        self.house = house
        self.person = person
        self.table = table

    async def plays(self) -> None:
        """Play until the next summary."""
        await play(self.house, self.person, self.table, lambda view: view.pause)

    async def looks(self) -> SeenView:
        return await self.person.client.seat(self.table).resume()

    async def clicks(self) -> None:
        view = await self.looks()
        assert view.summary is not None
        await self.person.client.weiter(self.table, view.summary)


async def reading(
    house: House, come: Come, game: str = "speeddive", thinking_s: Thinking = 0, people: int = 2
) -> list[Reader]:
    """Let people play their first round, until all look at its summary."""
    guests = [await come() for _ in range(people)]
    rules = TableRules(places=people, computers=False, thinking_s=thinking_s)
    options: dict[str, Any] = {"target": 300} if game == "speeddive" else {}
    table = await begun(*guests, game=game, rules=rules, options=options)
    readers = [Reader(house, guest, table) for guest in guests]
    await asyncio.gather(*(reader.plays() for reader in readers))
    return readers


@pytest.mark.parametrize("game", ["speeddive", "speedclimb", "snorkeling", "speeddrill"])
async def test_the_last_weiter_ends_it_at_once(house: House, come: Come, game: str) -> None:
    anna, ben = await reading(house, come, game)
    shown = await anna.looks()
    assert shown.awaited is not None
    assert (shown.awaited.kind, shown.awaited.seats) == ("weiter", (0, 1))

    await anna.clicks()
    waiting = await ben.looks()
    assert waiting.awaited is not None
    assert (waiting.pause, waiting.awaited.seats) == (shown.pause, (1,))
    await ben.clicks()

    assert (await anna.looks()).pause == ""
    with refusal(Code.STALE_PROMPT):
        await anna.person.client.weiter(anna.table, shown.awaited.prompt)


async def test_with_clock_it_ends_by_itself_after_reading_and_thinking_time(
    house: House, come: Come
) -> None:
    with house.stands_still():
        anna, ben = await reading(house, come, thinking_s=30)
        await ben.clicks()
        house.passes(READING_S + 29.999)
        assert (await anna.looks()).pause
        house.passes(0.001)

        await anna.person.until(anna.table, lambda view: not view.pause)


async def test_without_clock_it_waits_for_the_last(house: House, come: Come) -> None:
    anna, ben = await reading(house, come)
    await anna.clicks()

    house.passes(3_600)

    assert (await anna.looks()).pause
    await ben.clicks()
    assert not (await anna.looks()).pause


async def test_whoever_has_left_is_not_waited_for(house: House, come: Come) -> None:
    anna, ben, eve = await reading(house, come, people=3)
    await anna.clicks()
    await ben.person.client.leave(ben.table)
    assert (await anna.looks()).pause

    await eve.clicks()

    assert not (await anna.looks()).pause
