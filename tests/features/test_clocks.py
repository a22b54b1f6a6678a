"""Clocks (TABLE-R01): deadlines that a client can show, the grace, and who decides after it.

Time stands still in here and passes by words, so that every figure is exact.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

import pytest

from contracts import subjects
from domain.table.events import TableRules, Thinking
from services.ops import explain
from tests.features.conftest import Come
from tests.features.house import House
from tests.features.people import WITHIN_S, Person, begun, is_computers
from tests.features.playing import PAUSE_S

GRACE_MS = 10_000


@pytest.fixture(autouse=True)
def still(house: House) -> Iterator[None]:
    with house.stands_still():
        yield


class Player:
    """Somebody who looks at the clock: the questions as they stand in the feed."""

    def __init__(self, person: Person, table: str) -> None:
        self.person = person
        self.table = table

    async def looks(self) -> dict[str, Any]:
        subject = subjects.command(self.person.id, self.table, "resume")
        answer = await self.person.ask(subject, command_id=self.person.client.new_id(), since=0)
        feed: dict[str, Any] = json.loads(answer)["feed"]
        return feed

    async def question(self) -> dict[str, Any]:
        """The open question, and how much time is left for it (ms)."""
        feed = await self.looks()
        (question, *_) = feed["view"]["questions"]
        left = {key: question.get(key) and question[key] - feed["now"] for key in TIMES}
        return {**question, **left}

    async def decisions(self) -> list[dict[str, Any]]:
        await self.person.client.seat(self.table).resume()
        seat = (await self.looks())["view"].get("seat", 0)
        return [each for each in self.person.facts(self.table, "Chosen") if each["seat"] == seat]


TIMES = ("deadline", "takeover")


async def asked(house: House, person: Person, thinking_s: Thinking, after: int = 0) -> Player:
    """Sit down with a computer, and let it play until the person is asked."""
    table = await begun(person, rules=TableRules(places=2, thinking_s=thinking_s))
    return await again(house, Player(person, table), after)


async def again(house: House, player: Player, after: int) -> Player:
    """Let the computer play until the person is asked something above number `after`."""
    view = await player.person.client.seat(player.table).resume()
    while not [each for each in view.questions if each.prompt > after]:
        assert not view.ended
        if is_computers(view):
            house.passes(PAUSE_S)
        view = await player.person.client.seat(player.table).newer(view.version, WITHIN_S)
    return player


@pytest.mark.parametrize("thinking_s", [30, 60, 90, 120])
async def test_after_time_and_grace_the_computer_decides_this_one_question(
    house: House, come: Come, thinking_s: Thinking
) -> None:
    player = await asked(house, await come(), thinking_s)
    question = await player.question()
    prompt = question["prompt"]
    assert question["deadline"] == thinking_s * 1_000
    assert question["takeover"] == thinking_s * 1_000 + GRACE_MS

    house.passes(thinking_s + 9.999)
    assert await player.decisions() == []
    house.passes(0.001)
    await again(house, player, prompt)

    (late,) = await player.decisions()
    assert (late["prompt"], late["decided_by"]) == (prompt, "timeout")
    question = await player.question()
    assert question["deadline"] == thinking_s * 1_000  # a fresh clock, and the seat is his
    await player.person.client.move(player.table, question["prompt"], question["default"])
    assert [each["decided_by"] for each in await player.decisions()] == ["timeout", "human"]


async def test_within_the_grace_a_person_still_answers(house: House, come: Come) -> None:
    player = await asked(house, await come(), 30)
    question = await player.question()

    house.passes(39.9)
    assert (await player.question())["deadline"] == -9_900
    await player.person.client.move(player.table, question["prompt"], question["default"])

    assert [each["decided_by"] for each in await player.decisions()] == ["human"]


async def test_without_clock_the_table_waits(house: House, come: Come) -> None:
    player = await asked(house, await come(), 0)
    question = await player.question()
    assert (question["deadline"], question["takeover"]) == (None, None)

    house.passes(24 * 3_600)

    assert await player.decisions() == []
    assert (await player.question())["prompt"] == question["prompt"]
    assert "deadline" not in (await player.looks())["view"]["awaited"]


@pytest.mark.parametrize("thinking_s", [30, 120, 0])
async def test_rods_have_45_seconds_and_no_grace(
    house: House, come: Come, thinking_s: Thinking
) -> None:
    """DRILL-R06, A05: whatever the thinking time; who has chosen keeps his choice."""
    anna, ben = await come(), await come()
    rules = TableRules(places=3, thinking_s=thinking_s, computers=False)
    people = (anna, ben, await come())
    table = await begun(*people, game="speeddrill", rules=rules, options={})
    first, second, _ = players = [Player(person, table) for person in people]
    question = await first.question()
    expected = 45_000 if thinking_s else None
    assert [question[key] for key in TIMES] == [expected, expected]
    await anna.client.move(table, question["prompt"], question["default"])

    house.passes(44.999)
    assert await second.decisions() == []
    house.passes(0.001)

    if not thinking_s:
        assert (await second.question())["kind"] == question["kind"]
        return
    await anna.until(table, lambda view: view.awaited and view.awaited.kind != question["kind"])
    by = [[each["decided_by"] for each in await player.decisions()] for player in players]
    assert by == [["human"], ["timeout"], ["timeout"]]


async def test_explain_accounts_for_every_millisecond(
    house: House, come: Come, capsys: pytest.CaptureFixture[str]
) -> None:
    player = await asked(house, await come(), 30)
    prompt = (await player.question())["prompt"]
    house.passes(40)
    await again(house, player, prompt)
    house.passes(4.321)
    question = await player.question()
    await player.person.client.move(player.table, question["prompt"], question["default"])
    capsys.readouterr()

    args = argparse.Namespace(table=player.table, topic="clock", json=True)
    assert await explain.run(args, house.settings) == 0

    account = json.loads(capsys.readouterr().out)
    spent = {(part["what"], *part["seats"]): part["ms"] for part in account["parts"]}
    mine = [each for each in account["seats"] if each["player"] == player.person.id]
    assert account["sound"]
    assert sum(spent.values()) == account["total_ms"] == account["until"] - account["opened_at"]
    assert spent["thinking", mine[0]["seat"]] == 30_000 + 4_321
    assert spent["grace", mine[0]["seat"]] == GRACE_MS
    assert (mine[0]["timeouts"], mine[0]["longest_ms"]) == (1, 40_000)
