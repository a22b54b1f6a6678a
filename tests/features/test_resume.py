"""Resuming: whoever was away gets what he missed from his number on, a whole view, or the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from contracts import subjects
from domain.table.events import TableRules
from services.kit.seen import SeenView
from services.table import lookups
from tests.features.conftest import Come
from tests.features.house import House
from tests.features.people import Person, begun, follows, gathered
from tests.features.playing import play


class Traveller:
    """Somebody whose page has a number, is gone for a while, and asks from that number on."""

    def __init__(self, person: Person, table: str) -> None:
        self.person = person
        self.table = table
        self.number = 0

    async def goes(self) -> None:
        self.number = (await self.person.client.seat(self.table).resume()).version
        await self.person.bus.close()

    async def returns(self) -> dict[str, Any]:
        """Come in anew and resume; gives the feed."""
        bus = await self.person.browser.connect(await self.person.browser.renew())
        try:
            subject = subjects.command(self.person.id, self.table, "resume")
            body = {"command_id": self.person.client.new_id(), "since": self.number}
            answer = json.loads(await bus.request(subject, json.dumps(body).encode(), 20))
        finally:
            await bus.close()
        feed: dict[str, Any] = answer["feed"]
        return feed


def _newer_than(view: SeenView) -> Callable[[SeenView], bool]:
    return lambda now: now.version > view.version


async def test_from_a_number_on_nothing_is_missing_and_nothing_twice(
    house: House, come: Come
) -> None:
    on_turn, other = await come(), await come()
    table = await begun(on_turn, other)
    if not (await on_turn.client.seat(table).resume()).questions:
        on_turn, other = other, on_turn
    traveller = Traveller(other, table)
    await traveller.goes()
    await play(house, on_turn, table, lambda view: not view.questions)
    now = await on_turn.client.seat(table).resume()

    feed = await traveller.returns()

    numbers = [fact["number"] for fact in feed.get("facts", [])]
    assert numbers == list(range(traveller.number + 1, now.version + 1)) != []
    assert (feed["version"], feed["head"]) == (now.version, on_turn.client.seat(table).head)
    assert feed["view"]["questions"][0]["options"]["moves"]
    traveller.number = now.version
    assert "facts" not in await traveller.returns()


async def test_who_missed_very_much_gets_the_view_alone(
    come: Come, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "RESUME_MAX", 5)
    anna, ben = await come(), await come()
    table = await begun(anna, ben)
    traveller = Traveller(ben, table)

    feed = await traveller.returns()

    assert "facts" not in feed
    assert feed["version"] == feed["view"]["version"] > 5
    assert feed["view"]["phase"] == "playing"


async def test_who_comes_back_too_late_hears_that_the_game_is_over(
    house: House, come: Come
) -> None:
    anna, ben = await come(), await come()
    rules = TableRules(places=2, computers=False, thinking_s=30)
    table = await begun(anna, ben, rules=rules)
    traveller = Traveller(ben, table)
    await traveller.goes()
    view = await anna.client.seat(table).resume()
    while not view.ended:
        view = await play(house, anna, table, lambda view: not view.questions)
        if not view.ended:
            house.passes(40)  # Ben's time and grace
            view = await follows(anna.client.seat(table).resume, _newer_than(view))

    view = (await traveller.returns())["view"]
    assert (view["phase"], view["seat"]) == ("finished", 1)
    assert view["seed"]
    assert "questions" not in view


async def test_a_table_that_was_closed_says_why(house: House, come: Come) -> None:
    anna = await come()
    table = await gathered(anna)
    traveller = Traveller(anna, table)
    await traveller.goes()

    house.passes(30 * 60)

    view = (await traveller.returns())["view"]
    assert (view["phase"], view["ended_because"]) == ("cancelled", "expired")
