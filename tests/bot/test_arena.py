"""The arena plays fair deals, counts shares and times rightly, and is sure only of what it knows."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from contracts.views import Question
from domain.games import GAMES
from domain.kernel import AnyGame, Over
from services.__main__ import main
from services.bot.arena import match
from services.bot.arena.interval import share_of, wilson
from services.bot.arena.match import Finished, Pairing, Played, StrategyFailed, play_deal
from services.bot.arena.opponents import opponent, opponents, stop_at_random
from services.bot.arena.processes import spread
from services.bot.arena.series import Match, play
from services.bot.arena.times import Times
from services.bot.strategies import COMPUTERS, DEFAULT
from services.bot.strategies.strategy import Computers, Strategy
from services.kit.console.failure import Failure

ROOT = Path(__file__).parents[2]
SMALL = ("arena", "--game", "speeddive", "--a", "normal", "--b", "random", "--games", "6")


def pairing(game: str, a: Strategy, b: Strategy, seats: int = 2) -> Pairing:
    rules = GAMES[game]
    return Pairing(rules, rules.options_type(), seats, a, b, "test")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seats", [2, 3])
def test_equal_players_share_every_deal_equally(game: str, seats: int) -> None:
    same = opponent(game, "random")
    for deal in range(3):
        shares = play_deal(pairing(game, same, same, seats), deal).shares
        assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize("game", GAMES)
def test_side_a_takes_each_seat_once_and_b_all_others(game: str) -> None:
    seen: list[tuple[str, int]] = []

    def player(name: str) -> Strategy:
        def choose(view: Any, question: Question, _rng: random.Random) -> Any:
            if (name, view.seat) not in seen[-3:]:
                seen.append((name, view.seat))
            return question.default

        return Strategy(name, 1, choose)

    played = play_deal(pairing(game, player("a"), player("b"), 3), 0)

    everybody = {(name, seat) for name in "ab" for seat in range(3)}
    assert set(seen) == everybody
    assert len(played.outcomes) == 3
    assert len(played.b_ns) > len(played.a_ns) > 0


def test_all_seats_of_a_deal_get_the_same_cards_and_other_deals_get_others() -> None:
    first: dict[int, list[str]] = {0: [], 1: []}

    def choose(view: Any, question: Question, _rng: random.Random) -> Any:
        first[deal].append(repr([diver.spur for diver in view.board.divers]))
        return question.default

    for deal in first:
        play_deal(
            pairing("speeddive", Strategy("same", 1, choose), Strategy("same", 1, choose)), deal
        )
    one, other = first.values()
    assert one[: len(one) // 2] == one[len(one) // 2 :]
    assert one != other


def test_a_shared_first_place_pays_its_part(monkeypatch: pytest.MonkeyPatch) -> None:
    def play_game(
        _game: AnyGame, _options: Any, players: Sequence[Strategy], _seed: str
    ) -> Finished:
        nothing: tuple[list[int], ...] = ([], [], [])
        return Finished(Over((1, 1, 3), (0, 0, 0), (0, 0, 0)), nothing[: len(players)])

    monkeypatch.setattr(match, "play_game", play_game)

    assert play_deal(pairing("speeddive", DEFAULT, DEFAULT, 3), 0).outcomes == (2, 2, 0)
    assert Played((1, 2, 3, 0), [], []).shares == (1, 1 / 2, 1 / 3, 0)


def test_wilson_as_in_the_textbooks() -> None:
    assert wilson(0.5, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert wilson(1, 10) == pytest.approx((0.7225, 1), abs=1e-4)


def test_the_interval_is_that_of_the_deals_means() -> None:
    deals = [0.5] * 600 + [1.0] * 250 + [0.0] * 150
    mean = 0.55
    spread = (600 * 0.05**2 + 250 * 0.45**2 + 150 * 0.55**2) / 999
    half = 1.96 * (spread / 1000) ** 0.5
    assert share_of(deals) == pytest.approx((mean, mean - half, mean + half), abs=2e-4)
    assert share_of([1.0, 0.0] * 500) == pytest.approx((0.5, *wilson(0.5, 999)))


def test_deals_that_say_little_give_a_wide_interval() -> None:
    assert share_of([1.0] * 100) == (1.0, *wilson(1, 100))
    assert share_of([0.5] * 100) == (0.5, *wilson(0.5, 100))
    assert share_of([0.5, 1.0]) == (0.75, *wilson(0.75, 2))


def test_times_are_kept_in_few_buckets_and_come_out_right() -> None:
    rng = random.Random(5)
    times_ns = sorted(int(10 ** rng.uniform(1, 10)) for _ in range(20_000))
    whole, part, rest = Times(), Times(), Times()
    whole.add(times_ns)
    part.add(times_ns[::3])
    rest.add([ns for number, ns in enumerate(times_ns) if number % 3])
    part.merge(rest)

    assert len(whole.buckets) < 1_500
    assert part == whole
    assert whole.count == 20_000
    assert whole.max_ms == times_ns[-1] / 1e6
    assert whole.mean_ms == sum(times_ns) / 20_000 / 1e6
    assert whole.slow == sum(ns > 300_000_000 for ns in times_ns) > 0
    for share in (0.01, 0.5, 0.99):
        exact = times_ns[int(share * 20_000) - 1] / 1e6
        assert whole.quantile_ms(share) == pytest.approx(exact, rel=0.04)
    assert whole.quantile_ms(1) <= whole.max_ms
    assert Times().quantile_ms(0.5) == 0


def test_outcomes_do_not_depend_on_the_cores() -> None:
    wanted = Match(game="speeddive", options={}, seats=2, a="normal", b="random", seed="7")
    one, two = ([deal.outcomes for deal in play(wanted, range(6), cores)] for cores in (1, 2))
    assert one == two


@pytest.mark.parametrize("game", GAMES)
def test_everybody_of_the_arena_plays_every_game(game: str) -> None:
    for player in opponents(game).values():
        assert len(play_deal(pairing(game, player, DEFAULT), 1).outcomes) == 2


def test_the_stopper_keeps_to_one_number_from_10_to_30_in_a_round() -> None:
    stopped: list[int] = []
    dived: dict[tuple[Any, ...], int] = {}

    def choose(view: Any, question: Question, rng: random.Random) -> Any:
        move = stop_at_random(view, question, rng)
        if question.kind == "dive":
            score = view.scores[view.seat]
            if type(move).__name__ == "Surface":
                stopped.append(score)
            else:
                totals = tuple(diver.total for diver in view.board.divers)
                dived[(view.seat, *totals)] = score
        return move

    same = Strategy("stopper", 1, choose)
    for deal in range(12):
        play_deal(pairing("speeddive", same, same), deal)

    assert min(stopped) >= 10
    assert len({score for score in stopped if score < 30}) > 10
    assert 20 < max(dived.values()) < 30


def test_json_has_the_keys_that_programs_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--cores", "1", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["games"] == 6
    assert 0 <= plain["ci_low"] < plain["a_share"] <= plain["ci_high"] <= 1
    assert plain["a_ms_p99"] > 0 < plain["b_ms_p99"]


def test_games_are_rounded_up_to_whole_deals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL[:-1], "7", "--seats", "3", "--cores", "1"]) == 0
    assert "games     9 (3 deals, seed 1)" in capsys.readouterr().out


def test_one_deal_is_played_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--deal", "4"]) == 0
    assert "2 (deal 4 alone, seed 1)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--a", "nobody"), "choose from leicht, normal, stark, default, random, stopper"),
        (("--seats", "5"), "speeddive is played by 2 to 4"),
        (("--options", "edition=9"), "speeddive knows edition=KLASSISCH|DEEPER_DIVE"),
        (("--save", f"{__file__}/file.toml"), "test_arena.py: File exists"),
    ],
)
def test_what_cannot_be_played_is_one_line(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SMALL, *words]) == 1
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_without_anything_to_do_it_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["arena"])
    assert ended.value.code == 2
    assert "choose one of --game, --sample and --table" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--deal", "0", "--save", "no/file.toml"), "--deal does not go with --save"),
        (("--sample", "5"), "--sample does not go with --game, --a, --b, --games"),
        (("--sample", "5", "--table"), "--sample does not go with --table, --game"),
        (("--table",), "--table does not go with --game, --a, --b, --games"),
        (("no/file.toml",), "--game does not go with FILE"),
    ],
)
def test_nothing_that_is_given_goes_unused(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*SMALL, *words])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("--sample", "5", "--save", "no/file.toml"),
        ("--sample", "5", "--deal", "0"),
        ("--table", "--seed", "1"),
        ("--table", "--games", "1000"),
        ("--table", "no/file.toml"),
    ],
)
def test_a_default_that_is_given_counts_as_given(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["arena", *words])
    assert ended.value.code == 2
    assert f"{words[0]} does not go with" in capsys.readouterr().err


@pytest.mark.parametrize("seed", ["", "a\nb", "a\u2028b", "\x1b[K", "\udcff", "a" * 101])
def test_a_seed_that_no_file_could_keep_is_refused(
    seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*SMALL, "--seed", seed])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "is not one line of 1 to 100 printable characters" in told
    assert told.count("\n") == 1


def broken(_view: Any, _question: Question, _rng: random.Random) -> Any:
    raise ZeroDivisionError("by nothing")


def stubborn(_view: Any, _question: Question, _rng: random.Random) -> Any:
    return "something else"


@pytest.mark.parametrize(
    ("choose", "said"),
    [
        (broken, "ZeroDivisionError at test_arena.py:"),
        (stubborn, "it was not offered something else"),
    ],
)
def test_a_strategy_that_fails_is_named_with_deal_and_seat(
    choose: Any, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    normal = COMPUTERS["speeddive"].strengths["normal"]
    strengths = {"normal": normal, "stark": Strategy("stark", 1, choose)}
    monkeypatch.setitem(COMPUTERS, "speeddive", Computers(strengths, lambda *_: ""))

    assert main(["arena", "--game", "speeddive", "--games", "2", "--cores", "1"]) == 1

    told = capsys.readouterr().err
    assert told.startswith("logbuch: deal 0 with side A on seat 0: stark on seat 0 failed at ")
    assert said in told
    assert told.endswith("; --deal 0 plays it alone\n")


def halved(number: int) -> int:
    if number == 13:
        raise StrategyFailed("thirteen")
    if number == 66:
        os._exit(0)
    return number // 2


def test_results_of_several_processes_come_in_order() -> None:
    assert list(spread(halved, range(12), 3)) == [number // 2 for number in range(12)]
    assert list(spread(halved, [4, 2], 5)) == [2, 1]


@pytest.mark.parametrize(("number", "said"), [(13, "thirteen"), (66, "ended from outside")])
def test_what_fails_in_another_process_fails_here(number: int, said: str) -> None:
    with pytest.raises(Failure, match=said):
        list(spread(halved, [2, 4, number, 6, 8], 2))


INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("services", run_name="__main__", alter_sys=True)
"""
"""As `python -m services`, but a test run in the background would hand on that it ignores SIGINT."""


@pytest.mark.parametrize("whom", ["everybody", "the first process"])
def test_an_interrupt_ends_all_processes_and_says_how_far_it_came(
    whom: str, tmp_path: Path
) -> None:
    terminal, other_end = pty.openpty()
    words = ["--game", "speeddive", "--games", "1000000", "--cores", "2"]
    words += ["--save", str(tmp_path / "kept.toml")]
    arena = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "arena", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=other_end,
        start_new_session=True,
    )
    os.close(other_end)
    shown = b""
    while b" 1" not in shown:  # the bar counts finished deals, so all processes are at work
        shown += os.read(terminal, 1_000)

    (os.killpg if whom == "everybody" else os.kill)(arena.pid, signal.SIGINT)

    # The pipe ends when the last process that could write into it has ended.
    assert arena.communicate(timeout=60)[0] == b""
    assert arena.returncode == 130
    with contextlib.suppress(OSError):  # how a terminal ends that nobody writes to any more
        while more := os.read(terminal, 1_000):
            shown += more
    os.close(terminal)
    last = shown.rpartition(b"\r\x1b[K")[2].decode()
    told = r"logbuch: interrupted after ([\d,]+) of 1,000,000 games, nothing is kept\r\n"
    found = re.fullmatch(told, last)
    assert found is not None, last
    assert int(found[1].replace(",", "")) in range(2, 1_000_000, 2)
    assert b"Traceback" not in shown
    assert list(tmp_path.iterdir()) == []
