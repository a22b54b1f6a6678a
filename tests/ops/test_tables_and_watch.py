"""The list of tables, and one table followed live."""

import asyncio
import json

import msgspec
import pytest

from domain.table import commands as c
from services.__main__ import _parse
from services.kit.console.failure import Failure
from services.kit.settings import Settings
from services.kit.store.database import Connection, Database
from services.kit.store.recorder import Recorder
from services.ops.tables import list_tables, run
from services.ops.watch import Line, watch
from tests.ops.conftest import Store
from tests.ops.tables import Played, finished, running


def gathering(seed: int) -> Played:
    played = Played(seed)
    played.do("p_test_1", c.Open("speeddive", {}, played.rules))
    return played


async def test_tables_are_listed_latest_first_with_whom_they_wait_for(
    log_url: str, store: Store
) -> None:
    played = [gathering(1), running(2), finished(3)]
    await store(played)
    async with Database(log_url) as database:
        rows, more = await list_tables(database, None, 10)
    assert [row.table for row in rows] == [each.table.table_id for each in reversed(played)]
    assert [row.status for row in rows] == ["finished", "playing", "gathering"]
    assert not more
    over, playing, open_ = rows
    assert (over.kind, over.awaited) == ("", ())
    assert playing.seats == ("p_test_1", "p_test_2", "computer_2")
    assert playing.kind
    assert set(playing.awaited) <= set(playing.seats)
    assert playing.version == played[1].table.version
    assert open_.seats == ("p_test_1",)


async def test_the_list_is_bounded_and_filtered(log_url: str, store: Store) -> None:
    await store([running(1), running(2), finished(3)])
    async with Database(log_url) as database:
        rows, more = await list_tables(database, None, 2)
        assert (len(rows), more) == (2, True)
        rows, more = await list_tables(database, ["playing"], 10)
        assert [row.status for row in rows] == ["playing", "playing"]
        rows, _ = await list_tables(database, ["cancelled"], 10)
        assert rows == []


async def test_a_list_that_was_cut_says_so(
    settings: Settings, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    await store([running(1), running(2)])
    for limit, more in (("1", True), ("2", False)):
        assert await run(_parse(["tables", "--limit", limit]), settings) == 0
        assert ("these are the latest 1, there are more" in capsys.readouterr().out) is more
        assert await run(_parse(["tables", "--limit", limit, "--json"]), settings) == 0
        assert json.loads(capsys.readouterr().out)["more"] is more


async def test_a_damaged_table_spoils_no_list(log_url: str, store: Store, link: Connection) -> None:
    await store([running(1), running(2)])
    await link.execute("UPDATE stored_events SET topic = 'x' WHERE originator_version = 3")
    async with Database(log_url) as database:
        rows, _ = await list_tables(database, None, 10)
    assert [row.damaged for row in rows] == [True, True]


async def test_a_table_is_followed_from_its_opening_to_its_end(log_url: str) -> None:
    played = finished(4)
    lines: list[Line] = []
    begun = asyncio.Event()

    async def follow() -> None:
        async for line in watch(log_url, played.table.table_id):
            lines.append(line)
            begun.set()

    async with Recorder(log_url) as recorder:
        first, *others = played.units
        await recorder.append(first)
        following = asyncio.create_task(follow())
        await begun.wait()
        for unit in others:
            await recorder.append(unit)
        await asyncio.wait_for(following, 20)

    assert [line.number for line in lines] == [append.expected + 1 for append in played.appends]
    assert [line.last for line in lines] == [
        append.expected + len(append.rows) for append in played.appends
    ]
    assert lines[0].text.startswith("table opened: game speeddive")
    assert any(line.who == "0 p_test_1" and line.text.startswith("chooses") for line in lines)
    assert "game finished" in lines[-1].text


async def test_what_is_hidden_is_not_shown(log_url: str, store: Store) -> None:
    played = running(5, facts=40)
    await store([played])
    lines: list[Line] = []
    async for line in watch(log_url, played.table.table_id):
        lines.append(line)
        if line.last == played.table.version:
            break
    text = msgspec.json.encode(lines).decode()
    assert played.table.seed not in text
    assert ",".join(f'"{card}"' for card in played.table.play.pile) not in text


@pytest.mark.parametrize("table", ["x", "00-" + "0" * 24])
async def test_a_table_that_is_not_there_is_one_clear_line(log_url: str, table: str) -> None:
    with pytest.raises(Failure, match="logbuch tables"):
        await anext(watch(log_url, table))
