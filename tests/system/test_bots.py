"""Computers of the whole system: killed again and again, and their decisions run again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, LiteralString

import psycopg
import pytest

from contracts.subjects import stream_of
from contracts.views import Question, questions_of
from deploy.embedded.process import command_of
from domain.games import GAMES
from domain.kernel import Chosen
from domain.table.decider import awaited
from domain.table.state import Table, fold
from services.bot.strategies import COMPUTERS, DEFAULT
from services.bot.strategies.strategy import Strategy
from services.kit.settings import Settings
from services.kit.store.database import Database
from services.kit.store.reader import Reader
from services.kit.tables import facts_of, game_of_rows
from tests.system.conftest import System, finish, wait_until

KILLS = 20
WORK = 5
"""So many decisions are stored before the next kill."""


async def facts(system: System, table: str) -> list[tuple[int, Any]]:
    async with Database(Settings.load(system.data).database_url) as database:
        rows = await Reader(database).stream(stream_of(table))
    game_of_rows(rows)
    return list(facts_of(rows))


class Evening:
    """Simulations one after the other, as long as somebody looks."""

    def __init__(self, system: System, *words: str) -> None:
        self.reports: list[dict[str, Any]] = []
        self._system, self._words = system, words
        self._running = system.begin(*words)
        self._link = psycopg.connect(Settings.load(system.data).database_url, autocommit=True)

    def position(self) -> int:
        """How long the log is."""
        (found,) = self._ask("SELECT coalesce(max(notification_id), 0) FROM stored_events")
        return found

    def decided(self, since: int) -> int:
        """How many decisions of the bot services are stored after a position."""
        if self._running.poll() is not None:
            self.reports.append(finish(self._running))
            self._running = self._system.begin(*self._words)
        (found,) = self._ask(
            "SELECT count(*) FROM log_readable WHERE position > %s AND by = 'bot'"
            " AND topic LIKE '%%.Chosen.%%'",
            since,
        )
        return found

    def end(self) -> None:
        self.reports.append(finish(self._running))
        self._link.close()

    def _ask(self, sql: LiteralString, *args: int) -> tuple[int]:
        row = self._link.execute(sql, args).fetchone()
        assert row is not None
        return (int(row[0]),)


def thinkers_of(pid: int) -> list[int]:
    said = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in said.splitlines()]
    return [child for child, parent in pairs if parent == pid and is_thinker(child)]


def is_thinker(pid: int) -> bool:
    return "services.bot.thinker" in command_of(pid)


def kill_at_work(system: System, evening: Evening) -> list[int]:
    """Start a bot service, kill all in the midst of work; gives the thinkers that they had."""
    bot, since = system.service("bot"), evening.position()
    wait_until("it has thinkers", lambda: thinkers_of(bot.pid) != [])
    wait_until("decisions are stored", lambda: evening.decided(since) > WORK)
    had = []
    # The supervisor starts its own again, and less and less often.
    for pid in (bot.pid, system.pid("bot")):
        had += thinkers_of(pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return had


async def test_killing_the_bot_services_twenty_times_costs_nothing_but_time(
    system: System,
) -> None:
    simulate = ("simulate", "--game", "speeddrill", "--tables", "16", "--seats", "3")
    evening = Evening(system, *simulate, "--strength", "stark", "--seed", "71")

    thinkers = [pid for _ in range(KILLS) for pid in kill_at_work(system, evening)]

    system.service("bot")
    evening.end()
    wait_until("no thinker outlives its service", lambda: not any(map(is_thinker, thinkers)))
    assert len(thinkers) >= KILLS
    for report in evening.reports:
        assert (report["finished"], report["errors"]) == (16, 0)
        assert report["acks_missing"] == 0
        for table in report["tables"]:
            chosen = [fact for _, fact in await facts(system, table) if isinstance(fact, Chosen)]
            answered = [(each.seat, each.prompt, each.part) for each in chosen]
            assert len(answered) == len(set(answered))
    assert system.run("verify", "--all")["findings"] == []


def decisions(
    game_name: str, table_id: str, facts: list[tuple[int, Any]]
) -> Iterator[tuple[Any, Question, Chosen[Any]]]:
    """Each decision of a computer, with what its seat saw and was asked before it."""
    game, table = GAMES[game_name], Table(table_id)
    for dated in facts:
        _, fact = dated
        if isinstance(fact, Chosen) and fact.decided_by != "human":
            questions = questions_of(game, table, awaited(game, table), fact.seat)
            (question,) = [
                each for each in questions if (each.prompt, each.part) == (fact.prompt, fact.part)
            ]
            yield game.view(table.play, fact.seat), question, fact
        table = fold(game, table, [dated])


def named(game: str, name: str, version: int) -> Strategy:
    known = [DEFAULT, *COMPUTERS[game].strengths.values()]
    return next(each for each in known if (each.name, each.version) == (name, version))


@pytest.mark.parametrize("game", list(GAMES))
async def test_every_decision_of_a_computer_is_run_again_from_the_log(
    system: System, game: str
) -> None:
    simulate = ("simulate", "--game", game, "--tables", "3", "--seats", "4", "--seed", "72")
    report = system.run(*simulate, "--strength", "leicht,normal,stark")

    seen = set()
    for table in report["tables"]:
        log = await facts(system, table)
        for view, question, chosen in decisions(game, table, log):
            strategy = named(game, chosen.strategy, chosen.strategy_version)
            rng = random.Random(chosen.rng_seed)
            assert strategy.choose(view, question, rng) == chosen.move
            seen.add(chosen.strategy)
    assert seen >= {each.name for each in COMPUTERS[game].strengths.values()}
