"""How it is judged what a curious player heard: each check fails when it must."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import msgspec
import pytest

from contracts.subjects import inbox
from deploy.embedded.supervisor import Stack
from domain.table import commands as c
from services.kit.bus import Message
from services.kit.client import Ack
from services.kit.settings import Settings
from services.ops.trials import curious as trial
from services.ops.trials.curiosity import (
    verdict,
    web,
)
from services.ops.trials.curiosity.hidden import Stored, of_hands
from services.ops.trials.curiosity.judging import (
    Secret,
    astray,
    fits,
    may_hear,
    secrets_in,
)
from services.ops.trials.curiosity.victims import CHAT
from services.ops.trials.curiosity.wire import Heard
from services.ops.trials.report import Sheet
from tests.entrance import Entrance
from tests.ops.staged import ME, SCENE, TABLE, stage
from tests.ops.tables import Played


def heard_by(*heard: Heard) -> Any:
    return SimpleNamespace(heard=list(heard))


def test_which_subjects_a_pattern_has() -> None:
    assert fits("view.*.x", "view.p_a.x")
    assert fits("_INBOX.p_a.>", "_INBOX.p_a.b.c")
    assert fits(">", "a")
    for pattern, subject in (
        ("view.*.x", "view.p_a.y"),
        ("view.*", "view.p_a.x"),
        ("view.*.x", "view.p_a"),
        ("_INBOX.p_a.>", "_INBOX.p_a"),
        ("_INBOX.p_a.>", "_INBOX.p_ab.c"),
        ("a", "A"),
    ):
        assert not fits(pattern, subject), (pattern, subject)


def test_what_he_may_hear() -> None:
    own = (f"view.{ME}.{TABLE}", f"watch.{TABLE}", f"chatline.watch.{TABLE}", f"{inbox(ME)}.a.b")
    for subject in (*own, "lobby.change", f"chatline.{ME}.{TABLE}"):
        assert may_hear(ME, subject)
    for subject in (f"view.p_anna.{TABLE}", f"{inbox('p_anna')}.a", "bot.prompt", f"log.x.{TABLE}"):
        assert not may_hear(ME, subject)
        sheet = Sheet("curious")
        verdict._judge_subjects(stage(curious=heard_by(Heard(subject, b""))), sheet)
        assert subject in {each.where for each in sheet.report().findings}


def test_that_he_hears_nothing_at_all_is_no_success() -> None:
    sheet = Sheet("curious")
    verdict._judge_subjects(stage(curious=heard_by()), sheet)
    assert len(sheet.report().findings) == 5


def test_a_secret_is_found_in_any_message_and_what_the_end_reveals_until_then() -> None:
    seed, salt = Secret("seed", b"s" * 64, until_the_end=True), Secret("salt", b"t" * 32)
    before = Heard("watch.x", b'{"view":{"phase":"playing"}}')
    ended = Heard("watch.x", b'{"view":{"phase":"finished","seed":"%s"}}' % seed.text)
    assert secrets_in([before, ended], [seed, salt]) == []
    for leak in (before._replace(data=seed.text), ended._replace(data=ended.data + salt.text)):
        ((secret, where),) = secrets_in([before, leak, ended], [seed, salt])
        assert where == leak
        assert secret.text in leak.data
    assert secrets_in([before._replace(data=salt.text[:16]), before], [salt]) == []


def test_what_went_astray() -> None:
    def is_astray(subject: str, data: bytes) -> bool:
        return astray(Message(subject, data, ""), ME, SCENE.mark)

    mark, answer = SCENE.mark, b'{"type":"rejected"}'
    for subject, data in (
        (f"{inbox('p_anna')}.{mark}", b"{}"),
        (f"view.p_anna.{TABLE}", answer),
        (f"watch.{TABLE}", answer),
        (f"cmd.p_anna.07.{TABLE}.leave", answer),
        (f"cmd.p_anna.07.{TABLE}.leave", mark.encode()),
        ("bot.prompt", answer),
        (f"$JS.API.STREAM.INFO.{mark}", b""),
    ):
        assert is_astray(subject, data), subject
    for subject, data in (
        (f"{inbox(ME)}.{mark}", answer),
        (f"{inbox('p_anna')}.a.1", answer),
        (f"cmd.{ME}.07.{TABLE}.move", mark.encode()),
        (f"view.p_anna.{TABLE}", b'{"table":"x","facts":[{"type":"CardDrawn"}]}'),
        ("lobby.change", b'{"type":"lobby_change"}'),
    ):
        assert not is_astray(subject, data), subject


def test_a_listener_that_is_deaf_is_no_success() -> None:
    sheet = Sheet("curious")
    verdict._judge_strays(stage(), sheet)
    assert len(sheet.report().findings) == 9


def logged(game: str) -> tuple[Played, Stored]:
    """A table as it stands in the log, some moves into its game."""
    played = Played(3, people=2, seats=2, game=game)
    played.do(played.opener, c.Open(game, {}, played.rules))
    played.do(played.players[1], c.Join())
    played.do(played.opener, c.Start())
    for _ in range(6):
        played.step()
    return played, Stored(TABLE, [row for append in played.appends for row in append.rows])


def test_every_kind_of_secret_is_looked_for_and_found() -> None:
    _, log = logged("snorkeling")
    hands = of_hands(log, ())
    secrets = [*hands, *log.secrets()]
    assert {each.what.partition(" of ")[0] for each in secrets} == {
        *("a hand", "the salt", "the house's seed", "the pile")
    }
    credentials = SimpleNamespace(issuer="i" * 20, tickets="t" * 20, passwords={"ops": "o" * 20})
    for secret in (hands[0], secrets[-1], Secret("", b"o" * 20), Secret("", b"cookie-of-anna")):
        sheet = Sheet("curious")
        leak = Heard(f"watch.{TABLE}", b'{"x":%s}' % secret.text)
        verdict._judge_secrets(
            stage(
                curious=heard_by(leak),
                victims=(),
                private=(("a victim's cookie", "cookie-of-anna"),),
                settings=SimpleNamespace(credentials=credentials),
            ),
            sheet,
            log,
            log,
        )
        told = [each for each in sheet.report().findings if leak.subject in each.where]
        assert told, secret.what


def victim_of(played: Played, log: Stored) -> Any:
    """A victim who has made all his moves himself, and seen everything."""
    mine = [
        number
        for number, fact in enumerate(log.facts, 1)
        if getattr(fact, "decided_by", "") == "human" and fact.seat == 0
    ]
    assert mine
    seat = SimpleNamespace(complete=True, facts=log.facts)
    return SimpleNamespace(
        player=played.players[0],
        client=SimpleNamespace(
            acks=[Ack("move", TABLE, number, number, "") for number in mine],
            seat=lambda _: seat,
        ),
        moves=len(mine),
        refused=[],
        lines=[json.dumps(line, ensure_ascii=False).encode() for line in CHAT],
    )


def test_how_a_victim_must_have_fared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.ops.trials.curiosity.verdict.HELD_AT", 0)
    played, log = logged("snorkeling")

    def findings(victim: Any) -> int:
        sheet = Sheet("curious")
        verdict._judge_victim(sheet, log, 0, victim)
        return len(sheet.report().findings)

    assert findings(victim_of(played, log)) == 0
    forged, lost, blind = (victim_of(played, log) for _ in range(3))
    forged.client.acks.pop()
    lost.moves += 1
    blind.client.seat = lambda _: SimpleNamespace(complete=False, facts=[])
    refused, deaf = victim_of(played, log), victim_of(played, log)
    refused.refused.append("not_seated")
    deaf.lines.append(b"who is that?")
    for victim in (forged, lost, blind, refused, deaf):
        assert findings(victim) == 1


async def test_how_the_victims_game_must_have_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    missing: list[Ack] = []

    async def missing_acks(_url: str, _acks: list[Ack]) -> list[Ack]:
        return missing

    monkeypatch.setattr(verdict, "missing_acks", missing_acks)
    _, log = logged("snorkeling")
    settings = SimpleNamespace(database_url="")

    async def findings(phases: list[str], me: str = ME) -> int:
        sheet = Sheet("curious")
        scene = msgspec.structs.replace(SCENE, me=me)
        set_up = stage(victims=(), settings=settings, scene=scene)
        await verdict._judge_game(set_up, sheet, log, phases)
        return len(sheet.report().findings)

    assert await findings(["finished", "finished"]) == 0
    assert await findings(["finished", "suspended"]) == 1
    assert await findings(["finished"], me="p_test_1") == 1
    missing.append(Ack("move", TABLE, 5, 5, ""))
    assert await findings(["finished"]) == 1


async def test_a_listener_who_does_not_hear_is_found(
    stack: Stack, entrance: Entrance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdict, "CONTROL_S", 0.3)
    settings = Settings(stack.data, "", stack.nats_url, secrets=stack.secrets)
    deaf = SimpleNamespace(subscribe=AsyncMock())
    for listener, ok in ((await entrance.service("canary"), True), (deaf, False)):
        sheet = Sheet("curious")
        await verdict._control_listener(stage(settings=settings, listener=listener), sheet)
        assert sheet.report().ok == ok


async def test_a_page_that_is_shown_to_anybody_is_found() -> None:
    for status, content, ok in (
        (401, b"no", True),
        (200, b"welcome", False),
        (401, b"Set-Cookie: logbuch_session=x", False),
    ):

        async def send(_: web.Request, got: tuple[int, bytes] = (status, content)) -> Any:
            return got

        sheet = Sheet("curious")
        raw = SimpleNamespace(send=send)
        request = web.Request("who am I", "GET", "/api/me", (401,))
        await trial._request(stage(curious=heard_by(), raw=raw), sheet, request)
        assert sheet.report().ok == ok
