"""`logbuch explain TABLE clock` accounts for every millisecond (TABLE-R01)."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from domain.games import GAMES
from domain.kernel import Pause
from domain.options import sample
from domain.table import commands as c
from domain.table import events as e
from domain.table.absence import OFFLINE_MS, SUBSTITUTE_MS
from domain.table.clocks import stand_in
from domain.table.state import attending
from services.__main__ import _parse
from services.kit.console.failure import Failure
from services.kit.settings import Settings
from services.ops.explain import run
from services.ops.explanation.clock import ClockAccount, Part, lines
from services.ops.explanation.reckoning import account
from services.ops.explanation.story import Line, Story
from tests.domain.table.playing import START, TABLE, Spec
from tests.ops.conftest import Store
from tests.ops.tables import finished, running


def story_of(spec: Spec) -> Story:
    told = [
        Line(number, number, at, fact)
        for number, ((at, *_), fact) in enumerate(zip(spec.stored, spec.facts, strict=True), 1)
    ]
    return Story(TABLE, spec.facts[0], tuple(told), ())


def explained(spec: Spec) -> ClockAccount:
    found = account(story_of(spec), spec.now)
    assert found.sound
    assert sum(part.ms for part in found.parts) == found.total_ms == spec.now - found.opened_at
    return found


def parts(spec: Spec) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in explained(spec).parts:
        found[part.what] = found.get(part.what, 0) + part.ms
    return found


def started(thinking_s: Any = 30, *, computers: bool = False) -> Spec:
    people = ("p_a",) if computers else ("p_a", "p_b")
    rules = e.TableRules(2, computers, thinking_s, tempo="normal")
    spec = Spec(*people, rules=rules, options={"bilanz": False})
    spec.now += 7_000
    spec.does("p_a", c.Start())
    return spec


def decide(spec: Spec) -> None:
    ask = spec.ask()
    spec.does("bot", c.Decide(ask.seat, spec.table.raised, ask.default, "s", 1))


def test_a_person_answers() -> None:
    spec = started()
    seat = spec.ask().seat
    spec.now += 4_321
    spec.plays()

    assert parts(spec) == {"gathering": 7_000, "thinking": 4_321}
    first, *_ = explained(spec).questions
    assert (first.seat, first.thinking_ms, first.after_ms, first.by) == (
        seat,
        4_321,
        4_321,
        "human",
    )


def test_thinking_grace_and_then_the_computers_time() -> None:
    spec = started()
    spec.now += 40_700
    decide(spec)

    found = explained(spec)
    seat = found.questions[0].seat
    assert found.parts[1:] == (
        Part("thinking", (seat,), 30_000),
        Part("grace", (seat,), 10_000),
        Part("computer", (), 700),
    )
    assert found.questions[0].by == "timeout"
    times = found.seats[seat]
    assert (times.thinking_ms, times.grace_ms, times.timeouts) == (30_000, 10_000, 1)


def test_an_open_question_counts_until_now() -> None:
    spec = started()
    spec.now += 33_000

    assert parts(spec) == {"gathering": 7_000, "thinking": 30_000, "grace": 3_000}
    assert explained(spec).questions[-1].by == ""


def test_without_clock_all_of_it_is_thinking() -> None:
    spec = started(0)
    spec.now += 86_400_000
    spec.plays()

    assert parts(spec) == {"gathering": 7_000, "thinking": 86_400_000}


def test_computers_have_their_own_time() -> None:
    spec = started(computers=True)
    while stand_in(spec.table, spec.ask().seat) is None:
        spec.plays()
    spec.now += 1_300
    decide(spec)

    assert parts(spec)["computer"] == 1_300


def test_downtime_is_given_back_and_nobodys() -> None:
    spec = started()
    since = spec.now
    spec.now += 500_000
    spec.does("house", c.Credit(since + 20_000, since + 490_000))
    spec.plays()

    assert parts(spec) == {"gathering": 7_000, "thinking": 30_000, "downtime": 470_000}
    found = explained(spec)
    (stop,) = found.stops
    first = found.questions[0]
    assert first.credits == (stop.fact,)
    assert (first.thinking_ms, first.credit_ms, first.after_ms) == (30_000, 470_000, 500_000)


def test_the_time_of_a_stopped_table_is_nobodys() -> None:
    spec = started()
    spec.now += 10_000
    spec.does("house", c.Suspend("fault"))
    spec.now += 3_600_000
    assert parts(spec) == {"gathering": 7_000, "thinking": 10_000, "stopped": 3_600_000}
    spec.does("ops", c.Unsuspend("behoben"))
    spec.now += 25_000
    assert parts(spec) == {
        "gathering": 7_000,
        "thinking": 30_000,
        "grace": 5_000,
        "stopped": 3_600_000,
    }
    spec.does("ops", c.Void("doch nicht"))

    assert explained(spec).questions[-1].by == "void"
    spec.now += 10**6  # an ended table's account does not grow
    assert account(story_of(spec), spec.now).until == spec.table.at


def test_a_substitutes_time_is_the_computers() -> None:
    spec = started(0)
    seat = spec.ask().seat
    spec.now += OFFLINE_MS
    spec.does("house", c.NoteOffline(((seat, spec.now - OFFLINE_MS),)))
    spec.now += SUBSTITUTE_MS
    spec.does(spec.player(1 - seat), c.Substitute(seat))
    spec.now += 900
    decide(spec)

    thought = OFFLINE_MS + SUBSTITUTE_MS
    assert parts(spec) == {"gathering": 7_000, "thinking": thought, "computer": 900}
    first = explained(spec).questions[0]
    assert (first.by, first.thinking_ms, first.computer_ms) == ("substitute", thought, 900)


def test_rods_are_chosen_by_all_at_once_without_grace() -> None:
    """DRILL-R06: 45 s; the time of two who think at once is counted once in the whole."""
    spec = Spec("p_a", "p_b", rules=e.TableRules(2, thinking_s=30), game=GAMES["speeddrill"])
    spec.does("p_a", c.Start())
    spec.now += 46_000
    found = explained(spec)

    assert found.parts == (Part("thinking", (0, 1), 45_000), Part("computer", (), 1_000))
    assert {each.thinking_ms for each in found.questions} == {45_000}


def test_summaries_tell_who_clicked_when() -> None:
    spec = Spec("p_a", "p_b", rules=e.TableRules(2, computers=False, thinking_s=30))
    spec.does("p_a", c.Start())
    spec.until_pause()
    for player, after_ms in (("p_a", 2_000), ("p_b", 3_000)):
        spec.now += after_ms
        spec.does(player, c.GoOn(spec.table.raised))
    spec.until_pause()
    spec.now += 38_000
    spec.does("house", c.Tick())

    by_people, by_clock = explained(spec).summaries[:2]
    assert (by_people.clicks, by_people.by) == (((0, 2_000), (1, 5_000)), "people")
    assert (by_clock.after_ms, by_clock.clicks, by_clock.by) == (38_000, (), "clock")
    assert parts(spec)["summary"] == 43_000


@pytest.mark.parametrize("game", list(GAMES))
@pytest.mark.parametrize("seed", range(3))
def test_the_parts_of_whole_games_add_up(game: str, seed: int) -> None:
    """People come and go, clocks run out, nobody serves, and every millisecond is somebody's."""
    rng = random.Random(seed)
    rules = e.TableRules(4, computers=True, thinking_s=(0, 30, 120)[seed])
    options = {"target": 100} if game == "speeddive" else {}
    spec = Spec("p_a", "p_b", "p_c", rules=rules, options=options, game=GAMES[game])
    spec.now += rng.randrange(100_000)
    spec.does("p_a", c.Start())
    while spec.table.phase in {"playing", "suspended"} and len(spec.facts) < 1_500:
        trouble(spec, rng)
        step(spec, rng)

    found = explained_at_end(spec)
    assert found.total_ms == spec.table.at - START
    answered = [each for each in found.questions if each.by not in {"", "void"}]
    assert len(answered) > 10
    for seat in found.seats:
        mine = [each for each in found.questions if each.seat == seat.seat]
        assert seat.thinking_ms == sum(each.thinking_ms for each in mine)
    thinking_ms = rules.thinking_s * 1_000
    for each in answered:
        if each.by == "timeout" and each.grace_ms:
            assert (each.thinking_ms, each.grace_ms) == (thinking_ms, 10_000)
    assert lines(found)


def test_the_time_after_the_end_is_none_of_the_tables() -> None:
    """Whoever plays again adds a fact to the old table, whenever he does."""
    spec = Spec.started("p_a", rules=e.TableRules(2, thinking_s=30), options={"target": 100})
    spec.to_end()
    before = account(story_of(spec), spec.now)
    spec.now += 60_000
    assert spec.does("p_a", c.Again())

    assert account(story_of(spec), spec.now) == before


def explained_at_end(spec: Spec) -> ClockAccount:
    found = account(story_of(spec), spec.table.at)
    assert found.sound
    assert sum(part.ms for part in found.parts) == found.total_ms
    return found


def trouble(spec: Spec, rng: random.Random) -> None:
    """Sometimes let something happen that is no move."""
    before = spec.now
    match rng.randrange(60):
        case 0:
            spec.now += rng.randrange(500_000)
            spec.does("house", c.Credit(before + rng.randrange(2_000), spec.now - 100))
        case 1:
            spec.does("house", c.Suspend("fault"))
            spec.now += rng.randrange(500_000)
            spec.does("ops", c.Unsuspend("behoben"))
        case 2:
            people = attending(spec.table)
            spec.now += OFFLINE_MS
            spec.does("house", c.NoteOffline(tuple((seat, before) for seat in people[:1])))
        case 3:
            for away in spec.table.absent:
                spec.now = max(spec.now, away.substitute_from)
                others = [seat for seat in attending(spec.table) if seat != away.seat]
                if others:
                    spec.does(spec.player(others[0]), c.Substitute(away.seat))
        case 4 | 5:
            for away in spec.table.absent:
                spec.does("house", c.NoteBack(away.seat))
        case 6 if len(attending(spec.table)) > 2:
            spec.does(spec.player(attending(spec.table)[-1]), c.Leave())
        case _:
            return


def step(spec: Spec, rng: random.Random) -> None:
    """Let whoever is asked answer, in time or too late."""
    if spec.table.phase != "playing":
        return
    if isinstance(spec.waiting, Pause):
        spec.now += rng.choice((1_000, 400_000))
        people = [seat for seat in attending(spec.table) if seat not in spec.table.gone_on]
        if rng.random() < 0.5 and spec.table.rules.thinking_s:
            spec.does("house", c.Tick())
        else:
            spec.does(spec.player(people[0]), c.GoOn(spec.table.raised))
        return
    number, ask = rng.choice(spec.asks())
    move = sample(ask.options, rng.randrange)
    spec.now += rng.choice((rng.randrange(3_000), rng.randrange(60_000)))
    if stand_in(spec.table, ask.seat) is not None:
        spec.does("bot", c.Decide(ask.seat, number, move, "s", 1))
    elif spec.table.rules.thinking_s and ask.clock == "turn" and rng.random() < 0.1:
        spec.now += 140_000
        spec.does("bot", c.Decide(ask.seat, number, move, "s", 1))
    else:
        spec.does(spec.player(ask.seat), c.Play(number, move))


async def test_the_command_prints_it_for_people_and_programs(
    settings: Settings, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    over, on = finished(1), running(2)
    await store([over, on])
    for played in (over, on):
        words = ["explain", played.table.table_id, "clock"]
        assert await run(_parse(words), settings) == 0
        text = capsys.readouterr().out
        assert "waiting for the start" in text
        assert "p_test_1" in text
        assert await run(_parse([*words, "--json"]), settings) == 0
        told = json.loads(capsys.readouterr().out)
        assert sum(part["ms"] for part in told["parts"]) == told["total_ms"]
        assert told["sound"]
    with pytest.raises(Failure, match="no table"):
        await run(_parse(["explain", "07-0123456789abcdef01234567", "clock"]), settings)
