"""Once more (RULES.md 1.7): seats are held for two minutes, and the next game begins by itself."""

from __future__ import annotations

from domain.refusals import Code
from domain.table.events import TableRules
from services.kit.seen import SeenView
from tests.features.conftest import Come
from tests.features.house import House
from tests.features.people import Person, begun, follows, gathered, refusal
from tests.features.playing import play_out

HELD_S = 120


class Regular:
    """Somebody who clicks „Nochmal“ on the last screen."""

    def __init__(self, person: Person, table: str) -> None:
        self.person = person
        self.table = table

    async def clicks(self) -> str:
        """Say that he plays again; gives the table where."""
        self.table = (await self.person.client.again(self.table)).table
        return self.table

    async def sees(self) -> SeenView:
        return await self.person.client.seat(self.table).resume()


async def regulars(house: House, *people: Person) -> list[Regular]:
    """Let people play a whole game."""
    table = await begun(*people)
    await play_out(house, table, *people)
    return [Regular(person, table) for person in people]


async def test_when_all_are_back_the_next_game_begins_by_itself(house: House, come: Come) -> None:
    anna, ben, eve = await regulars(house, await come(), await come(), await come())
    stranger, before = await come(), await anna.sees()

    table = await ben.clicks()
    opened = await ben.sees()
    assert (opened.phase, opened.opener) == ("gathering", ben.person.id)
    assert [(hold.place, hold.player) for hold in opened.holds] == [
        (0, anna.person.id),
        (2, eve.person.id),
    ]
    assert (await anna.sees()).successor == table
    with refusal(Code.SEAT_HELD):
        await stranger.client.join(table)
    with refusal(Code.SEAT_HELD):
        await ben.person.client.start(table)
    assert await eve.clicks() == table
    assert (await ben.sees()).phase == "gathering"
    assert await anna.clicks() == table

    view = await ben.person.until(table, lambda view: view.phase == "playing")
    assert [each.player for each in view.seats] == [each.player for each in before.seats]
    assert view.commitment != before.commitment
    (options,) = [each["options"] for each in ben.person.facts(table, "TableOpened")]
    assert options["target"] == 100


async def test_after_two_minutes_places_are_free(house: House, come: Come) -> None:
    """TABLE-A10"""
    anna, ben = await regulars(house, await come(), await come())
    stranger = await come()
    table = await anna.clicks()
    (hold,) = (await anna.sees()).holds
    assert 0 < hold.until - house.now_ms() <= HELD_S * 1_000

    house.passes(HELD_S)

    await follows(anna.sees, lambda view: not view.holds)
    await stranger.client.join(table)
    await anna.person.client.start(table)
    await stranger.until(table, lambda view: view.phase == "playing")
    with refusal(Code.NOT_GATHERING):
        await ben.clicks()


async def test_who_does_not_come_back_frees_his_place(house: House, come: Come) -> None:
    anna, ben, eve = await regulars(house, await come(), await come(), await come())
    table = await anna.clicks()

    await eve.person.client.leave(table)

    view = await anna.person.until(table, lambda view: len(view.holds) == 1)
    assert [hold.player for hold in view.holds] == [ben.person.id]
    await ben.clicks()
    assert (await anna.sees()).phase == "gathering"  # not all are back, so the opener decides
    await anna.person.client.start(table)
    await ben.person.until(table, lambda view: view.phase == "playing")


async def test_alone_the_next_game_begins_at_once(house: House, come: Come) -> None:
    anna = await come()
    rules = TableRules(places=3, strengths=("leicht",), thinking_s=30)
    table = (await anna.client.solo("speeddive", rules, {"target": 100, "bilanz": False})).table
    await play_out(house, table, anna)
    regular = Regular(anna, table)

    following = await regular.clicks()
    await anna.client.start(following)

    await anna.until(following, lambda view: view.phase == "playing")
    assert (
        anna.facts(following, "TableOpened")[0]["rules"]
        == (anna.facts(table, "TableOpened")[0]["rules"])
    )
    await gathered(anna)  # a solo table keeps nobody from others
