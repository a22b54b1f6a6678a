"""Operators stop what cannot go on: over the real bus, with their own rights and nobody else's."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from contracts import subjects
from contracts.replies import Rejected, decode_reply
from deploy.embedded.supervisor import Stack
from domain.refusals import Code
from domain.table import commands as c
from domain.table.events import TableRules
from services.__main__ import _parse
from services.kit.bus import Denied
from services.kit.client import PlayerClient
from services.kit.console.failure import Failure
from services.kit.settings import Settings
from services.kit.store import chain
from services.kit.store.reader import Reader
from services.ops.table import operate, run
from services.ops.verification.stream import check_table
from services.table.deciding import actor_of
from services.table.desk import Desk
from tests.entrance import Entrance
from tests.table.conftest import Owner, Sit

RULES = TableRules(places=2, computers=False, thinking_s=0)
WHY = "Alle sind fort"


@pytest.fixture
def settings(log_url: str, stack: Stack, tmp_path: Path) -> Settings:
    return Settings(tmp_path, log_url, stack.nats_url, secrets=stack.secrets)


async def started(anna: PlayerClient, ben: PlayerClient) -> str:
    table = (await anna.open("speeddive", RULES, {"bilanz": False})).table
    await ben.join(table)
    await anna.start(table)
    return table


def desk_of(owner: Owner, table: str) -> Desk:
    return owner.service.partitions[subjects.partition_of(table)].desks[table]


async def clean(reader: Reader, table: str) -> None:
    (index,) = [row for row in await reader.index_rows() if row.stream.endswith(table)]
    checked = check_table(table, index, await reader.stream(subjects.stream_of(table)))
    assert (checked.finding, checked.rules_rerun) == (None, True)


async def test_a_stopped_table_is_resumed_and_a_running_one_voided(
    owner: Owner,
    sit: Sit,
    settings: Settings,
    reader: Reader,
    capsys: pytest.CaptureFixture[str],
) -> None:
    anna, ben = await sit("p_test_anna"), await sit("p_test_ben")
    table = await started(anna, ben)
    before = await anna.seat(table).resume()
    desk_of(owner, table)._decide(c.Suspend("a fault of the rules"), actor_of(None), None, 0)
    view = await anna.seat(table).newer(before.version, 20)
    assert (view.phase, view.questions) == ("suspended", ())

    again = ["table", "resume", table, "--why", "Ursache behoben", "--json"]
    assert await run(_parse(again), settings) == 0
    assert json.loads(capsys.readouterr().out)["done"] == "resume"
    view = await anna.seat(table).newer(view.version, 20)
    assert (view.phase, view.ended_because) == ("playing", "")
    assert view.questions == before.questions

    assert await run(_parse(["table", "void", table, "--why", WHY]), settings) == 0
    assert "void" in capsys.readouterr().out
    view = await anna.seat(table).newer(view.version, 20)
    assert (view.phase, view.ended_because) == ("voided", WHY)
    assert view.ended
    with pytest.raises(Failure, match="over"):
        await operate(settings, table, "void", WHY)

    rows = await reader.stream(subjects.stream_of(table))
    assert {chain.decode(row).by for row in rows[-2:]} == {"ops"}
    await clean(reader, table)
    assert await anna.send(table, "log", since=0), "the log is open, as after every end"


async def test_a_table_that_nobody_has_in_memory(
    owner: Owner, sit: Sit, settings: Settings, reader: Reader
) -> None:
    anna = await sit("p_test_anna")
    table = await started(anna, await sit("p_test_ben"))
    before = await anna.seat(table).resume()
    desk = desk_of(owner, table)
    desk._decide(c.Suspend("a fault of the rules"), actor_of(None), None, 0)
    await anna.seat(table).newer(before.version, 20)
    desk.close()

    await operate(settings, table, "resume", WHY)

    assert desk_of(owner, table)._loaded.table.phase == "playing"
    await clean(reader, table)


@pytest.mark.usefixtures("owner")
async def test_only_operators_may_and_they_may_nothing_else(sit: Sit, entrance: Entrance) -> None:
    anna, ben = await sit("p_test_anna"), await sit("p_test_ben")
    table = await started(anna, ben)
    body = msgspec.json.encode({"command_id": "operators-1", "why": WHY})
    ops, master = await entrance.service("ops"), await entrance.master("p_test_anna")

    for verb in ("void", "unsuspend"):
        for player in ("p_test_anna", "ops"):
            with pytest.raises(Denied):
                await anna.bus.request(subjects.command(player, table, verb), body, 5)
        # Even who may send it is no operator under a player's name.
        answer = decode_reply(
            await master.request(subjects.command("p_test_anna", table, verb), body, 5)
        )
        assert isinstance(answer, Rejected)
        assert answer.code == Code.MALFORMED
    leave = msgspec.json.encode({"command_id": "operators-2"})
    for player, verb in (("ops", "leave"), ("p_test_anna", "leave"), ("p_test_anna", "void")):
        with pytest.raises(Denied):
            await ops.request(subjects.command(player, table, verb), leave, 5)
    assert (await ben.seat(table).resume()).phase == "playing"


async def test_wrong_words_are_one_line(settings: Settings) -> None:
    with pytest.raises(Failure, match="no table id"):
        await operate(settings, "x", "void", WHY)
    with pytest.raises(Failure, match="empty"):
        await operate(settings, "07-0123456789abcdef01234567", "void", " ")
