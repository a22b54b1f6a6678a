"""One person at one table with people, over the real bus and store."""

import asyncio

import pytest

from contracts.replies import Accepted
from domain.refusals import Code, Refused
from domain.table.events import TableRules
from services.kit.client import PlayerClient
from tests.table.conftest import Sit

pytestmark = pytest.mark.usefixtures("owner")
TWO = TableRules(places=2, computers=False, thinking_s=0)


async def open_table(person: PlayerClient, rules: TableRules = TWO) -> str:
    return (await person.open("speeddive", rules, {"bilanz": False})).table


async def told(person: PlayerClient, table: str) -> str:
    """Give the table at which a person sits who wants to sit down at another."""
    with pytest.raises(Refused) as refused:
        await person.join(table)
    assert refused.value.code == Code.SEATED_ELSEWHERE
    return refused.value.hint


async def test_of_two_tables_at_once_one_gets_the_person(sit: Sit) -> None:
    """R151: and of two that he opens."""
    tables = [await open_table(await sit(f"p_{n}")) for n in range(4)]
    ben = await sit("p_ben")

    joins = [ben.join(table) for table in tables]
    opens = [ben.open("speeddive", TWO) for _ in range(4)]
    answers = await asyncio.gather(*joins, *opens, return_exceptions=True)

    (seated,) = [answer.table for answer in answers if isinstance(answer, Accepted)]
    refused = [answer for answer in answers if isinstance(answer, Refused)]
    assert [(each.code, each.hint) for each in refused] == [(Code.SEATED_ELSEWHERE, seated)] * 7
    assert (await ben.seat(seated).resume()).phase == "gathering"


async def test_whoever_gets_up_or_leaves_may_sit_down_elsewhere(sit: Sit) -> None:
    anna, ben, eve = await sit("p_anna"), await sit("p_ben"), await sit("p_eve")
    first, second = await open_table(anna), await open_table(eve)
    await ben.join(first)
    assert await told(ben, second) == first
    await ben.leave(first)
    await ben.join(second)
    assert await told(ben, first) == second
    await eve.start(second)
    assert await told(ben, first) == second

    await ben.leave(second)
    await ben.join(first)


async def test_who_plays_alone_may_sit_down_with_others(sit: Sit) -> None:
    anna, ben = await sit("p_anna"), await sit("p_ben")
    await ben.solo("speeddive", TableRules(2))
    table = await open_table(anna)
    await ben.join(table)
    await ben.solo("speeddive", TableRules(2))

    assert await told(ben, await open_table(await sit("p_eve"))) == table


async def test_test_players_sit_wherever_they_like(sit: Sit) -> None:
    anna = await sit("p_test_anna")

    assert await open_table(anna) != await open_table(anna)
