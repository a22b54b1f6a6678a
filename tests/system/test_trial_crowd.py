"""A small crowd on a real system, and that what is checked after it can fail."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import psycopg
from msgspec.structs import replace

from contracts.leaderboard import LeaderboardLine
from domain.table.events import TableRules
from services.kit.client import Ack, PlayerClient
from services.kit.settings import Settings
from services.ops.players import door
from services.ops.trials.crowd_checks import Evidence, check, wait_for_the_end
from services.ops.trials.crowd_kills import PROGRAMS
from services.ops.trials.crowd_visitor import Heard
from services.ops.trials.report import Sheet
from tests.system.conftest import System

ANNA = "p_test_crowd_anna"
CROWD = ("--people", "16", "--tables", "5", "--minutes", "0.3", "--seed", "5")


def run(system: System, *words: str) -> Any:
    return system.run("trial", "crowd", *words, timeout=240)


async def nowhere(_player: str, _game: str) -> LeaderboardLine | None:
    return None


async def found(settings: Settings, evidence: Evidence) -> set[str]:
    """What is wrong about the evidence."""
    sheet = Sheet("crowd")
    await check(evidence, settings, nowhere, sheet, within_s=0)
    return {each.what for each in sheet.report().findings}


def give(settings: Settings, player: str, taler: int) -> None:
    with closing(psycopg.connect(settings.database_url, autocommit=True)) as link:
        change = "UPDATE ledger_accounts SET balance = balance + %s WHERE account = %s"
        assert link.execute(change, [taler, player]).rowcount == 1


def test_a_small_crowd_loses_nothing_whatever_is_killed(system: System) -> None:
    report = run(system, *CROWD)

    assert report["failed"] == 0, report["findings"]
    assert report["passed"] > 40
    assert report["figures"]["kills"] == ", ".join(PROGRAMS)
    assert "p99" in report["figures"]["answers"]


def test_nothing_is_killed_where_that_is_not_wanted(system: System) -> None:
    words = ("--people", "4", "--tables", "2", "--minutes", "0.05", "--no-kills")

    report = run(system, *words)

    assert report["failed"] == 0, report["findings"]
    assert report["figures"]["kills"].startswith("none")


async def test_every_check_fails_when_it_must(system: System) -> None:
    settings = Settings.load(system.data)
    rules = TableRules(places=2, thinking_s=0, tempo="sofort", stake=10, min_game_s=0)
    async with door(settings) as entrance:
        bus = await entrance.connect(ANNA)
        async with PlayerClient(bus, ANNA) as anna:
            table = (await anna.open("speeddive", rules, {"target": 100})).table
            await anna.start(table)
            view = await anna.seat(table).newer(0, 30)
            while view.phase != "playing":
                view = await anna.seat(table).newer(view.version, 30)
            await anna.seat(table).resume()
            heard = b"".join(bytes.fromhex(fact.hash) for fact in anna.seat(table).facts)
            told = Evidence(
                frozenset({table}),
                (ANNA,),
                anna.acks,
                [Heard(ANNA, table, heard, to_the_end=False)],
            )

            playing = await found(settings, told)
            give(settings, ANNA, 1)
            lost = Ack("move", table, 3, 4, "00" * 32)
            wrong = told._replace(
                acks=[*anna.acks, lost],
                heard=[Heard(ANNA, table, bytes(32) + heard[32:], to_the_end=False)],
            )
            falsified = await found(settings, wrong)
            give(settings, ANNA, -1)

            with_another = await anna.open("speeddive", replace(rules, stake=0, computers=False))
            ben = await entrance.connect("p_test_crowd_ben")
            async with PlayerClient(ben, "p_test_crowd_ben") as other:
                await other.join(with_another.table)
                await anna.start(with_another.table)
                await anna.leave(with_another.table)
                await other.leave(with_another.table)
            await anna.leave(table)
            both = frozenset({table, with_another.table})
            await wait_for_the_end(settings.database_url, both)
            ended = await found(settings, Evidence(both, (ANNA,), anna.acks, []))
            early = [Heard(ANNA, table, heard, to_the_end=True)]
            deaf = await found(settings, Evidence(both, (), anna.acks, early))

    assert playing == {"the table has ended", "the pot is empty"}
    stored = {"what was acknowledged is stored", "what was heard is stored"}
    assert falsified == {*playing, *stored, "ledger check"}
    assert ended == {"leaderboard"}, "he left others, and the board is said not to know"
    assert deaf == {"what was heard is stored"}


async def test_what_is_nowhere_must_not_have_been_acknowledged(system: System) -> None:
    nothing = "07-" + "0" * 24
    settings = Settings.load(system.data)

    never = await found(settings, Evidence(frozenset({nothing}), (), [], []))
    gone = await found(
        settings, Evidence(frozenset({nothing}), (), [Ack("open", nothing, 1, 3, "00" * 32)], [])
    )

    assert never == set()
    assert gone == {"the table has ended", "what was acknowledged is stored"}
