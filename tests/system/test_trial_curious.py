"""The curious player finds nothing in our system, and finds every right that is too wide."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import cast

import pytest

from contracts.gateway import Session
from contracts.subjects import inbox
from deploy.embedded.supervisor import Stack
from services.gateway import callout
from services.kit.bus import Message
from services.kit.settings import Settings
from services.ops.trials.curiosity import (
    asking,
    door,
    flooding,
    listening,
    player,
    speaking,
    verdict,
)
from services.ops.trials.curiosity.judging import (
    fits,
)
from services.ops.trials.curiosity.player import Curious
from services.ops.trials.curiosity.probes import Probe
from services.ops.trials.curiosity.victims import Victim
from services.ops.trials.report import Sheet
from tests.entrance import Entrance
from tests.ops.staged import ME, SCENE, stage
from tests.system.conftest import System


def test_he_gets_nothing_from_our_system(system: System) -> None:
    report = system.run("trial", "curious", timeout=180)

    assert report["findings"] == []
    assert report["failed"] == 0
    assert report["passed"] > 600
    groups = {
        name: int(count.replace(",", ""))
        for name, count in report["figures"].items()
        if name.endswith(" probes")
    }
    assert groups.pop("all probes") == sum(groups.values()) > 500
    assert len(groups) == 11
    assert min(groups["subscribe probes"], groups["publish probes"]) > 60


# What he tries on the bus, before a server whose rights the test chooses


@pytest.fixture
async def curious(
    stack: Stack, entrance: Entrance, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Curious]:
    monkeypatch.setattr(player, "ANSWER_S", 0.3)
    where = Settings(stack.data, "", stack.nats_url, "http://x", stack.socket_url)
    session = Session(ME, "Eve", "guest", entrance.ticket(ME), 0, stack.socket_url, inbox(ME))
    curious = Curious(where, session)
    yield curious
    await curious.go()


async def found(curious: Curious, probes: list[Probe]) -> list[Probe]:
    """The attempts that were not refused."""
    await curious.come()
    outcomes = [await curious.attempt(probe) for probe in probes]
    return [
        probe
        for probe, outcome in zip(probes, outcomes, strict=True)
        if not any(expected.fits(outcome) for expected in probe.expected)
    ]


def widened(monkeypatch: pytest.MonkeyPatch, name: str, subject: str) -> None:
    """Let the gateway sign one more right."""
    rights: Callable[[str], tuple[str, ...]] = getattr(callout, name)
    monkeypatch.setattr(callout, name, lambda player: (*rights(player), subject))


async def test_with_the_rights_of_players_he_may_nothing_of_all_that(curious: Curious) -> None:
    assert await found(curious, [*listening.probes(SCENE), *speaking.publishing(SCENE)]) == []


@pytest.mark.parametrize(
    "right", ["view.*.*", "_INBOX.*.>", "bot.prompt", "chatline.>", "log.*.*", "$SRV.>", ">"]
)
async def test_he_finds_a_right_to_hear_that_is_too_wide(
    curious: Curious, monkeypatch: pytest.MonkeyPatch, right: str
) -> None:
    widened(monkeypatch, "may_subscribe", right)

    holes = await found(curious, list(listening.probes(SCENE)))

    assert right in {probe.subject for probe in holes}


@pytest.mark.parametrize(
    "right",
    ["view.*.*", "_INBOX.*.>", "cmd.*.*.*.move", "$JS.API.>", "log.*.*", "names.*.get", ">"],
)
async def test_he_finds_a_right_to_say_that_is_too_wide(
    curious: Curious, monkeypatch: pytest.MonkeyPatch, right: str
) -> None:
    widened(monkeypatch, "may_publish", right)

    holes = await found(curious, list(speaking.publishing(SCENE)))

    assert holes
    assert all(fits(right, probe.subject) for probe in holes)


async def test_he_finds_a_service_that_answers_where_he_wants(
    curious: Curious, entrance: Entrance
) -> None:
    service, listener = await entrance.master("lobby"), await entrance.master("spy")
    heard: list[Message] = []
    await listener.subscribe(">", heard.append)
    answer = b'{"type":"open_tables"}'
    await service.subscribe("lobby.*.list", lambda asked: service.publish(asked.reply, answer))
    probes = [each for each in speaking.replying(SCENE) if each.subject.startswith("lobby.")]

    holes = await found(curious, probes)

    assert holes == probes
    sheet = Sheet("curious")
    verdict._judge_strays(stage(everything=heard), sheet)
    gone = {each.where for each in sheet.report().findings}
    assert {probe.reply for probe in probes} <= gone


async def test_he_finds_a_service_that_takes_what_is_not_his(
    curious: Curious, entrance: Entrance
) -> None:
    service = await entrance.master("table")
    answer = b'{"type":"accepted"}'
    await service.subscribe(f"cmd.{ME}.>", lambda asked: service.publish(asked.reply, answer))
    probes = [
        each
        for each in (*asking.not_his(SCENE), *asking.strange(SCENE), *asking.payloads(SCENE))
        if each.subject.startswith("cmd.") and each.expected[0].kind != "cut"
    ]

    assert await found(curious, probes) == probes


async def test_he_comes_in_with_no_ticket_but_his_own(curious: Curious, entrance: Entrance) -> None:
    """The door of these tests knows no sessions, so a ticket that is truly signed is enough."""
    ticket = entrance.ticket(ME)
    attempts = list(door.attempts(SCENE, ticket, ("x" * 43,), entrance.credentials))
    said = {each.what: await curious.enter(each.options, each.path) for each in attempts}

    assert [what for what, words in said.items() if not words] == [
        "a true one of a victim with his session"
    ]
    assert await curious.enter({"auth_token": entrance.ticket(ME)}) == ""
    for each in attempts:
        if said[each.what]:
            assert any(words in said[each.what].lower() for words in each.refused), said[each.what]


@pytest.mark.parametrize("fast", [True, False])
async def test_a_flood_must_be_stopped(curious: Curious, entrance: Entrance, *, fast: bool) -> None:
    service = await entrance.master("table")
    taken = iter(range(flooding.COMMANDS))

    def answer(asked: Message) -> None:
        refused = fast and next(taken) >= flooding.BURST
        code = b'{"type":"rejected","code":"too_fast"}' if refused else b'{"type":"resumed"}'
        service.publish(asked.reply, code)

    async def resume() -> None:
        await asyncio.sleep(0)

    await service.subscribe(f"cmd.{ME}.>", answer)
    client = SimpleNamespace(
        counts=SimpleNamespace(repeats=0), seat=lambda _: SimpleNamespace(resume=resume)
    )
    victim = cast(Victim, SimpleNamespace(client=client))
    await curious.come()
    sheet = Sheet("curious")

    await flooding._commands(curious, SCENE, (victim, victim), sheet)

    assert sheet.report().ok == fast
