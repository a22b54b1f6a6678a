"""The lobby end to end: facts of tables, real PostgreSQL, real NATS."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from contracts.lobby import LobbyReply, OpenTables, decode_change, decode_lobby
from contracts.replies import Rejected
from contracts.subjects import LOBBY_CHANGE, lobby_list
from domain.refusals import Code
from domain.table import commands as c
from domain.table.events import TableRules
from services.kit.bus import NoResponder
from services.kit.follow import Follower
from services.kit.nats_bus import NatsBus
from services.kit.rebuild import rebuild
from services.kit.store.database import Database
from services.kit.store.news import News
from services.lobby.chat.lines import Lines
from services.lobby.chat.service import ChatService
from services.lobby.service import LobbyService
from services.lobby.tables import LobbyModel, canonical, open_tables
from tests.entrance import Entrance
from tests.ledger.conftest import Play


async def listed(
    database: Database, news: News, bus: NatsBus, game: str | None = None, limit: int = 50
) -> OpenTables:
    follower = Follower(database, news, LobbyModel(), bus)
    while await follower.step():
        pass
    async with database.connection() as link:
        return await open_tables(link, game, limit)


async def test_an_open_table_shows_what_its_own_state_says(
    table: Play, database: Database, news: News, bus: NatsBus
) -> None:
    played = table()
    await played.open(3)
    await played.do(c.Join(2), "g_1")

    (shown,) = (await listed(database, news, bus)).tables

    state = played.table
    assert (shown.table, shown.version, shown.game) == (state.table_id, state.version, state.game)
    assert (shown.places, shown.rules, shown.options) == (state.places, state.rules, state.options)
    assert (shown.opener, shown.opened_at) == (state.opener, state.opened_at)


async def test_who_gets_up_hands_the_table_on(
    table: Play, database: Database, news: News, bus: NatsBus
) -> None:
    played = table()
    await played.open(3)
    await played.do(c.Join(), "p_ben")
    await listed(database, news, bus)
    await played.do(c.Leave())

    (shown,) = (await listed(database, news, bus)).tables

    assert shown.opener == "p_ben" == played.table.opener
    assert shown.places == played.table.places
    assert shown.places[0] is None


async def test_started_and_closed_tables_are_not_listed(
    table: Play, database: Database, news: News, bus: NatsBus
) -> None:
    closed, started, at_once = table("a"), table("b"), table("c")
    await closed.open()
    await started.open()
    assert len((await listed(database, news, bus)).tables) == 2
    await closed.do(c.Leave())
    await started.do(c.Start())
    await at_once.begin(2)

    assert (await listed(database, news, bus)).tables == ()


async def test_solo_tables_are_never_listed_nor_told_of(
    table: Play, database: Database, news: News, bus: NatsBus
) -> None:
    told: asyncio.Queue[bytes] = asyncio.Queue()
    await bus.subscribe(LOBBY_CHANGE, lambda message: told.put_nowait(message.data))
    await table("a").do(c.Open("speeddive", {}, TableRules(3, solo=True)))
    await table("b").open()

    (shown,) = (await listed(database, news, bus)).tables

    assert not shown.rules.solo
    async with asyncio.timeout(20):
        assert decode_change(await told.get()).table == shown.table


async def test_while_the_stakes_are_collected_a_table_stays_listed(
    table: Play, database: Database, news: News, bus: NatsBus
) -> None:
    played = table()
    await played.do(c.Open("speeddive", {}, TableRules(3, stake=10)))
    seen = []
    for command in (c.Start(), c.Collect(1, held=False, short=("p_anna",)), c.Start()):
        await played.do(command)
        (shown,) = (await listed(database, news, bus)).tables
        assert shown.places == played.table.places
        seen.append(shown.starting)
    await played.do(c.Collect(2, held=True))

    assert seen == [True, False, True]
    assert (await listed(database, news, bus)).tables == ()


@pytest.mark.parametrize("starting", [False, True])
async def test_a_table_that_is_stopped_is_listed_again_when_it_goes_on(
    log_url: str, table: Play, database: Database, news: News, bus: NatsBus, *, starting: bool
) -> None:
    told: asyncio.Queue[bytes] = asyncio.Queue()
    await bus.subscribe(LOBBY_CHANGE, lambda message: told.put_nowait(message.data))
    played = table()
    await played.do(c.Open("speeddive", {}, TableRules(3, stake=10)))
    await played.do(c.Join(), "p_ben")
    if starting:
        await played.do(c.Start())
    (before,) = (await listed(database, news, bus)).tables

    await played.do(c.Suspend("a fault of the rules"))
    assert (await listed(database, news, bus)).tables == ()
    assert (await rebuild(log_url, LobbyModel(), canonical, swap=True)).equal
    await played.do(c.Unsuspend("Alles wieder gut"))

    (shown,) = (await listed(database, news, bus)).tables
    assert shown == replace(before, version=played.table.version)
    assert shown.starting == starting
    async with asyncio.timeout(20):
        changes = [decode_change(await told.get()).open for _ in range(3)]
    assert changes == [before, None, shown]


async def test_a_stopped_table_that_ends_is_forgotten(
    table: Play, database: Database, news: News, bus: NatsBus
) -> None:
    voided, played = table("a"), table("b")
    await voided.open()
    await played.begin(2)
    for each in (voided, played):
        await each.do(c.Suspend("a fault of the rules"))
    await listed(database, news, bus)

    await voided.do(c.Void("Wir fangen neu an"))
    await played.do(c.Unsuspend("Alles wieder gut"))

    assert (await listed(database, news, bus)).tables == ()
    async with database.connection() as link:
        assert await canonical(link) == b"[]"


async def test_the_newest_come_first_up_to_the_limit(
    table: Play, database: Database, news: News, bus: NatsBus
) -> None:
    opened = [table(name) for name in "abc"]
    for number, played in enumerate(opened):
        played.at += number
        await played.open()

    two = await listed(database, news, bus, limit=2)

    assert [each.table for each in two.tables] == [
        played.table.table_id for played in opened[:0:-1]
    ]
    assert two.more
    assert not (await listed(database, news, bus, limit=3)).more
    assert (await listed(database, news, bus, game="snorkeling")).tables == ()


async def test_rebuild_is_byte_equal(
    log_url: str, table: Play, database: Database, news: News, bus: NatsBus
) -> None:
    await table("a").begin(2)
    await table("b").open(4)
    await listed(database, news, bus)

    outcome = await rebuild(log_url, LobbyModel(), canonical, swap=True)

    assert outcome.equal
    assert len((await listed(database, news, bus)).tables) == 1


async def test_the_service_lists_and_tells_of_changes(
    table: Play, database: Database, news: News, bus: NatsBus, entrance: Entrance
) -> None:
    played = table()
    await played.open()
    told: asyncio.Queue[bytes] = asyncio.Queue()
    await bus.subscribe(LOBBY_CHANGE, lambda message: told.put_nowait(message.data))
    stop = asyncio.Event()
    own = await entrance.service("lobby")
    serving = asyncio.create_task(
        LobbyService(own, database, news, ChatService(own, database, Lines(own))).serve(stop)
    )

    listing = await ask(bus)

    assert isinstance(listing, OpenTables)
    assert [each.table for each in listing.tables] == [played.table.table_id]
    async with asyncio.timeout(20):
        opened = decode_change(await told.get())
        assert opened.open == listing.tables[0]
        await played.do(c.Start())
        gone = decode_change(await told.get())
    assert (gone.table, gone.open) == (played.table.table_id, None)
    assert gone.version > opened.version
    for data, code in ((b'{"game":"poker"}', Code.BAD_OPTIONS), (b'{"limit":101}', Code.MALFORMED)):
        answer = await ask(bus, data)
        assert isinstance(answer, Rejected)
        assert answer.code == code
    stop.set()
    await serving


async def ask(bus: NatsBus, data: bytes = b"") -> LobbyReply:
    async with asyncio.timeout(20):
        while True:
            try:
                return decode_lobby(await bus.request(lobby_list("p_test_1"), data, 5))
            except NoResponder:
                await asyncio.sleep(0.02)
