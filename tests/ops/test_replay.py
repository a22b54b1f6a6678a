"""Replay shows what a viewer may know at a position, computed from the facts alone."""

import json
from typing import Any

import msgspec
import pytest

from contracts import subjects
from contracts.views import table_view
from domain.table.decider import awaited
from domain.table.state import Table
from domain.table.visibility import seen
from services.kit.console.failure import Failure
from services.kit.store.database import Connection, Database
from services.kit.store.model import IndexRow
from services.kit.tables import facts_of, fold_rows
from services.ops.position import Position, Viewer, load, position
from services.ops.replay import lines_of
from services.ops.verification.source import Snapshot
from tests.ops.conftest import Store
from tests.ops.tables import Played, finished, running

FINISHED, RUNNING = finished(1), running(2, facts=60)


def snapshot(played: Played) -> Snapshot:
    rows = [row for append in played.appends for row in append.rows]
    index = played.appends[-1].index
    assert isinstance(index, IndexRow)
    return Snapshot(played.table.table_id, index, rows)


def as_json(shown: Position) -> Any:
    return json.loads(msgspec.json.encode(shown))


@pytest.mark.parametrize("viewer", [0, 1, 2, "spectator"])
@pytest.mark.parametrize("unit", [1, 3, 5, 12, -1])
def test_a_seat_is_shown_exactly_its_view_at_that_position(viewer: Viewer, unit: int) -> None:
    version = RUNNING.appends[unit].expected
    rows = snapshot(RUNNING).events[:version]
    table = fold_rows(RUNNING.game, Table(RUNNING.table.table_id), rows)
    seat = viewer if isinstance(viewer, int) else None
    shown = position(snapshot(RUNNING), version, viewer)
    assert shown.view == table_view(RUNNING.game, table, awaited(RUNNING.game, table), seat)
    assert [each.fact for each in shown.facts] == [
        seen(RUNNING.game, fact, seat) for _, fact in facts_of(rows)
    ]
    assert (shown.seats, shown.state, shown.seed) == ((), None, "")


def test_nobody_is_awaited_between_the_facts_of_one_command() -> None:
    ends = {append.expected for append in RUNNING.appends} | {RUNNING.table.version}
    for version in range(RUNNING.appends[2].expected, RUNNING.table.version):
        view = position(snapshot(RUNNING), version, "operator").view
        assert (view.awaited is not None) == (
            version in ends and version > RUNNING.appends[2].expected
        )


@pytest.mark.parametrize("viewer", [0, "spectator", "operator"])
def test_nobody_is_shown_the_seed_or_the_pile_of_a_running_game(viewer: Viewer) -> None:
    shown = position(snapshot(RUNNING), None, viewer)
    pile = " ".join(RUNNING.table.play.pile)
    for text in (json.dumps(as_json(shown)), "\n".join(lines_of(shown))):
        assert RUNNING.table.seed not in text
        assert pile not in text
        assert json.dumps(list(RUNNING.table.play.pile))[1:-1] not in text


def test_the_operator_sees_everything_when_the_game_is_over() -> None:
    shown = position(snapshot(FINISHED), 40, "operator")
    assert shown.seed == FINISHED.table.seed
    assert shown.state.pile
    assert shown.view.seed == ""
    assert FINISHED.table.seed in json.dumps(as_json(shown))


def test_the_operator_sees_what_every_seat_is_asked() -> None:
    shown = position(snapshot(RUNNING), None, "operator")
    assert [view.seat for view in shown.seats] == [0, 1, 2]
    assert any(view.questions for view in shown.seats)
    assert any("is asked at" in line for line in lines_of(shown))


def test_lines_are_one_a_fact_and_then_the_position() -> None:
    shown = position(snapshot(RUNNING), 30, 1)
    lines = lines_of(shown)
    assert lines[0] == f"speeddive at table {RUNNING.table.table_id}, as seat 1 p_test_2"
    assert [line.split()[0] for line in lines[1:31]] == [str(number) for number in range(1, 31)]
    assert any(line.startswith("awaited") for line in lines)


@pytest.mark.parametrize("version", [0, 61_000, -1])
def test_a_position_that_is_not_there_is_one_clear_line(version: int) -> None:
    with pytest.raises(Failure, match="positions 1 to"):
        position(snapshot(RUNNING), version, "operator")


def test_a_seat_that_is_not_there_is_one_clear_line() -> None:
    with pytest.raises(Failure, match="its seats are 0 to 2"):
        position(snapshot(RUNNING), None, 3)


async def test_damage_is_not_shown_as_if_it_had_happened(
    log_url: str, store: Store, link: Connection
) -> None:
    await store([RUNNING])
    await link.execute(
        "UPDATE stored_events SET state = convert_to(replace(convert_from(state, 'UTF8'),"
        " '\"seat\":0', '\"seat\":1'), 'UTF8') WHERE originator_id = $1",
        subjects.stream_of(RUNNING.table.table_id),
    )
    async with Database(log_url) as database:
        changed = await load(database, RUNNING.table.table_id)
    with pytest.raises(Failure, match=r"event \d+ of table .* is damaged"):
        position(changed, None, "operator")


@pytest.mark.parametrize("table", ["x", "00-" + "0" * 24])
async def test_a_table_that_is_not_there_is_one_clear_line(log_url: str, table: str) -> None:
    async with Database(log_url) as database:
        with pytest.raises(Failure, match="logbuch tables"):
            await load(database, table)
