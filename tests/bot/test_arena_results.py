"""Results that are kept can be checked, and say so when they no longer hold."""

from __future__ import annotations

import json
import random
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contracts.views import Question
from services.__main__ import _parse, main
from services.bot.arena.page import PAGE, renewed
from services.bot.arena.result import RESULTS, Result, read, result_of, write
from services.bot.arena.sampling import drawn, outdated
from services.bot.arena.series import Deal, Match
from services.bot.arena.times import Times
from services.bot.strategies import COMPUTERS
from services.bot.strategies.strategy import Computers, Strategy
from services.kit.console.failure import Failure

KEPT = sorted(RESULTS.glob("*.toml"))
MATCH = Match(
    game="speeddive",
    options={"target": 100, "bilanz": False},
    seats=2,
    a="stark",
    b="random",
    seed="a seed",
)

Install = Callable[[Strategy], None]


def first(_view: Any, question: Question, _rng: random.Random) -> Any:
    return question.options.moves[0]


def last(_view: Any, question: Question, _rng: random.Random) -> Any:
    return question.options.moves[-1]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    def put(strategy: Strategy) -> None:
        computers = Computers({"stark": strategy}, lambda *_: "")
        monkeypatch.setitem(COMPUTERS, "speeddive", computers)

    return put


@pytest.fixture
def kept(tmp_path: Path, install: Install, capsys: pytest.CaptureFixture[str]) -> Path:
    """A result of ten deals, by a strategy that surfaces whenever it may."""
    install(Strategy("stark", 1, last))
    file = tmp_path / "kept.toml"
    words = ["--game", "speeddive", "--b", "random", "--games", "20", "--seed", "a seed"]
    words += ["--options", "target=100,bilanz=false", "--cores", "1", "--save", str(file)]
    assert main(["arena", *words]) == 0
    capsys.readouterr()
    return file


def made(*outcomes: tuple[int, ...]) -> Result:
    return result_of(MATCH, [Deal(each, Times(), Times()) for each in outcomes])


def sampled(file: Path, *words: str) -> int:
    return main(["arena", "--sample", "20", str(file), "--cores", "1", *words])


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    result = made((1, 0), (1, 1), (2, 2))
    assert (result.games, result.a_share, result.outcomes) == (6, 0.6667, "101122")
    file = tmp_path / "result.toml"
    file.write_text(write(result), "utf-8")
    assert read(file) == result


def test_a_file_of_20_000_games_is_small_and_has_short_lines() -> None:
    text = write(made(*[(1, 0)] * 10_000))
    assert len(text) < 30_000
    first_line, *others = text.splitlines()
    assert first_line.startswith("# logbuch arena ")
    assert max(map(len, others)) <= 120
    assert len(others) < 250


def test_a_kept_result_comes_again(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sampled(kept) == 0
    assert "20 of 20 games came out as they are stored" in capsys.readouterr().out
    assert read(kept).options == MATCH.options
    assert read(kept).seed == MATCH.seed


def test_a_tampered_outcome_is_found(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = kept.read_text("utf-8")
    deals = read(kept).deals
    deal = next(n for n, each in enumerate(deals) if len(set(each)) == 2)
    tampered = [*deals[:deal], deals[deal][::-1], *deals[deal + 1 :]]
    kept.write_text(text.replace("".join(deals), "".join(tampered)), "utf-8")

    assert sampled(kept) == 1

    told = capsys.readouterr().out
    assert f"1 of 10 deals came out otherwise (deal {deal} was {tampered[deal]}, is " in told
    assert "run again: logbuch arena --game speeddive --a stark --b random --games 20" in told


def test_shares_must_be_those_of_the_outcomes(kept: Path) -> None:
    text = kept.read_text("utf-8")
    kept.write_text(re.sub(r"ci_low = .*", "ci_low = 0.001", text), "utf-8")
    with pytest.raises(Failure, match="its outcomes say"):
        read(kept)


@pytest.mark.parametrize(
    ("old", "new"), [("games = 20", "games = 22"), ("seats = 2", "seats = 3"), ("b = ", "c = ")]
)
def test_a_file_that_contradicts_itself_is_not_read(kept: Path, old: str, new: str) -> None:
    text = kept.read_text("utf-8")
    assert f"\n{old}" in text
    kept.write_text(text.replace(f"\n{old}", f"\n{new}"), "utf-8")
    with pytest.raises(Failure, match=r"kept\.toml"):
        read(kept)


def test_a_strategy_that_was_changed_is_found(
    kept: Path, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install(Strategy("stark", 1, first))
    assert sampled(kept, "--json") == 1
    (line,) = json.loads(capsys.readouterr().out)["files"]
    assert line["outdated"] is None
    assert line["changed"][0]["stored"] != line["changed"][0]["now"]


def test_a_strategy_of_another_version_is_not_even_tried(
    kept: Path, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install(Strategy("stark", 2, last))
    assert sampled(kept) == 1
    told = capsys.readouterr().out
    assert "made with stark version 1, now 2; run again: logbuch arena --game speeddive" in told
    assert f"--seed 'a seed' --save {kept}" in told


def test_deals_are_drawn_without_doubles_and_by_the_seed() -> None:
    result = made(*[(1, 0)] * 500)
    deals = drawn(result, 201, "1")
    assert deals == sorted(set(deals)) == drawn(result, 201, "1")
    assert len(deals) == 101
    assert deals != drawn(result, 201, "2")
    assert drawn(result, 5_000, "1") == list(range(500))


def test_the_table_says_what_the_files_say(kept: Path) -> None:
    page = renewed(PAGE.read_text("utf-8"), [kept])
    result = read(kept)
    row = (
        f"| speeddive KLASSISCH | 2 | stark 1 | random 1 | 20 | **{100 * result.a_share:.1f} %** |"
    )
    assert row in page
    command = next(line for line in page.splitlines() if f"--save {kept}" in line)
    args = _parse(shlex.split(command)[1:])
    assert (args.game, args.options, args.seed) == (MATCH.game, MATCH.options, MATCH.seed)
    assert renewed(page, [kept]) == page


def test_the_page_shows_the_results_that_are_kept() -> None:
    page = PAGE.read_text("utf-8")
    assert page == renewed(page, KEPT), "`logbuch arena --table` writes it"


def test_kept_results_are_by_the_present_strategies() -> None:
    old = {file.name: why for file in KEPT if (why := outdated(read(file))) is not None}
    assert old == {}, "`logbuch arena --sample 200` says what to run again"
