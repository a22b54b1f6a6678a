"""Thinkers as real processes, with strategies that misbehave in every way."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from contracts.prompts import decode_prompt
from services.bot import thinkers as module
from services.bot.deciding import Thought
from services.bot.thinker import frame
from services.bot.thinkers import Busy, CutOff, Thinkers
from tests.bot import odd_thinker as odd
from tests.bot.tables import prompt

ROOT = Path(__file__).parents[2]
ARGV = (sys.executable, "-m", "tests.bot.odd_thinker")
MOVES = decode_prompt(prompt()).question.options.moves


async def think(pool: Thinkers, number: int, *, explain: bool = False) -> Thought:
    until = asyncio.get_running_loop().time() + 60
    return await pool.think(prompt(number, strength="stark"), until, explain=explain)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - the children have no event for it
            await asyncio.sleep(0.01)


@pytest.fixture
async def pool(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Thinkers]:
    monkeypatch.chdir(ROOT)
    async with Thinkers(1, ARGV) as pool:
        yield pool


async def test_a_decision_comes_from_the_child(pool: Thinkers) -> None:
    thought = await think(pool, odd.GOOD)

    assert thought == Thought(msgspec.Raw(msgspec.json.encode(MOVES[-1])), "odd", 5)


async def test_a_reason_comes_with_it_when_it_is_wanted(pool: Thinkers) -> None:
    thought = await think(pool, odd.GOOD, explain=True)

    assert thought.reason == f"{type(MOVES[-1]).__name__} bei Frage {odd.GOOD}."


async def test_who_asks_first_is_answered_first(pool: Thinkers) -> None:
    answered: list[int] = []

    async def ask(number: int) -> None:
        await think(pool, number)
        answered.append(number)

    numbers = range(20, 40)
    await asyncio.gather(*map(ask, numbers))

    assert answered == list(numbers)


@pytest.mark.parametrize("number", [odd.FAILS, odd.NOT_OFFERED])
async def test_a_strategy_that_fails_gives_the_default_and_quotes_nothing(
    pool: Thinkers, number: int
) -> None:
    thought = await think(pool, number, explain=True)

    default = decode_prompt(prompt()).question.default
    assert bytes(thought.move) == msgspec.json.encode(default)
    assert (thought.strategy, thought.version) == ("default", 1)
    assert thought.reason == f"{type(default).__name__} bei Frage {number}."
    assert len(thought.troubles) == 1
    assert odd.SECRET not in repr(thought)
    assert (await think(pool, odd.GOOD)).strategy == "odd"


@pytest.mark.parametrize(
    ("number", "why"),
    [(odd.RUNS_WILD, "late"), (odd.DIES, "died"), (odd.STANDS_STILL, "late")],
)
async def test_a_child_that_does_not_answer_is_replaced(
    pool: Thinkers, number: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STANDSTILL_S", 0.2 if number == odd.STANDS_STILL else 20)
    await think(pool, odd.GOOD)  # it runs: only what follows is cut off

    with pytest.raises(CutOff) as cut, capture_logs() as lines:
        await think(pool, number)

    assert cut.value.why == why
    assert (await think(pool, odd.GOOD)).strategy == "odd"
    assert odd.SECRET not in repr(lines)


async def test_what_a_strategy_prints_is_no_answer(pool: Thinkers) -> None:
    assert (await think(pool, odd.PRINTS)).strategy == "odd"
    assert (await think(pool, odd.GOOD)).strategy == "odd"


async def test_nobody_waits_longer_than_he_wants_to(pool: Thinkers) -> None:
    await think(pool, odd.GOOD)
    wild = asyncio.create_task(think(pool, odd.RUNS_WILD))
    await asyncio.sleep(0)  # it has the only child

    with pytest.raises(Busy):
        await pool.think(prompt(), asyncio.get_running_loop().time(), explain=False)

    with pytest.raises(CutOff):
        await wild


async def test_who_gives_up_leaves_no_answer_for_the_next(pool: Thinkers) -> None:
    await think(pool, odd.GOOD)
    given_up = asyncio.create_task(think(pool, 98))
    await asyncio.sleep(0)
    given_up.cancel()

    thought = await think(pool, 99, explain=True)

    assert "99" in thought.reason


async def test_an_idle_child_that_dies_is_replaced(pool: Thinkers) -> None:
    await think(pool, odd.GOOD)
    idle = pool._idle[0]
    idle.kill()
    await idle.ended()

    assert (await think(pool, odd.GOOD)).strategy == "odd"


async def test_no_child_is_left_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    async with Thinkers(2, ARGV) as pool:
        await asyncio.gather(*(think(pool, odd.GOOD) for _ in range(2)))
        await until(lambda: len(pool._idle) == 2)
        children = list(pool._idle)
        wild = asyncio.create_task(think(pool, odd.RUNS_WILD))
        await asyncio.sleep(0)

    assert not any(child.lives for child in children)
    with pytest.raises(CutOff):
        await wild


async def test_a_thinker_that_cannot_start_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(module, "AGAIN_S", 0.0)
    with capture_logs() as lines:
        async with Thinkers(1, (sys.executable, "-c", "")) as pool:
            await until(lambda: len(lines) > 1)
            pool._argv = ARGV

            assert (await think(pool, odd.GOOD)).strategy == "odd"

    assert {line["event"] for line in lines} == {"thinker_not_started"}


def begun() -> subprocess.Popen[bytes]:
    """A thinker that has said that it is ready."""
    child = subprocess.Popen(ARGV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    assert child.stdout is not None
    assert child.stdout.read(4) == frame(b"")
    return child


def test_a_thinker_ends_with_its_input() -> None:
    child = begun()

    child.communicate()

    assert child.returncode == 0


def test_a_thinker_runs_no_longer_than_its_limit_without_a_parent() -> None:
    child = begun()
    assert child.stdin is not None
    child.stdin.write(frame(b"\0" + prompt(odd.RUNS_WILD, strength="stark")))
    child.stdin.close()

    assert child.wait() == -signal.SIGPROF


def test_a_thinker_whose_answer_nobody_reads_ends_in_silence() -> None:
    child = subprocess.Popen(
        ARGV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.read(4)
    child.stdout.close()
    assert child.stdin is not None
    child.stdin.write(frame(b"\0" + prompt(odd.GOOD, strength="stark")))
    child.stdin.flush()

    assert child.wait() == 0
    assert child.stderr.read() == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_thinker_goes_on_while_its_service_drains(number: signal.Signals) -> None:
    child = begun()
    os.kill(child.pid, number)

    said, _ = child.communicate(frame(b"\0" + prompt(odd.GOOD, strength="stark")))

    assert child.returncode == 0
    assert b'"odd"' in said


def test_a_thinker_that_fails_quotes_nothing() -> None:
    child = subprocess.Popen(
        ARGV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )

    _, said = child.communicate(frame(b"\0" + odd.SECRET.encode()))

    assert child.returncode == 1
    assert said.startswith(b"thinker: PromptError at ")
    assert odd.SECRET.encode() not in said
