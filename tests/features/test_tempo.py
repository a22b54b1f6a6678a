"""Tempo and Turbo: how long computers pause before they move, to the millisecond."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from domain.refusals import Code
from domain.table.events import TableRules, Tempo
from tests.features.conftest import Come
from tests.features.house import House
from tests.features.people import Person, begun, is_computers, refusal
from tests.features.playing import play

TURBO_S = 0.1


@pytest.fixture(autouse=True)
def still(house: House) -> Iterator[None]:
    with house.stands_still():
        yield


class Onlooker:
    """Somebody with two computers, who counts how long they take."""

    def __init__(self, house: House, person: Person, table: str) -> None:
        self.house = house
        self.person = person
        self.table = table

    async def sees_pause_of(self, seconds: float) -> None:
        """A computer that is on turn moves after so long, and not a millisecond before."""
        view = await play(self.house, self.person, self.table, is_computers)
        self.house.passes(seconds - 0.001)
        assert (await self.person.client.seat(self.table).resume()).version == view.version
        self.house.passes(0.001)
        await self.person.until(self.table, lambda now: now.version > view.version)


async def onlooker(house: House, come: Come, tempo: Tempo = "normal") -> Onlooker:
    anna = await come()
    rules = TableRules(places=3, thinking_s=0, tempo=tempo, solo=True)
    started = await anna.client.solo("snorkeling", rules)
    return Onlooker(house, anna, started.table)


@pytest.mark.parametrize(("tempo", "seconds"), [("normal", 1.2), ("schnell", 0.5)])
async def test_computers_pause_as_the_tempo_says(
    house: House, come: Come, tempo: Tempo, seconds: float
) -> None:
    person = await onlooker(house, come, tempo)

    for _ in range(3):
        await person.sees_pause_of(seconds)


async def test_turbo_holds_at_once_and_until_it_is_switched_off(house: House, come: Come) -> None:
    person = await onlooker(house, come)
    await play(house, person.person, person.table, is_computers)

    await person.person.client.turbo(person.table, on=True)
    assert (await person.person.client.seat(person.table).resume()).turbo
    await person.sees_pause_of(TURBO_S)
    await person.sees_pause_of(TURBO_S)
    await person.person.client.turbo(person.table, on=False)

    await person.sees_pause_of(1.2)


async def test_turbo_is_for_who_plays_alone(come: Come) -> None:
    anna, ben = await come(), await come()
    rules = TableRules(places=3, thinking_s=0)
    table = await begun(anna, ben, game="snorkeling", rules=rules, options={})
    with refusal(Code.NOT_SOLO):
        await anna.client.turbo(table, on=True)

    await ben.client.leave(table)

    await anna.client.turbo(table, on=True)
    assert (await anna.until(table, lambda view: view.turbo)).phase == "playing"
