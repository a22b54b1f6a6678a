"""Leaving (TABLE-R06): the computer plays on, the others finish, and what it costs."""

from __future__ import annotations

from domain.refusals import Code
from domain.table.events import TableRules
from tests.features.conftest import Come
from tests.features.house import House
from tests.features.people import Person, begun, follows, gathered, refusal
from tests.features.playing import play_out


class Leaver:
    """Somebody who has better things to do."""

    def __init__(self, person: Person, table: str) -> None:
        self.person = person
        self.table = table

    async def leaves(self) -> None:
        await self.person.client.leave(self.table)

    async def points(self, game: str = "speeddive") -> int:
        """His points on the leaderboard, as soon as he has an entry."""
        board = await follows(lambda: self.person.board(game), lambda board: board.own)
        assert board.own is not None
        assert board.own.games == 1
        return board.own.points


async def test_the_computer_plays_on_for_who_leaves_others(house: House, come: Come) -> None:
    anna, ben, guest = await come("Anna"), await come("Ben"), await come()
    table = await begun(anna, ben, guest)
    leaver = Leaver(ben, table)

    await leaver.leaves()
    left = await anna.until(table, lambda view: view.seats[1].left)
    assert (left.seats[1].player, left.seats[1].kind, left.phase) == (ben.id, "person", "playing")
    with refusal(Code.NOT_SEATED):
        await ben.client.leave(table)
    await gathered(ben)  # he is free to sit down elsewhere
    view = await play_out(house, table, anna, guest)

    assert view.phase == "finished"
    (fact,) = anna.facts(table, "PlayerLeft")
    assert (fact["seat"], fact["player"], fact["others"]) == (1, ben.id, True)
    later = [each for each in anna.facts(table, "Chosen") if each["number"] > fact["number"]]
    assert {each["decided_by"] for each in later if each["seat"] == 1} == {"computer"}
    assert {each["decided_by"] for each in later if each["seat"] != 1} == {"human"}
    assert await leaver.points() == -10
    with refusal(Code.NOT_SEATED):
        await ben.client.again(table)


async def test_when_all_have_left_the_computers_finish(come: Come) -> None:
    anna, ben, spectator = await come("Anna"), await come("Ben"), await come()
    table = await begun(anna, ben, game="snorkeling", options={"bilanz": True})
    leavers = [Leaver(anna, table), Leaver(ben, table)]

    for leaver in leavers:
        await leaver.leaves()

    await follows(
        lambda: spectator.client.seat(table).resume(), lambda view: view.phase == "finished"
    )
    assert [await leaver.points("snorkeling") for leaver in leavers] == [-10, -10]
    own = [(await each.board("snorkeling")).own for each in (anna, ben)]
    assert own[0] is not None
    assert own[1] is not None
    assert own[0].place == own[1].place  # equal points share a place


async def test_who_leaves_computers_alone_loses_nothing(come: Come) -> None:
    anna = await come("Anna")
    alone = await anna.client.solo("speeddrill", TableRules(places=2))
    await anna.client.leave(alone.table)
    shared = await begun(anna, await come(), game="speeddrill", options={})
    await anna.client.leave(shared)

    leaver = Leaver(anna, shared)

    assert (
        await leaver.points("speeddrill") == -10
    )  # of the second table alone: facts come in order
