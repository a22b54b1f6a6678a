"""Leaderboards end to end: facts of played tables, real PostgreSQL, real NATS."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from contracts.leaderboard import (
    Leaderboard,
    LeaderboardQuery,
    LeaderboardReply,
    decode_leaderboard,
)
from contracts.replies import Rejected
from domain.refusals import Code
from domain.table import commands as c
from services.kit.bus import NoResponder
from services.kit.nats_bus import NatsBus
from services.kit.rebuild import rebuild
from services.kit.store.database import Database
from services.kit.store.news import News
from services.ledger.leaderboard import LeaderboardModel, board, canonical
from services.ledger.service import LedgerService
from tests.entrance import Entrance
from tests.ledger.conftest import Play, UpToDate


async def show(database: Database, game: str = "speeddive") -> list[tuple[int, str, int, int]]:
    async with database.connection() as link:
        lines = (await board(link, game, LeaderboardQuery(100), 0)).lines
    return [msgspec.structs.astuple(line) for line in lines]


async def whole(database: Database) -> bytes:
    async with database.connection() as link:
        return await canonical(link)


async def test_a_finished_game_brings_score_and_bonus(
    table: Play, database: Database, up_to_date: UpToDate
) -> None:
    played = table()
    await played.begin(3, "p_ben")

    result = (await played.finish()).result

    await up_to_date()
    assert result is not None
    bonus = {1: 30, 2: 15, 3: 0}
    expected = {
        player: result.scores[seat] + bonus[result.ranks[seat]]
        for seat, player in enumerate(("p_anna", "p_ben"))
    }
    assert {player: points for _, player, points, _ in await show(database)} == expected


async def test_a_leaver_pays_and_the_game_goes_on_for_the_other(
    table: Play, database: Database, up_to_date: UpToDate
) -> None:
    played = table()
    await played.begin(2, "p_ben")
    await played.do(c.Leave(), "p_ben")
    await up_to_date()
    assert await show(database) == [(1, "p_ben", -10, 1)]

    result = (await played.finish()).result

    await up_to_date()
    assert result is not None
    anna = result.scores[0] + (30 if result.ranks[0] == 1 else 0)
    assert await show(database) == [(1, "p_anna", anna, 1), (2, "p_ben", -10, 1)]


async def test_a_short_game_is_not_entered(
    table: Play, database: Database, up_to_date: UpToDate
) -> None:
    played = table()
    await played.begin(2)
    await played.finish(89_000)

    await up_to_date()

    assert await show(database) == []


async def test_sums_with_ties_zero_and_negative_keep_a_fixed_order(database: Database) -> None:
    rows = [("p_c", 0), ("p_b", 12), ("p_a", 12), ("p_d", -10), ("p_b", 5), ("p_a", 5), ("p_d", 4)]
    async with database.connection() as link:
        await link.executemany(
            "INSERT INTO leaderboard_entries VALUES ($1, $2, 'speeddive', $3, 1, 5, $4)",
            [(f"t{n}", player, points, n) for n, (player, points) in enumerate(rows)],
        )

    got = await show(database)

    assert got == [(1, "p_b", 17, 2), (1, "p_a", 17, 2), (3, "p_c", 0, 1), (4, "p_d", -6, 2)]


async def test_the_same_facts_again_change_nothing(
    table: Play, database: Database, up_to_date: UpToDate
) -> None:
    played = table()
    await played.begin(2)
    await played.finish()
    await up_to_date()
    before = await whole(database)
    async with database.connection() as link:
        await link.execute("UPDATE projections SET position = 0")

    await up_to_date()

    assert await whole(database) == before
    assert len(msgspec.json.decode(before)["entries"]) == 1


async def test_rebuild_is_byte_equal_while_games_run(
    log_url: str, table: Play, database: Database, up_to_date: UpToDate
) -> None:
    for name in ("a", "b"):
        played = table(name)
        await played.begin(2, "p_ben")
        await played.finish()
    await up_to_date()
    running = table("c")
    await running.begin(2)

    outcome = await rebuild(log_url, LeaderboardModel(), canonical, swap=True)

    assert outcome.equal
    assert await whole(database) == outcome.computed
    await running.finish()
    await up_to_date()
    assert (await rebuild(log_url, LeaderboardModel(), canonical, swap=False)).equal
    assert len(msgspec.json.decode(await whole(database))["entries"]) == 5


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE leaderboard_entries SET points = points + 1",
        "UPDATE leaderboard_entries SET at_ms = at_ms + 1",
        "DELETE FROM leaderboard_entries",
        "INSERT INTO leaderboard_entries VALUES ('t', 'p_eve', 'speeddive', 900, 1, 5, 2)",
    ],
)
async def test_check_finds_what_rebuild_mends(
    log_url: str, table: Play, database: Database, up_to_date: UpToDate, damage: str
) -> None:
    played = table()
    await played.begin(2)
    await played.finish()
    await up_to_date()
    sound = await whole(database)
    async with database.connection() as link:
        await link.execute(damage)
    damaged = await whole(database)

    check = await rebuild(log_url, LeaderboardModel(), canonical, swap=False)
    assert not check.equal
    assert await whole(database) == damaged

    mended = await rebuild(log_url, LeaderboardModel(), canonical, swap=True)
    assert not mended.equal
    assert await whole(database) == sound
    assert (await rebuild(log_url, LeaderboardModel(), canonical, swap=False)).equal


async def test_a_service_answers_from_its_first_moment_with_what_is_in_the_log(  # noqa: PLR0917 - fixtures
    table: Play, database: Database, news: News, other_news: News, bus: NatsBus, entrance: Entrance
) -> None:
    played = table()
    await played.begin(2)
    await played.finish()
    stop = asyncio.Event()
    own = await entrance.service("ledger")
    serving = asyncio.create_task(LedgerService(own, database, news, other_news).serve(stop))

    first = await ask(bus, "leaderboard.p_test_1.speeddive")

    assert isinstance(first, Leaderboard)
    assert [line.player for line in first.lines] == ["p_anna"]
    for subject, data, code in (
        ("leaderboard.p_test_1.poker", b"", Code.BAD_OPTIONS),
        ("leaderboard.p_test_1.speeddive", b'{"limit":0}', Code.MALFORMED),
        ("leaderboard.p_test_1.speeddive", b'{"wish":1}', Code.MALFORMED),
        ("leaderboard.p_test_1.speeddive", b"[" * 1_000, Code.MALFORMED),
        ("leaderboard.p_test_1.speeddive", b" " * 2_000, Code.TOO_LARGE),
    ):
        answer = await ask(bus, subject, data)
        assert isinstance(answer, Rejected)
        assert answer.code == code
    stop.set()
    await serving


async def ask(bus: NatsBus, subject: str, data: bytes = b"") -> LeaderboardReply:
    async with asyncio.timeout(20):
        while True:
            try:
                return decode_leaderboard(await bus.request(subject, data, 5))
            except NoResponder:
                await asyncio.sleep(0.02)
