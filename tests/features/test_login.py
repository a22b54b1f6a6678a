"""Login: guests and accounts over HTTP, tickets, and the connection that the newest one wins."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import nats
import nats.errors
import pytest

from contracts import subjects
from contracts.gateway import Session, Trouble
from domain.refusals import Code
from domain.table.events import TableRules
from services.ops.trials.entry import Browser
from tests.bus.harness import eventually
from tests.features.conftest import Come
from tests.features.people import gathered, refusal

NAME = {"name": "Änne vom Riff", "password": "sehr geheim"}


class Visitor:
    """The login as a page does it: what it posts, and the session that it gets."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    async def posts(self, path: str, **body: Any) -> Session:
        status, content = await self.browser.post(f"/api/{path}", json.dumps(body).encode())
        assert status == 200, content
        return msgspec.json.decode(content, type=Session)

    async def is_refused(self, path: str, **body: Any) -> Trouble:
        status, content = await self.browser.post(f"/api/{path}", json.dumps(body).encode())
        assert 400 <= status < 500, (status, content)
        problem = json.loads(content)
        assert problem["text"]
        return Trouble(problem["code"])

    @staticmethod
    async def is_let_in(session: Session) -> bool:
        """Knock once; our own client would knock again and again."""
        login = {"token": session.ticket, "inbox_prefix": session.inbox}
        try:
            link = await nats.connect(session.socket, allow_reconnect=False, **login)
        except nats.errors.Error as error:
            if "authorization violation" not in str(error).lower():
                raise
            return False
        await link.close()
        return True


async def test_a_guest_comes_in_and_has_a_name(come: Come) -> None:
    guest = await come()

    answer = json.loads(await guest.ask(subjects.names(guest.id), players=[guest.id]))

    assert (guest.session.kind, guest.id[:2]) == ("guest", "g_")
    assert answer["names"] == {guest.id: guest.session.name}
    assert guest.session.name.startswith("Gast ")


async def test_an_account_logs_out_and_in_again(browser: Browser) -> None:
    visitor = Visitor(browser)
    made = await visitor.posts("register", **NAME)
    bus = await browser.connect(made)
    assert await browser.post("/api/logout") == (200, b"{}")
    await eventually(lambda: not bus.connected)
    await bus.close()

    assert await visitor.is_refused("session") == Trouble.NOT_LOGGED_IN
    assert not await visitor.is_let_in(made)
    wrong = {**NAME, "password": "nicht geheim"}
    assert await visitor.is_refused("login", **wrong) == Trouble.WRONG_LOGIN
    taken = {"name": "änne VOM riff", "password": "auch geheim"}
    assert await visitor.is_refused("register", **taken) == Trouble.NAME_TAKEN
    again = await visitor.posts("login", **NAME)
    assert (again.player, again.kind) == (made.player, "person")
    assert await visitor.is_let_in(again)


async def test_the_newest_connection_wins(come: Come) -> None:
    anna = await come("Anna")
    newer = await anna.browser.renew()
    assert newer.ticket != anna.session.ticket
    second = await anna.browser.connect(newer)

    await eventually(lambda: not anna.bus.connected)

    assert second.connected
    assert not await Visitor(anna.browser).is_let_in(anna.session)
    await second.close()


@pytest.mark.parametrize("stake", [10, 100])
async def test_a_guest_plays_without_stake(come: Come, stake: Any) -> None:
    """TABLE-A06"""
    anna, guest = await come("Anna"), await come()
    rules = TableRules(places=2, stake=stake)
    table = await gathered(anna, rules=rules)

    with refusal(Code.GUEST_NO_STAKE):
        await guest.client.join(table)
    with refusal(Code.GUEST_NO_STAKE):
        await guest.client.open("speeddive", rules)
    account = json.loads(await guest.ask(subjects.account(guest.id)))
    assert account["code"] == Code.GUEST_NO_STAKE
