"""`logbuch ledger` on a real system."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from deploy.embedded.supervisor import Stack
from services import __main__ as program
from services.kit.bus import BusError
from services.kit.nats_bus import NatsBus
from services.kit.settings import Settings
from services.kit.store.database import Database
from services.kit.store.news import News
from services.ledger.service import LedgerService
from tests.entrance import Entrance
from tests.ledger.conftest import Play, UpToDate
from tests.ledger.test_leaderboard import ask


@pytest.fixture
def settings(log_url: str, stack: Stack) -> Settings:
    return Settings(Path("unused"), log_url, stack.nats_url, secrets=stack.secrets)


async def call(settings: Settings, *words: str) -> int:
    args = program._parse(["ledger", *words])
    outcome: int = await args.run(args, settings)
    return outcome


async def test_check_and_rebuild(
    settings: Settings,
    table: Play,
    database: Database,
    up_to_date: UpToDate,
    capsys: pytest.CaptureFixture[str],
) -> None:
    played = table()
    await played.begin(2)
    await played.finish()
    await up_to_date()

    assert await call(settings, "check") == 0
    assert await call(settings, "rebuild", "--json") == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("the leaderboards are byte-equal to what the log gives: 1 entries")
    report = json.loads(out[-1])
    assert (report["equal"], report["entries"]) == (True, 1)

    async with database.connection() as link:
        await link.execute("UPDATE leaderboard_entries SET points = 0")
    assert await call(settings, "check") == 1
    assert "are NOT what the log gives" in capsys.readouterr().out
    assert await call(settings, "--json", "rebuild") == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["entries_before"], report["entries"]) == (1, 1)
    assert await call(settings, "rebuild") == 0


async def test_a_rebuild_that_repaired_says_so_and_is_a_finding(
    settings: Settings,
    table: Play,
    database: Database,
    up_to_date: UpToDate,
    capsys: pytest.CaptureFixture[str],
) -> None:
    played = table()
    await played.begin(2)
    await played.finish()
    await up_to_date()
    async with database.connection() as link:
        await link.execute("DELETE FROM leaderboard_entries")

    assert await call(settings, "rebuild") == 1

    assert capsys.readouterr().out.startswith(
        "the leaderboards differed from the log (0 entries before); "
        "computed anew and swapped in: 1 entries up to position "
    )


@pytest.fixture
async def service(
    bus: NatsBus, entrance: Entrance, database: Database, news: News, other_news: News
) -> AsyncIterator[None]:
    stop = asyncio.Event()
    own = await entrance.service("ledger")
    serving = asyncio.create_task(LedgerService(own, database, news, other_news).serve(stop))
    await ask(bus, "leaderboard.p_test_1.speeddive")
    yield
    stop.set()
    await serving


@pytest.mark.usefixtures("service")
async def test_leaderboard(
    settings: Settings,
    table: Play,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert await call(settings, "leaderboard", "speeddive") == 0
    told = "no entries for speeddive yet (games under 90 s are not entered)\n"
    assert capsys.readouterr().out == told
    assert await call(settings, "leaderboard", "snorkeling") == 0
    assert capsys.readouterr().out == "no entries for snorkeling yet\n"
    played = table()
    await played.begin(2)
    await played.finish()
    async with asyncio.timeout(20):
        while "p_anna" not in capsys.readouterr().out:
            assert await call(settings, "leaderboard", "speeddive") == 0

    assert await call(settings, "leaderboard", "speeddive", "--json", "--limit", "1") == 0

    board = json.loads(capsys.readouterr().out)
    assert [line["player"] for line in board["lines"]] == ["p_anna"]


async def test_a_leaderboard_without_the_service_is_an_error_of_the_bus(
    settings: Settings, database: Database
) -> None:
    assert database.url == settings.database_url
    with pytest.raises(BusError):
        await call(settings, "leaderboard", "speeddive")


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["accounts", "--limit", "0"],
        ["leaderboard", "speeddive", "--period", "month"],
        ["leaderboard"],
        ["leaderboard", "poker"],
        ["leaderboard", "speeddive", "--limit", "0"],
    ],
)
async def test_wrong_usage_is_exit_code_two(settings: Settings, words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        await call(settings, *words)

    assert ended.value.code == 2
