"""Who loses the connection has not left (TABLE-A08); the others may let the computer play.

A minute and five minutes are too long for a test that waits, so time passes by words here, as in
all of this folder.
"""

from __future__ import annotations

from contextlib import AsyncExitStack

from domain.refusals import Code
from domain.table.absence import OFFLINE_MS, SUBSTITUTE_MS
from services.kit.client import SIGN_S, PlayerClient
from services.kit.seen import SeenView
from tests.features.conftest import Come
from tests.features.house import House
from tests.features.people import Person, begun, refusal
from tests.features.playing import play


class Waiting:
    """Somebody who looks on and shows a sign every 30 s while another is gone."""

    def __init__(self, house: House, person: Person, table: str) -> None:
        self.house = house
        self.person = person
        self.table = table

    async def waits(self, seconds: float) -> SeenView:
        while seconds > 0:
            self.house.passes(min(seconds, SIGN_S))
            seconds -= SIGN_S
            await self.person.client.seat(self.table).resume()
        return await self.person.client.seat(self.table).resume()

    async def lets_the_computer_play(self, seat: int) -> None:
        await self.person.client.send(self.table, "substitute", seat=seat)


async def returned(person: Person, opened: AsyncExitStack) -> Person:
    """Come back as a page does that was reloaded: a new ticket, a new connection."""
    session = await person.browser.renew()
    bus = await person.browser.connect(session)
    opened.push_async_callback(bus.close)
    client = await opened.enter_async_context(PlayerClient(bus, person.id, patience_s=20))
    return Person(person.browser, session, bus, client)


async def test_the_computer_plays_for_who_vanished_until_he_is_back(
    house: House, come: Come
) -> None:
    anna, ben, spectator = await come(), await come(), await come()
    table = await begun(anna, ben, options={"target": 300, "bilanz": False})
    waiting = Waiting(house, anna, table)
    await ben.bus.close()
    await play(house, anna, table, lambda view: view.awaited and view.awaited.seats == (1,))
    with refusal(Code.NOT_OFFLINE):
        await waiting.lets_the_computer_play(1)

    view = await waiting.waits(OFFLINE_MS / 1_000 + 1)
    (absent,) = view.absent
    assert (absent.seat, absent.substitute_from - absent.since) == (1, SUBSTITUTE_MS)
    assert (await spectator.client.seat(table).resume()).absent == view.absent
    with refusal(Code.TOO_EARLY):
        await waiting.lets_the_computer_play(1)
    view = await waiting.waits(SUBSTITUTE_MS / 1_000)
    assert not view.questions  # nobody decides for him unasked
    await waiting.lets_the_computer_play(1)
    house.passes(2)
    await anna.until(table, lambda view: view.questions)

    async with AsyncExitStack() as opened:
        back = await returned(ben, opened)
        await back.client.seat(table).resume()
        await anna.until(table, lambda view: not view.absent)
        await play(house, anna, table, lambda view: view.awaited and view.awaited.seats == (1,))
        view = await back.until(table, lambda view: view.questions)
        await back.client.move(table, view.questions[0].prompt, view.questions[0].default)
        await anna.client.seat(table).resume()

    seen = anna.facts(table, "SeatOffline", "SeatSubstituted", "SeatBack", "PlayerLeft")
    assert [each["type"] for each in seen] == ["SeatOffline", "SeatSubstituted", "SeatBack"]
    by = [each["decided_by"] for each in anna.facts(table, "Chosen") if each["seat"] == 1]
    assert by[0] == "substitute"
    assert by[-1] == "human"
