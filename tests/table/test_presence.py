"""Who falls silent is offline, the others let the computer play, and he comes back (TABLE-A08)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from contracts import subjects, topics
from domain.kernel import Chosen
from domain.refusals import Code, Refused
from domain.table.absence import OFFLINE_MS, SUBSTITUTE_MS
from domain.table.events import SeatBack, SeatOffline, SeatSubstituted, TableRules
from services.kit.client import PlayerClient
from services.kit.seen import SeenView
from services.kit.store import chain
from services.kit.store.reader import Reader
from services.ops.verification.stream import check_table
from tests.table.conftest import Own, Sit

RULES = TableRules(places=2, computers=False, thinking_s=0, tempo="sofort", strengths=("leicht",))
OF_PRESENCE = (SeatOffline, SeatBack, SeatSubstituted)

pytestmark = pytest.mark.usefixtures("bots")


async def started(anna: PlayerClient, ben: PlayerClient) -> str:
    table = (await anna.open("speeddive", RULES, {"bilanz": False})).table
    await ben.join(table)
    await anna.start(table)
    return table


async def facts(reader: Reader, table: str, *types: type) -> list[Any]:
    rows = await reader.stream(subjects.stream_of(table))
    found = [topics.decode(row.topic, chain.decode(row).data) for row in rows]
    return [fact for fact in found if isinstance(fact, types)]


async def until(person: PlayerClient, table: str, holds: Any) -> SeenView:
    view = await person.seat(table).resume()
    async with asyncio.timeout(20):
        while not holds(view):
            view = await person.seat(table).newer(view.version, 20)
    return view


async def waited_for(person: PlayerClient, other: PlayerClient, table: str) -> SeenView:
    """Play until it is the other's turn."""
    view = await person.seat(table).resume()
    while not (await other.seat(table).resume()).questions:
        view = await until(person, table, lambda view: view.questions)
        await person.move(table, view.questions[0].prompt, view.questions[0].default)
    return await person.seat(table).resume()


async def test_who_vanished_is_played_by_the_computer_until_he_is_back(
    own: Own, sit: Sit, reader: Reader, ahead: list[int]
) -> None:
    first = await own(1)
    anna, ben = await sit("p_test_anna"), await sit("p_test_ben")
    table = await started(anna, ben)
    view = await waited_for(anna, ben, table)
    mine = view.seat
    assert mine is not None
    his = 1 - mine
    with pytest.raises(Refused) as caught:
        await anna.send(table, "substitute", seat=his)
    assert caught.value.code == Code.NOT_OFFLINE

    # Nobody is offline because there was no owner: presence is counted anew from here.
    first.valid = False
    ahead[0] += OFFLINE_MS
    second = await own(2)
    await anna.seat(table).resume()
    assert not await facts(reader, table, *OF_PRESENCE)

    ahead[0] += OFFLINE_MS
    await anna.seat(table).resume()
    desk = second.service.partitions[subjects.partition_of(table)].desks[table]
    desk._woken()  # the timer's, whose clock is not ahead
    view = await until(anna, table, lambda view: view.absent)
    absent = view.absent[0]
    assert (absent.seat, absent.substituted) == (his, False)
    assert absent.substitute_from == absent.since + SUBSTITUTE_MS
    assert view.awaited is not None
    assert view.awaited.seats == (his,)
    spectator = await sit("p_test_cleo")
    assert (await spectator.seat(table).resume()).absent == view.absent
    with pytest.raises(Refused) as caught:
        await anna.send(table, "substitute", seat=his)
    assert caught.value.code == Code.TOO_EARLY

    # The mark is a fact: the next owner has it, and the five minutes go on.
    second.valid = False
    ahead[0] += SUBSTITUTE_MS
    await own(3)
    await anna.send(table, "substitute", seat=his)
    view = await until(anna, table, lambda view: view.questions)
    assert [each.substituted for each in view.absent] == [True]

    await ben.seat(table).resume()
    view = await until(anna, table, lambda view: not view.absent)
    await waited_for(anna, ben, table)
    question = (await ben.seat(table).resume()).questions[0]
    await ben.move(table, question.prompt, question.default)

    of_presence = await facts(reader, table, *OF_PRESENCE)
    assert [type(fact) for fact in of_presence] == [SeatOffline, SeatSubstituted, SeatBack]
    assert of_presence[1] == SeatSubstituted(his, "p_test_anna")
    made = {each.decided_by for each in await facts(reader, table, Chosen) if each.seat == his}
    assert made == {"substitute", "human"}
    rows = await reader.stream(subjects.stream_of(table))
    (index,) = [row for row in await reader.index_rows() if row.stream.endswith(table)]
    checked = check_table(table, index, rows)
    assert (checked.finding, checked.rules_rerun) == (None, True)
