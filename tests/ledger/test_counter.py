"""Taler over the real bus: who may ask what, and what he is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from contracts import subjects
from contracts.account import Account, AccountReply, decode_account
from contracts.replies import Rejected
from contracts.stakes import HoldAnswer, HoldReply, decode_hold
from domain.refusals import Code
from services.kit.bus import Denied, NoResponder
from services.kit.nats_bus import NatsBus
from services.kit.store.database import Database
from services.kit.store.news import News
from services.ledger.service import LedgerService
from services.ledger.taler import Taler
from tests.entrance import Entrance

REQUEST = {"table": "01-" + "a" * 24, "attempt": 1, "stake": 25, "players": ["p_anna", "p_ben"]}


@pytest.fixture(autouse=True)
async def ledgers(
    entrance: Entrance, database: Database, news: News, other_news: News
) -> AsyncIterator[None]:
    """Two replicas."""
    stop = asyncio.Event()
    serving = [
        asyncio.create_task(
            LedgerService(
                await entrance.service("ledger"), database, news, other_news, Taler(100, 40)
            ).serve(stop)
        )
        for _ in range(2)
    ]
    yield
    stop.set()
    await asyncio.gather(*serving)


@pytest.fixture
async def table_bus(entrance: Entrance) -> NatsBus:
    return await entrance.service("table")


@pytest.fixture
async def anna(entrance: Entrance) -> NatsBus:
    return await entrance.player("p_anna")


async def request(bus: NatsBus, subject: str, data: bytes = b"") -> bytes:
    async with asyncio.timeout(20):
        while True:
            try:
                return await bus.request(subject, data, 5)
            except NoResponder:
                await asyncio.sleep(0.02)


async def own(bus: NatsBus, player: str, data: bytes = b"") -> AccountReply:
    return decode_account(await request(bus, subjects.account(player), data))


async def hold(bus: NatsBus, **changes: Any) -> HoldReply:
    data = msgspec.json.encode(REQUEST | changes)
    return decode_hold(await request(bus, subjects.HOLD, data))


async def test_a_player_sees_his_own_taler(anna: NatsBus, table_bus: NatsBus) -> None:
    first = await own(anna, "p_anna")
    assert isinstance(first, Account)
    assert (first.balance, first.held, len(first.bookings)) == (100, 0, 1)

    assert await hold(table_bus) == HoldAnswer(REQUEST["table"], 1, held=True)  # type: ignore[arg-type]

    second = await own(anna, "p_anna", b'{"limit":1}')
    assert isinstance(second, Account)
    assert (second.balance, second.held) == (75, 25)
    assert [booking.kind for booking in second.bookings] == ["hold"]


async def test_he_sees_nobody_elses_and_holds_no_stakes(anna: NatsBus, table_bus: NatsBus) -> None:
    await hold(table_bus)

    for subject, data in (
        (subjects.account("p_ben"), b""),
        (subjects.HOLD, msgspec.json.encode(REQUEST | {"attempt": 2})),
    ):
        with pytest.raises(Denied):
            await anna.request(subject, data, 0.3)


async def test_a_guest_has_no_account(entrance: Entrance) -> None:
    answer = await own(await entrance.player("g_1"), "g_1")

    assert isinstance(answer, Rejected)
    assert answer.code == Code.GUEST_NO_STAKE


@pytest.mark.parametrize(
    "changes",
    [
        {"stake": 0},
        {"stake": 11},
        {"stake": -25},
        {"stake": 25.0},
        {"attempt": 0},
        {"players": []},
        {"players": ["p_a"] * 17},
        {"players": ["p_a", "p_a"]},
        {"players": ["house"]},
        {"table": "99"},
        {"wish": 1},
    ],
)
async def test_a_wrong_request_holds_nothing(
    table_bus: NatsBus, database: Database, changes: dict[str, Any]
) -> None:
    answer = await hold(table_bus, **changes)

    assert isinstance(answer, Rejected)
    assert answer.code == Code.MALFORMED
    async with database.connection() as link:
        assert await link.fetchval("SELECT count(*) FROM ledger_accounts") == 0


@pytest.mark.parametrize("data", [b'{"limit":51}', b'{"limit":-1}', b'{"player":"p_ben"}', b"[]"])
async def test_a_wrong_question_gets_no_account(anna: NatsBus, data: bytes) -> None:
    answer = await own(anna, "p_anna", data)

    assert isinstance(answer, Rejected)
    assert answer.code == Code.MALFORMED
